import { hold, joinHolds, type Hold } from '../../engine/hold.ts';
import type { HeldTargets, HoldRule } from '../../engine/rollout/target-hold.ts';
import { staysAsMade, type NodeTarget } from '../fleet/nodes/node-targets.ts';

const reason = 'SettingUnreadable';

/**
 * Pods stay where a setting that cannot be read may be the node's, and where theirs may come back and only their overrides differ: what replaces them might
 * be made without it. Where none runs, one is made.
 */
export function whereUnreadable(targets: readonly NodeTarget[]): HoldRule {
  const held = new Map([
    ...lostOn(targets).map(({ id, problem }) => [id, `the setting is restored: ${problem}`] as const),
    ...staying(targets).map(({ id, why }) => [id, `that is corrected: ${why}`] as const),
  ]);
  return ({ id }) => {
    const waitingUntil = held.get(id);
    return waitingUntil === undefined ? undefined : { reason, waitsFor: 'person', waitingUntil };
  };
}

/** One hold for each setting that cannot be read, with all nodes whose pods stay, outdated or not; and one for all that may come back. */
export function unreadableHolds(targets: readonly NodeTarget[]): readonly Hold[] {
  const byCause = Map.groupBy(staying(targets), ({ why }) => why);
  const unreadable = [...byCause].map(([why, nodes]) => {
    const names = nodes.map(({ id }) => id).sort();
    const problem = `${why}. Pods stay as they are until that is corrected, or the setting is deleted`;
    return hold(reason, 'person', names, { problem }, true);
  });
  const lost = lostOn(targets).map(({ id, problem }) => hold(reason, 'person', [id], { problem }, true));
  return [...unreadable, ...joinHolds(lost)];
}

/** What {@link unreadableHolds} shows. */
export function withoutUnreadable(held: HeldTargets): HeldTargets {
  return held.filter(([, each]) => each.reason !== reason);
}

function staying(targets: readonly NodeTarget[]): readonly { readonly id: string; readonly why: string }[] {
  return targets.flatMap(({ target: { id }, pods: { kept }, overrides: { unreadable: why } }) =>
    kept === undefined || why === undefined ? [] : [{ id, why }],
  );
}

/** Nodes whose pod was made with a setting that may have gone with the definition of all of them. */
function lostOn(
  targets: readonly NodeTarget[],
): readonly { readonly id: string; readonly problem: string }[] {
  return targets.filter(staysAsMade).flatMap(({ target: { id }, overrides: { gone, lost, unreadable } }) => {
    if (gone === undefined || lost === undefined || unreadable !== undefined) return [];
    const problem = `the ExtendedDaemonsetSetting ${gone}, which the pod was made with, does not exist: ${lost}. Restore it, or delete the pod`;
    return [{ id, problem }];
  });
}
