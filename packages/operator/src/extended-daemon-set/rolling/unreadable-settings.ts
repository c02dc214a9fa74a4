import { hold, type Hold } from '../../engine/hold.ts';
import type { HeldTargets, HoldRule } from '../../engine/rollout/target-hold.ts';
import type { NodeTarget } from '../fleet/node-targets.ts';

const reason = 'SettingUnreadable';

/** Pods stay where a setting that cannot be read may be the node's: what replaces them might be made without it. Where none runs, one is made. */
export function whereUnreadable(targets: readonly NodeTarget[]): HoldRule {
  const held = new Map(staying(targets).map(({ target, why }) => [target.id, why]));
  return ({ id }) => {
    const why = held.get(id);
    return why === undefined
      ? undefined
      : { reason, waitsFor: 'person', waitingUntil: `that is corrected: ${why}` };
  };
}

/** One hold for each of these settings, with all nodes whose pods stay, outdated or not. */
export function unreadableHolds(targets: readonly NodeTarget[]): readonly Hold[] {
  const byCause = Map.groupBy(staying(targets), ({ why }) => why);
  return [...byCause].map(([why, nodes]) => {
    const names = nodes.map(({ target }) => target.id).sort();
    const problem = `${why}. Pods stay as they are until that is corrected, or the setting is deleted`;
    return hold(reason, 'person', names, { problem }, true);
  });
}

/** What {@link unreadableHolds} shows. */
export function withoutUnreadable(held: HeldTargets): HeldTargets {
  return held.filter(([, each]) => each.reason !== reason);
}

function staying(
  targets: readonly NodeTarget[],
): readonly (Pick<NodeTarget, 'target'> & { readonly why: string })[] {
  return targets.flatMap(({ target, pods: { kept }, overrides: { unreadable: why } }) =>
    kept === undefined || why === undefined ? [] : [{ target, why }],
  );
}
