import { describe, expect, it } from 'vitest';
import { FakeClock, systemClock } from '@atoll/kube';
import { InFlight, mostRequests } from './in-flight.ts';

async function run<T>(inFlight: InFlight, kind: string, work: () => Promise<T>): Promise<T> {
  const leave = await new Promise<() => void>((entered) => inFlight.enter(kind, entered));
  return work().finally(leave);
}

it('runs no more than the bound at once, in the order of arrival, also when some fail', async () => {
  const inFlight = new InFlight({ clock: systemClock, limit: 2 });
  const order: number[] = [];
  let open = 0;
  let most = 0;
  const work = (id: number) => async (): Promise<number> => {
    order.push(id);
    open += 1;
    most = Math.max(most, open);
    await Promise.resolve();
    open -= 1;
    if (id % 3 === 0) throw new Error(`${id} fails`);
    return id;
  };
  const results = await Promise.allSettled(
    Array.from({ length: 10 }, (_, id) => run(inFlight, 'pods', work(id))),
  );
  expect(most).toBe(2);
  expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(results.filter(({ status }) => status === 'rejected').length).toBe(4);
});

it('refuses a bound that would run nothing', () => {
  expect(() => new InFlight({ clock: systemClock, limit: 0 })).toThrow('a bound of 0 requests in flight');
});

describe('what is slow for one kind', () => {
  function rig(limit?: number) {
    const clock = new FakeClock();
    const inFlight = new InFlight({ clock, ...(limit === undefined ? {} : { limit }) });
    const open: string[] = [];
    const ends: (() => void)[] = [];
    const begin = (kind: string): void => {
      void run(inFlight, kind, async () => {
        open.push(kind);
        await new Promise<void>((end) => ends.push(end));
        open.splice(open.indexOf(kind), 1);
      });
    };
    const count = (kind: string): number => open.filter((each) => each === kind).length;
    return { clock, begin, count, open, ends };
  }

  it('keeps its place for two seconds, and then lets others in', async () => {
    const { clock, begin, count } = rig(2);
    for (const kind of ['deployments', 'deployments', 'deployments', 'nodes', 'nodes', 'nodes']) begin(kind);
    await clock.advance(1_999);
    expect([count('deployments'), count('nodes')]).toEqual([2, 0]);
    await clock.advance(1);
    expect([count('deployments'), count('nodes')]).toEqual([2, 2]);
  });

  it('goes on when one of its kind is answered', async () => {
    const { clock, begin, count, ends } = rig(2);
    for (let each = 0; each < 4; each += 1) begin('deployments');
    await clock.advance(2_000);
    ends[0]?.();
    await clock.advance(0);
    expect([count('deployments'), ends.length]).toEqual([2, 3]);
  });

  it('is bounded over all kinds: then all wait, until something is answered', async () => {
    const { clock, begin, open, ends } = rig();
    for (let each = 0; each < 200; each += 1) begin(`kind-${each % 10}`);
    for (let second = 0; second < 60; second += 1) await clock.advance(1_000);
    expect(open.length).toBe(mostRequests);
    while (ends.length > 0) {
      ends.shift()?.();
      await clock.advance(0);
    }
    expect(open).toEqual([]);
  });
});
