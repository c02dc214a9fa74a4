import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Gathering } from './gathering.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function gathering() {
  const said: string[] = [];
  const gatherer = new Gathering((held) => said.push(held ? 'hold' : 'go on'));
  const hear = async (...pieces: readonly (readonly [at: number, bytes: number])[]): Promise<void> => {
    for (const [at, bytes] of pieces) gatherer.heard(bytes, at);
    await vi.advanceTimersByTimeAsync(0);
  };
  return { gatherer, said, hear };
}

it('delivers a quiet stream immediately', async () => {
  const { said, hear } = gathering();
  await hear([0, 100]);
  await hear([1_000, 100]);
  await hear([2_000, 100]);
  expect(said).toEqual([]);
});

it('holds a busy stream for 50 ms, once for all that comes together', async () => {
  const { said, hear } = gathering();
  await hear([0, 100]);
  await hear([10, 100], [10, 100], [10, 100]);
  expect(said).toEqual(['hold']);
  await vi.advanceTimersByTimeAsync(49);
  expect(said).toEqual(['hold']);
  await vi.advanceTimersByTimeAsync(1);
  expect(said).toEqual(['hold', 'go on']);
  await hear([60, 100]);
  expect(said).toEqual(['hold', 'go on', 'hold']);
});

it('reads on as long as one turn brings plenty', async () => {
  const { said, hear } = gathering();
  for (let at = 0; at < 100; at += 10) await hear([at, 40 * 1024], [at, 24 * 1024]);
  await vi.advanceTimersByTimeAsync(100);
  expect(said).toEqual([]);
  await hear([101, 40 * 1024]);
  expect(said).toEqual(['hold']);
});

it('lets nothing go on after the end', async () => {
  const { gatherer, said, hear } = gathering();
  await hear([0, 100], [1, 100]);
  gatherer.end();
  await vi.advanceTimersByTimeAsync(100);
  expect(said).toEqual(['hold']);
});
