import { silentLogger } from '@atoll/kube';
import { Announcer } from '../../src/engine/announce.ts';
import { noMetrics } from '../../src/engine/engine.fixture.ts';
import { chooseTargets, type RolloutLimits } from '../../src/engine/rollout/choose-targets.ts';
import { target } from '../../src/engine/rollout/target.fixture.ts';
import { joinTargetHolds } from '../../src/engine/rollout/target-hold.ts';
import type { Target } from '../../src/engine/rollout/target.ts';

const now = Date.parse('2026-11-01T10:00:00Z');
const one: RolloutLimits['unavailable'] = { value: 1, base: 'all', rounding: 'up', atLeast: 0 };
const away = { countsForMs: 60_000 };

/** The messages of rollouts with limits: targets a and b are to be changed. */
export function rolloutStates(): readonly string[] {
  return [
    state('one may be unavailable, and one is changed', [target('a'), target('b')]),
    state('one may be unavailable, and two are', [broken('a'), broken('b')]),
    state('none may be unavailable', [target('a'), target('b')], { unavailable: { ...one, value: 0 } }),
    state('what ran on a target is being deleted', [target('a', { health: 'gone' })]),
    state('the node of a target is not Ready', [target('a', { reach: { awaySince: now - 5_000 } })]),
    state('one may be created at once', [target('a', missing), target('b', missing)], {
      creations: { atMost: 1 },
    }),
    state(
      'the interval between two batches is not over',
      [target('a'), target('b')],
      { batches: { everyMs: 60_000 } },
      now - 5_000,
    ),
  ];
}

const missing = { at: 'nothing', health: 'gone' } as const;

function broken(id: string): Target {
  return target(id, { at: { revision: 'new' }, wanted: 'newest', health: 'broken' });
}

function state(
  title: string,
  targets: readonly Target[],
  limits: Partial<RolloutLimits> = {},
  lastBatchAt?: number,
): string {
  const all: RolloutLimits = { unavailable: one, away, order: [], holds: [], ...limits };
  const { byTarget } = chooseTargets({ targets, limits: all, now, lastBatchAt });
  const held = [...byTarget].flatMap(([id, answer]) => (answer.do === 'hold' ? [[id, answer] as const] : []));
  const lines: string[] = [];
  const announcer = new Announcer({
    log: silentLogger,
    metrics: noMetrics,
    recordEvent: ({ type, reason, note }) => void lines.push(`event ${type} ${reason}: ${note}`),
  });
  const subject = { apiVersion: '', kind: '', name: 'web', uid: 'web' };
  announcer.holds({ controller: 'any', key: 'ns/web', subject }, joinTargetHolds(held));
  return [title, ...lines].join('\n  ');
}
