import { z } from 'zod';
import { condition } from './condition.ts';
import { atomicList, embedded, int32, int64, listMap } from './markers.ts';
import { labelSelector, templateMetadata } from './meta.ts';

export const defaultRevisionHistoryLimit = 10;

const podTemplate = embedded({
  metadata: templateMetadata.optional(),
  spec: embedded({}).optional(),
});

const deploymentTemplate = z.strictObject({
  metadata: templateMetadata.optional(),
  spec: embedded({
    replicas: int32().min(0).optional(),
    template: podTemplate,
  }),
});

const statefulSetTemplate = z.strictObject({
  metadata: templateMetadata.optional(),
  spec: embedded({
    replicas: int32().min(0).optional(),
    template: podTemplate,
    serviceName: z.string().optional(),
    podManagementPolicy: z.string().optional(),
    volumeClaimTemplates: z.array(embedded({})).optional(),
  }),
});

const workloadTemplate = z.strictObject({
  deploymentTemplate: deploymentTemplate.optional(),
  statefulSetTemplate: statefulSetTemplate.optional(),
});

export const poolWorkloadSpec = z.strictObject({
  selector: labelSelector,
  workloadTemplate: workloadTemplate.optional(),
  nodepoolSelector: labelSelector,
  revisionHistoryLimit: int32().min(0).default(defaultRevisionHistoryLimit),
});

const workloadSummary = z.strictObject({
  availableCondition: z.string(),
  replicas: int32(),
  readyReplicas: int32(),
  workloadName: z.string(),
});

const poolSummary = z.strictObject({
  name: z.string(),
  workloadName: z.string().optional(),
  replicas: int32().optional(),
  readyReplicas: int32().optional(),
  updatedReplicas: int32().optional(),
  availableReplicas: int32().optional(),
  observedGeneration: int64().optional(),
  revision: z.string().optional(),
});

export const poolWorkloadStatus = z.strictObject({
  observedGeneration: int64().optional(),
  collisionCount: int32().optional(),
  currentRevision: z.string().optional(),
  updateRevision: z.string().optional(),
  conditions: atomicList(condition).optional(),
  overriderRef: z.string().optional(),
  workloadSummary: atomicList(workloadSummary).optional(),
  templateType: z.string().optional(),
  nodepools: atomicList(z.string()).optional(),
  pools: listMap(poolSummary, 'name').optional(),
});
