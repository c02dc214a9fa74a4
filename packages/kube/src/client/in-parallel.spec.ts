import { expect, test } from 'vitest';
import { inParallel } from './in-parallel.ts';

test('each item is worked on once, never more than so many at a time, and answered in order', async () => {
  const done: string[] = [];
  let [busy, most] = [0, 0];
  const answers = await inParallel(['a', 'b', 'c', 'd', 'e'], 2, async (item, index) => {
    most = Math.max(most, ++busy);
    for (let turns = index === 0 ? 3 : 1; turns > 0; turns--) await new Promise(setImmediate);
    busy--;
    done.push(`${index}${item}`);
    return item.toUpperCase();
  });
  expect(done.toSorted()).toEqual(['0a', '1b', '2c', '3d', '4e']);
  expect(done[0]).not.toBe('0a');
  expect(most).toBe(2);
  expect(answers).toEqual(['A', 'B', 'C', 'D', 'E']);
});

test('a failure is reported, and nothing is begun after it', async () => {
  const begun: number[] = [];
  const work = async (item: number): Promise<void> => {
    begun.push(item);
    await new Promise(setImmediate);
    if (item === 2) throw new Error('refused');
  };
  await expect(inParallel([1, 2, 3, 4, 5], 2, work)).rejects.toThrow('refused');
  await new Promise(setImmediate);
  expect(begun.filter((item) => item > 3)).toEqual([]);
});
