import { silentLogger } from '@atoll/kube';
import { FakeClock, flushTasks } from '@atoll/kube/testing';
import { expect, it } from 'vitest';
import type { AgentState } from './state-file.ts';
import { StateSaver } from './state-saver.ts';

function world() {
  const clock = new FakeClock();
  const writes: number[] = [];
  const disk = { isFull: false };
  const most = { now: 0, atOnce: 0 };
  const file = {
    path: 'state',
    write: async (state: AgentState) => {
      if (disk.isFull) throw new Error('no space left on device');
      most.now += 1;
      most.atOnce = Math.max(most.atOnce, most.now);
      await flushTasks();
      most.now -= 1;
      writes.push(state.pods?.length ?? -1);
    },
  };
  const results: string[] = [];
  const state: AgentState = { nodeName: 'node-1', pods: [], upgrades: [] };
  const saver = new StateSaver({
    file,
    state: () => state,
    clock,
    logger: silentLogger,
    wrote: (result) => void results.push(result),
  });
  const pass = async (milliseconds: number): Promise<void> => clock.advance(milliseconds);
  return { saver, writes, results, disk, most, pass };
}

it('writes soon the first time, then once in ten seconds', async () => {
  const { saver, writes, pass } = world();
  saver.changed();
  saver.changed();
  await pass(100);
  expect(writes).toHaveLength(1);
  saver.changed();
  await pass(9_000);
  saver.changed();
  expect(writes).toHaveLength(1);
  await pass(1_000);
  expect(writes).toHaveLength(2);
  await pass(60_000);
  expect(writes).toHaveLength(2);
});

it('writes at once where that is asked for, and one write at a time', async () => {
  const { saver, writes, most, pass } = world();
  saver.changed();
  await pass(100);
  saver.changed();
  const first = saver.flush();
  await Promise.resolve();
  expect(most.now).toBe(1);
  saver.changed();
  await Promise.all([first, saver.flush(), saver.flush()]);
  expect(writes).toHaveLength(3);
  expect(most.atOnce).toBe(1);
  await pass(60_000);
  expect(writes).toHaveLength(3);
});

it('tries again after half a minute where the disk is full', async () => {
  const { saver, writes, results, disk, pass } = world();
  disk.isFull = true;
  saver.changed();
  await pass(100);
  disk.isFull = false;
  await pass(29_000);
  expect(results).toEqual(['failed']);
  await pass(1_000);
  expect(writes).toHaveLength(1);
});

it('returns to who waits for it why the state is not on disk', async () => {
  const { saver, disk, pass } = world();
  expect(await saver.flush()).toBeUndefined();
  disk.isFull = true;
  saver.changed();
  await pass(100);
  expect(await saver.flush()).toEqual(new Error('no space left on device'));
  disk.isFull = false;
  expect(await saver.flush()).toBeUndefined();
});

it('writes what is left when it is asked to end', async () => {
  const { saver, writes } = world();
  saver.changed();
  await saver.flush();
  expect(writes).toHaveLength(1);
});

it.each([true, false])('tries no more after the last time; a disk that is full: %s', async (isFull) => {
  const { saver, writes, results, disk, pass } = world();
  disk.isFull = isFull;
  saver.changed();
  await pass(100);
  saver.changed();
  const closed = saver.close();
  saver.changed();
  expect(await closed).toEqual(isFull ? new Error('no space left on device') : undefined);
  disk.isFull = false;
  await pass(600_000);
  expect([results, writes.length]).toEqual(isFull ? [['failed', 'failed'], 0] : [['ok', 'ok'], 2]);
});
