import { extendedDaemonSetLabels } from '@atoll/api';
import type { Finding } from '../../causes/finding.ts';
import { inspectionOf } from '../../children/inspect-child.ts';
import { awaitedNames } from '../../children/pods/awaited-names.ts';
import { causeHold } from '../../children/pods-hold.ts';
import { hold, type Hold } from '../../engine/hold.ts';
import type { Inspection } from '../../engine/inspection.ts';
import { isAtWanted } from '../../engine/rollout/target.ts';
import type { Rolling } from '../rolling/decide-rolling.ts';
import type { NodeTarget } from './nodes/node-targets.ts';

export interface AwaitedPods {
  /** The cause, where it was found. Without one the other holds have what is waited for. */
  readonly holds: readonly Hold[];
  /** The replica set, where it waits for pods: they may show why. */
  readonly inspect: readonly Inspection[];
}

/** Pods of a replica set that are there, on nodes that are, and not Ready. Why one is not scheduled for long is in its own status. */
export function awaitedPods(
  { replicaSet, targets }: Pick<Rolling, 'replicaSet' | 'targets'>,
  findings: Readonly<Record<string, Finding>>,
): AwaitedPods {
  const waiting = targets.filter(isAwaited);
  if (waiting.length === 0) return { holds: [], inspect: [] };
  const selector = { matchLabels: { [extendedDaemonSetLabels.replicaSet]: replicaSet.metadata.name } };
  // The operator makes the pods itself, so that it has the answer when one is refused.
  const wanted = 0;
  const awaited = awaitedNames(waiting.flatMap(({ pods: { kept } }) => kept ?? []));
  const inspect = inspectionOf(
    'ExtendedDaemonSetReplicaSet',
    { ...replicaSet, spec: { selector }, status: {} },
    wanted,
    awaited,
  );
  const finding = findings[replicaSet.metadata.uid];
  const names = new Set(awaited);
  if (finding === undefined || !finding.pods.some((pod) => names.has(pod))) return { holds: [], inspect };
  const ids = waiting.map(({ target }) => target.id).sort();
  const waits = hold('WaitingForReady', 'health', ids, { waitingUntil: 'the pods are Ready' }, false);
  return { holds: [causeHold(finding, waits)], inspect };
}

function isAwaited({ target, ready, pods, stuckSince }: NodeTarget): boolean {
  const isThere = pods.kept !== undefined && target.reach === 'reachable' && stuckSince === undefined;
  return isThere && isAtWanted(target) && !ready;
}
