import { install } from '@atoll/api/install';
import type { StreamingClient } from '@atoll/kube';
import { startControlPlane, type ControlPlane } from '@atoll/testbed';
import { auditPolicy } from '../rollout/write-log.ts';
import { zones } from './objects.ts';

/** A plane with kubelets' leases of 200 s, so that heartbeats are no load of their own. */
export async function startPlane(tell: (message: string) => void): Promise<ControlPlane> {
  return startControlPlane({ nodeLeaseSeconds: 200, audit: auditPolicy, onProgress: tell });
}

/** The kinds, and nodes that are dealt to the zones in turn. */
export async function prepare(plane: ControlPlane, client: StreamingClient, nodes: number): Promise<void> {
  await install(client, {});
  await plane.addNodes({ nodes, zones });
  await plane.nodesReady(300_000);
}
