import { z } from 'zod';
import { condition } from './condition.ts';
import { atomicList, int32, int64 } from './markers.ts';
import { labelSelector } from './meta.ts';

export const taint = z.strictObject({
  key: z.string(),
  value: z.string().optional(),
  effect: z.enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute']),
  timeAdded: z.iso.datetime().optional(),
});

export const nodePoolSpec = z.strictObject({
  type: z.enum(['Edge', 'Cloud']).default('Edge'),
  selector: labelSelector.optional(),
  labels: z.record(z.string(), z.string()).optional(),
  annotations: z.record(z.string(), z.string()).optional(),
  taints: atomicList(taint).optional(),
  hostNetwork: z.boolean().optional(),
  interConnectivity: z.boolean().optional(),
  leaderElectionStrategy: z.string().optional(),
  leaderNodeLabelSelector: z.record(z.string(), z.string()).optional(),
  enableLeaderElection: z.boolean().optional(),
  poolScopeMetadata: atomicList(
    z.strictObject({ group: z.string(), version: z.string(), resource: z.string() }),
  ).optional(),
  leaderReplicas: int32().optional(),
});

export const nodePoolStatus = z.strictObject({
  readyNodeNum: int32().optional(),
  unreadyNodeNum: int32().optional(),
  nodes: atomicList(z.string()).optional(),
  leaderEndpoints: atomicList(z.strictObject({ nodeName: z.string(), address: z.string() })).optional(),
  leaderNum: int32().optional(),
  leaderLastElectedTime: z.iso.datetime().optional(),
  conditions: atomicList(condition).optional(),
  observedGeneration: int64().optional(),
});
