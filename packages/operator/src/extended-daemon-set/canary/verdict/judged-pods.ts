import type { ExtendedDaemonSetReplicaSet } from '@atoll/api';
import { instantOf, type Instant, type Pod, type Stored } from '@atoll/kube';
import type { RefusedTrials } from '../../../engine/refused-trials.ts';
import { staysAsMade, type NodeTarget } from '../../fleet/nodes/node-targets.ts';
import { wasActive } from '../../replica-sets/conditions.ts';
import { refusedSuccessors } from '../../rolling/refusals/refused-successors.ts';
import { canarySince } from './canary-evidence.ts';

/**
 * Those by whose restarts and starts a canary is judged: the pods of its template, unless they are replaced to get other overrides. Where the
 * pod with these was refused when it was tried, or a setting may come back, the one that is there stays, and is judged too.
 */
export function judgedPods(
  replicaSet: Stored<ExtendedDaemonSetReplicaSet>,
  targets: readonly NodeTarget[],
  refused: RefusedTrials,
  now: Instant,
): readonly Stored<Pod>[] {
  const batch = { lastBatchAt: undefined, now };
  const { known, believed } = refusedSuccessors(replicaSet, targets, refused, new Map(), batch);
  const isRefused = (id: string): boolean => known.has(id) || believed.has(id);
  const stays = (node: NodeTarget): boolean =>
    !node.canBeMade || staysAsMade(node) || isRefused(node.target.id);
  const pods = keptPods(
    targets.filter((node) => node.matches || (node.outdatedBy === 'overrides' && stays(node))),
  );
  // What pods of the active one did, before it comes back, is not of this trial.
  const since = canarySince(replicaSet, now);
  return wasActive(replicaSet) ? pods.filter((pod) => madeAt(pod) >= since) : pods;
}

/** The pods of its template on its nodes, with the overrides of these. */
export function matchingPods(targets: readonly NodeTarget[]): readonly Stored<Pod>[] {
  return keptPods(targets.filter(({ matches }) => matches));
}

function keptPods(targets: readonly NodeTarget[]): readonly Stored<Pod>[] {
  return targets.flatMap(({ pods: { kept } }) => kept ?? []);
}

function madeAt({ metadata }: Stored<Pod>): Instant {
  return instantOf(metadata.creationTimestamp) ?? 0;
}
