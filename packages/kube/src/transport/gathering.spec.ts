import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Gathering } from './gathering.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function gathering() {
  const calls: string[] = [];
  const gatherer = new Gathering((held) => calls.push(held ? 'hold' : 'go on'));
  const receive = async (...pieces: readonly (readonly [at: number, bytes: number])[]): Promise<void> => {
    for (const [at, bytes] of pieces) gatherer.received(bytes, at);
    await vi.advanceTimersByTimeAsync(0);
  };
  return { gatherer, calls, receive };
}

it('delivers a quiet stream immediately', async () => {
  const { calls, receive } = gathering();
  await receive([0, 100]);
  await receive([1_000, 100]);
  await receive([2_000, 100]);
  expect(calls).toEqual([]);
});

it('holds a busy stream for 50 ms, once for all that comes together', async () => {
  const { calls, receive } = gathering();
  await receive([0, 100]);
  await receive([10, 100], [10, 100], [10, 100]);
  expect(calls).toEqual(['hold']);
  await vi.advanceTimersByTimeAsync(49);
  expect(calls).toEqual(['hold']);
  await vi.advanceTimersByTimeAsync(1);
  expect(calls).toEqual(['hold', 'go on']);
  await receive([60, 100]);
  expect(calls).toEqual(['hold', 'go on', 'hold']);
});

it('reads on as long as one turn brings plenty', async () => {
  const { calls, receive } = gathering();
  for (let at = 0; at < 100; at += 10) await receive([at, 40 * 1024], [at, 24 * 1024]);
  await vi.advanceTimersByTimeAsync(100);
  expect(calls).toEqual([]);
  await receive([101, 40 * 1024]);
  expect(calls).toEqual(['hold']);
});

it('lets nothing go on after the end', async () => {
  const { gatherer, calls, receive } = gathering();
  await receive([0, 100], [1, 100]);
  gatherer.end();
  await vi.advanceTimersByTimeAsync(100);
  expect(calls).toEqual(['hold']);
});
