import fc from 'fast-check';
import { expect, it } from 'vitest';
import { InFlightLimit } from './in-flight-limit.ts';

it('never lets more in than its limit, and everybody in the end, in order', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 0, max: 30 }),
      async (limit, count) => {
        const door = new InFlightLimit(limit);
        const order: number[] = [];
        let most = 0;
        await Promise.all(
          Array.from({ length: count }, async (_, index) => {
            expect(await door.enter()).toBe(true);
            order.push(index);
            most = Math.max(most, door.held);
            await Promise.resolve();
            door.leave();
          }),
        );
        expect(most).toBeLessThanOrEqual(limit);
        expect(order).toEqual(order.toSorted((a, b) => a - b));
        expect([door.held, door.waiting, order.length]).toEqual([0, 0, count]);
      },
    ),
  );
});

it('drops requests that gave up waiting', async () => {
  const door = new InFlightLimit(1);
  await door.enter();
  const ending = new AbortController();
  const waiting = door.enter(ending.signal);
  ending.abort();
  expect(await waiting).toBe(false);
  door.leave();
  expect([door.held, door.waiting]).toEqual([0, 0]);
  expect(await door.enter(ending.signal)).toBe(false);
});
