import { extendedDaemonSetLabels as labels, type ExtendedDaemonSetReplicaSet } from '@atoll/api';
import { controllerOf, type Instant, type Node, type Pod, type Stored } from '@atoll/kube';
import type { PlacedPodSpec } from '../../../engine/rollout/node-fit.ts';
import { awaySince, stillTainted } from '../../../engine/rollout/nodes.ts';
import { tolerationsOf } from '../../fleet/nodes/node-eligibility.ts';
import { stays, type TargetsOf } from '../../fleet/nodes/node-targets.ts';
import type { NodePods } from '../../fleet/pods-by-node.ts';
import type { CanaryCandidates } from './choose-canary-nodes.ts';

/** The nodes on which a canary of the replica set may run, by what is known of each node and of the object's pods there. */
export function canaryCandidates(
  { replicaSet, same, nodes: all, pods }: Pick<TargetsOf, 'replicaSet' | 'same' | 'nodes' | 'pods'>,
  now: Instant,
): CanaryCandidates {
  const nodesThat = (are: (each: TargetsOf['nodes'][number]) => boolean): readonly Stored<Node>[] =>
    all.filter(are).map(({ node }) => node);
  const keptOff = new Set(nodesThat(({ eligibility }) => eligibility === 'away'));
  const tolerations = tolerationsOf((replicaSet.spec.template.spec ?? {}) as PlacedPodSpec);
  const taintedSince = (node: Stored<Node>): Instant | undefined => {
    const reach = keptOff.has(node) ? stillTainted(node, tolerations, false, now) : 'reachable';
    return reach === 'reachable' ? undefined : reach.awaySince;
  };
  return {
    awaySince: (node) => awaySince(node, now) ?? taintedSince(node),
    nodes: nodesThat(({ eligibility }) => eligibility === 'eligible' || eligibility === 'away'),
    staying: nodesThat(
      ({ node, eligibility }) => eligibility === 'tainted' && stays(pods.get(node.metadata.name), same),
    ),
    restartsOn: (node) => restartsOn(pods.get(node)),
    hasStarted: (node) => hasStarted(pods.get(node)?.kept, replicaSet),
  };
}

/** Of all containers together, without init containers, as the old operator counts them. */
function restartsOn(pods: NodePods | undefined): number {
  if (pods === undefined) return 0;
  const all = [...(pods.kept === undefined ? [] : [pods.kept]), ...pods.ended, ...pods.ending];
  const containers = all.flatMap(({ status }) => status?.containerStatuses ?? []);
  return containers.reduce((sum, { restartCount }) => sum + restartCount, 0);
}

/** The pod is of a canary, and a container of it runs or has run. */
function hasStarted(
  pod: Stored<Pod> | undefined,
  { metadata: { uid } }: Stored<ExtendedDaemonSetReplicaSet>,
): boolean {
  if (pod === undefined) return false;
  const isOfCanary = controllerOf(pod)?.uid === uid || pod.metadata.labels?.[labels.canary] === 'true';
  const containers = pod.status?.containerStatuses ?? [];
  return (
    isOfCanary &&
    containers.some(
      ({ ready, restartCount, state }) =>
        ready || restartCount > 0 || state?.running !== undefined || state?.terminated !== undefined,
    )
  );
}
