import { ApiError } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import { names, rolledOut } from './rolled-out.fixture.ts';

const attempted = 'patch extendeddaemonsetreplicasets edge/agent-1';

function refused(code: number, message: string): ApiError {
  return new ApiError({ fate: 'refused', code, reason: 'Forbidden', attempted, message });
}

const denied = refused(403, 'a policy denied the request');

/** Ten minutes between two batches, and rounds of 15 s. */
const slow = { everyMs: 15_000, rounds: 250, reconcileFrequency: '10m' } as const;
const intervalMs = 10 * 60_000;

/** The shortest time between two deletions. */
function shortestOf(deletedAt: readonly number[]): number {
  return Math.min(...deletedAt.slice(1).map((at, index) => at - (deletedAt[index] ?? 0)));
}

describe('where it cannot be recorded when a batch is deleted', () => {
  it.each<readonly [string, () => ApiError | 'conflict']>([
    ['that is refused', () => denied],
    ['that is not valid', () => refused(422, 'status: Invalid value')],
    ['the API server fails', () => refused(500, 'etcd')],
    ['somebody else writes it each time', () => 'conflict'],
  ])('because %s, outdated pods stay, and those that are missing are made', (_, recorded) => {
    const { on, deletedAt } = rolledOut({ ...slow, rounds: 100, empty: ['a', 'c'], recorded });
    expect(deletedAt).toEqual([]);
    expect(on).toEqual(['a', 'c']);
  });

  it('the status reports what stays, and the words of the API server', () => {
    const { conditions } = rolledOut({ ...slow, rounds: 10, recorded: () => denied });
    const why = 'outdated pods stay until the time of their deletion can be recorded';
    expect(new Set(conditions)).toEqual(new Set([`${attempted}: ${why}: a policy denied the request`]));
  });

  it('the rollout goes on with the next one that is recorded, and keeps the interval', () => {
    const isRefused = (round: number): boolean => round > 45 && round < 100;
    const { on, deletedAt } = rolledOut({
      ...slow,
      recorded: (round) => (isRefused(round) ? denied : 'done'),
    });
    expect(on).toEqual(names);
    expect(shortestOf(deletedAt)).toBeGreaterThanOrEqual(intervalMs);
    const [, , third, fourth] = deletedAt.map((at) => (at - (deletedAt[0] ?? 0)) / slow.everyMs);
    expect(third).toBe(100);
    expect(fourth).toBe(141);
  });

  it('a conflict now and then costs no batch its time', () => {
    const every = { everyMs: 1_000, rounds: 120 } as const;
    const without = rolledOut(every).deletedAt;
    const { deletedAt } = rolledOut({
      ...every,
      recorded: (round) => (round % 3 === 0 ? 'conflict' : 'done'),
    });
    expect(deletedAt).toHaveLength(names.length);
    for (const [index, at] of deletedAt.entries()) {
      // A round stands for the retry, which follows at once.
      expect(at - (without[index] ?? 0)).toBeLessThanOrEqual(every.everyMs * (index + 1));
    }
  });

  it('an answer that is lost costs an interval where it cannot be read back, and no spacing', () => {
    const { on, deletedAt } = rolledOut({ ...slow, recorded: (round) => (round === 0 ? 'lost' : 'done') });
    expect(on).toEqual(names);
    expect(deletedAt[0]).toBeGreaterThanOrEqual(intervalMs);
    expect(shortestOf(deletedAt)).toBeGreaterThanOrEqual(intervalMs);
  });
});
