import { expect, it } from 'vitest';
import { toTimestamp } from '../../../engine/status/conditions.ts';
import { restartByOwnClock } from './restart-by-own-clock.ts';

const now = Date.parse('2026-01-01T00:00:00Z');
const hour = 3_600_000;
const restart = { at: now + hour, reason: 'Error', message: 'Pod p restarting with reason: Error' };

it('a restart of the past is as its pod says', () => {
  const past = { ...restart, at: now - 1 };
  expect(restartByOwnClock(past, undefined, now)).toBe(past);
  expect(restartByOwnClock(undefined, undefined, now)).toBeUndefined();
});

it('a restart that lies ahead is of the time when it was first seen, also when that time comes', () => {
  const seen = restartByOwnClock(restart, undefined, now);
  expect(seen).toEqual({
    ...restart,
    at: now,
    message: `${restart.message} (at 2026-01-01T01:00:00Z by the clock of its node, which is ahead)`,
  });
  const recorded = { message: seen?.message ?? '', lastUpdateTime: toTimestamp(now) };
  for (const later of [1_000, hour, 2 * hour]) {
    expect(restartByOwnClock(restart, recorded, now + later)?.at).toBe(now);
  }
});

it('another restart that lies ahead counts anew', () => {
  const recorded = {
    message: restartByOwnClock(restart, undefined, now)?.message ?? '',
    lastUpdateTime: toTimestamp(now),
  };
  const next = { ...restart, at: restart.at + 60_000 };
  expect(restartByOwnClock(next, recorded, now + 60_000)?.at).toBe(now + 60_000);
});
