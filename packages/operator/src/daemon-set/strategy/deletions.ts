import type { Instant } from '@atoll/kube';
import { refusedAmong, type RefusedTrials } from '../../engine/refused-trials.ts';
import { chooseTargets, heldTargets } from '../../engine/rollout/choose-targets.ts';
import { refusedLast } from '../../engine/rollout/deleted-in-turn.ts';
import { deletionsOf } from '../../engine/rollout/deletions-of.ts';
import { refusedHolds, type RefusedTarget } from '../../engine/rollout/refused-holds.ts';
import { isAtWanted } from '../../engine/rollout/target.ts';
import { forPeopleFirst, joinTargetHolds } from '../../engine/rollout/target-hold.ts';
import { deletionName } from '../../engine/steps/deletion.ts';
import type { DaemonSetDecision, Upgrade } from '../decide.ts';
import { awayHolds } from '../nodes/awaited-pods.ts';
import type { NodeTarget } from '../nodes/node-targets.ts';
import { limitsOf } from './rolling-limits.ts';
import type { RollingUpgrade } from './upgrade-request.ts';

type DecidedDeletions = Pick<Upgrade, 'outdated' | 'outdatedAgain' | 'remembers'> &
  Pick<DaemonSetDecision, 'holds' | 'requeueAt'>;

/**
 * The outdated pods that may be deleted now. One whose deletion the API server refused keeps its node, and others have its place in the budget: it is asked for
 * again in turn when none of them wants that.
 */
export function decideDeletions(
  request: RollingUpgrade,
  nodes: readonly NodeTarget[],
  refused: RefusedTrials,
  now: Instant,
): DecidedDeletions {
  const undeletable = undeletableOf(nodes, refused);
  const limits = { ...limitsOf(request), ...refusedLast(undeletable, now) };
  const { byTarget, requeueAt } = chooseTargets({ targets: nodes.map(({ target }) => target), limits, now });
  const { deleted, deletedAgain, undeleted, others } = deletionsOf([...byTarget], undeletable);
  const byId = new Map(nodes.map((each) => [each.target.id, each]));
  const nodesOf = (ids: readonly string[]): readonly NodeTarget[] => ids.flatMap((id) => byId.get(id) ?? []);
  return {
    outdated: nodesOf(deleted),
    outdatedAgain: nodesOf(deletedAgain),
    remembers: [...undeletable.values()].map(({ trial }) => trial),
    holds: [
      ...refusedHolds('PodRefused', undeleted),
      ...forPeopleFirst(joinTargetHolds([...heldTargets(others), ...awayHolds(nodes)])),
    ],
    requeueAt,
  };
}

interface Undeletable extends RefusedTarget {
  readonly trial: string;
}

/** By node, the outdated pods whose deletion was refused. */
function undeletableOf(
  nodes: readonly NodeTarget[],
  refused: RefusedTrials,
): ReadonlyMap<string, Undeletable> {
  const found = refusedAmong(nodes, refused, ({ target, pod }) =>
    pod === undefined || isAtWanted(target) ? undefined : deletionName(pod),
  );
  return new Map(
    found.map(({ of: { target }, answer, trial }) => [target.id, { id: target.id, answer, trial }]),
  );
}
