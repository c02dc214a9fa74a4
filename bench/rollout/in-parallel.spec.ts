import { expect, test } from 'vitest';
import { inParallel } from './in-parallel.ts';

test('each item is worked on once, and never more than so many at a time', async () => {
  const done: string[] = [];
  let [busy, most] = [0, 0];
  await inParallel(['a', 'b', 'c', 'd', 'e'], 2, async (item, index) => {
    most = Math.max(most, ++busy);
    await new Promise(setImmediate);
    busy--;
    done.push(`${index}${item}`);
  });
  expect(done.toSorted()).toEqual(['0a', '1b', '2c', '3d', '4e']);
  expect(most).toBe(2);
});

test('a failure is reported', async () => {
  const work = async (item: number): Promise<void> => {
    if (item === 2) throw new Error('refused');
    return Promise.resolve();
  };
  await expect(inParallel([1, 2, 3], 2, work)).rejects.toThrow('refused');
});
