import type { Instant } from '@atoll/kube';
import type { RefusedTrials } from '../../engine/refused-trials.ts';
import { untilNodeBack, type RolloutLimits } from '../../engine/rollout/choose-targets.ts';
import type { HoldRule } from '../../engine/rollout/target-hold.ts';
import { decideRolling, type Rolling } from '../rolling/decide-rolling.ts';
import type { Canary } from './canary.ts';

/**
 * The pods of a canary, on those of its nodes that are recorded as such, and nowhere else (BUG-7): all at once, as in the old operator. While it is
 * paused, or the object is held, nothing is deleted and nothing is made (BUG-14).
 */
export function rollCanary(
  { replicaSet, targets, verdict }: Pick<Canary, 'replicaSet' | 'targets' | 'verdict'>,
  recorded: ReadonlySet<string>,
  isHeld: boolean,
  { refused, now }: { readonly refused: RefusedTrials; readonly now: Instant },
): Rolling {
  const own = targets.filter(({ target }) => recorded.has(target.id));
  const unfit = new Map(
    own.flatMap(({ canBeMade, target }) =>
      canBeMade ? [] : [[target.id, target.reach === 'reachable' ? nodeTainted : untilNodeBack(target)]],
    ),
  );
  const holds: readonly HoldRule[] = [
    ...(verdict.is === 'paused' || isHeld ? [whilePaused] : []),
    ({ id }) => unfit.get(id),
  ];
  const limits: RolloutLimits = {
    unavailable: { value: '100%', base: 'all', rounding: 'up', atLeast: 1 },
    away: { countsForMs: 0 },
    order: [],
    called: 'canary nodes',
    holds,
  };
  return decideRolling(replicaSet, own, limits, {
    lastBatchAt: undefined,
    maxPodSchedulerFailure: '100%',
    refused,
    now,
  });
}

const whilePaused: HoldRule = () => ({
  reason: 'CanaryPaused',
  waitsFor: 'person',
  waitingUntil: 'a person lets the canary go on, validates it or changes the template',
});

const nodeTainted = {
  reason: 'NodeTainted',
  waitsFor: 'person',
  waitingUntil: 'the taint of the node is removed, or the template tolerates it',
} as const;
