import { expect, it } from 'vitest';
import { InFlight } from './in-flight.ts';

it('runs no more than the bound at once, in the order of arrival, also when some fail', async () => {
  const inFlight = new InFlight(2);
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
  const results = await Promise.allSettled(Array.from({ length: 10 }, (_, id) => inFlight.run(work(id))));
  expect(most).toBe(2);
  expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(results.filter(({ status }) => status === 'rejected').length).toBe(4);
});

it('refuses a bound that would run nothing', () => {
  expect(() => new InFlight(0)).toThrow('a bound of 0 requests in flight');
});
