import type { ExtendedDaemonSet } from '@atoll/api';
import { controllerOf, pods, type Stored } from '@atoll/kube';
import type { Failure } from '../../engine/problems/failures.ts';
import { failureMessage } from '../../engine/problems/trouble.ts';
import type { Outcome, StepResult } from '../../engine/step.ts';

/** What happened in the reconcile that a status is made after. */
export interface Happened {
  /** uids of replica sets whose pods were made. */
  readonly created: ReadonlySet<string>;
  /** Names of replica sets for whose pods outdated ones were deleted, where that is not recorded yet. */
  readonly deleted: ReadonlySet<string>;
  /** By name of the replica set that nodes are to run: whether all pods that are to go there were deleted. */
  readonly cleaned: ReadonlyMap<string, boolean>;
  /** What the API server refused, as one sentence. */
  readonly error: string | undefined;
}

/** What became of the steps of a plan, by replica set: on the nodes of the canary all is done for it, and elsewhere for the active one. */
export function happenedIn(
  { status }: Stored<ExtendedDaemonSet>,
  outcome: Outcome,
  failures: readonly Failure[],
): Happened {
  const created = new Set<string>();
  const deleted = new Set<string>();
  const cleaned = new Map<string, boolean>();
  const canary = status?.canary ?? undefined;
  const canaryNodes = new Set(canary?.nodes);
  const active = status?.activeReplicaSet;
  const runsOn = ({ step: { target = '' } }: StepResult): string =>
    (canaryNodes.has(target) ? canary?.replicaSet : active) ?? '';
  for (const result of outcome.results) {
    const { step, did } = result;
    if (step.do === 'create' && step.resource === pods && did === 'done') {
      const owner = controllerOf(step.object as Stored<typeof step.object>);
      if (owner !== undefined) created.add(owner.uid);
    }
    if (step.do !== 'delete') continue;
    const { word } = step.why;
    if (word === 'PodOutdated' && did === 'done') deleted.add(runsOn(result));
    if ((word === 'PodUnwanted' || word === 'PodReplaced') && did !== 'skipped')
      cleaned.set(runsOn(result), did === 'done' && cleaned.get(runsOn(result)) !== false);
  }
  // That of the active one is recorded before its pods are deleted, because it is the clock of its batches.
  const isRecorded = outcome.results.some(
    ({ step, did }) => step.why.word === 'BatchRecorded' && did === 'done',
  );
  if (isRecorded && active !== undefined) deleted.delete(active);
  return { created, deleted, cleaned, error: failures.length === 0 ? undefined : failureMessage(failures) };
}
