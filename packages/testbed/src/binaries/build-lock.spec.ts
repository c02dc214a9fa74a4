import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, lstatSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { identifyProcess } from '../supervisor/process-identity.ts';
import { withLock } from './build-lock.ts';

describe('the lock', () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'atoll-lock-'));
    file = join(folder, 'nested', 'lock');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('is there during the work and gone after it, even when the work fails', async () => {
    await expect(withLock(file, async () => Promise.resolve(existsSync(file)))).resolves.toBe(true);
    await expect(withLock(file, async () => Promise.reject(new Error('no luck')))).rejects.toThrow('no luck');
    expect(existsSync(file)).toBe(false);
  });

  it('is waited for while its holder lives, and taken when the holder is gone', async () => {
    const holder = spawn('sleep', ['300']);
    await once(holder, 'spawn');
    await withLock(file, async () => Promise.resolve());
    writeFileSync(file, JSON.stringify(identifyProcess(holder.pid ?? 0)));
    const waited: number[] = [];
    const done = withLock(file, async () => Promise.resolve('done'), {
      everyMs: 5,
      onWait: (pid) => {
        waited.push(pid);
        if (waited.length === 3) holder.kill('SIGKILL');
      },
    });
    await expect(done).resolves.toBe('done');
    expect(waited.slice(0, 3)).toEqual([holder.pid, holder.pid, holder.pid]);
  });

  it.each([
    ['of a process that ended', JSON.stringify({ pid: 2 ** 22 + 1, started: '1' })],
    ['of an earlier process with the same number', JSON.stringify({ pid: process.pid, started: 'long ago' })],
    ['that is no lock', 'garbage'],
  ])('%s is taken over', async (_, content) => {
    await withLock(file, async () => Promise.resolve());
    writeFileSync(file, content);
    await expect(withLock(file, async () => Promise.resolve('done'))).resolves.toBe('done');
  });

  it('keeps two workers of one process apart', async () => {
    let inside = 0;
    let most = 0;
    const work = async (): Promise<void> => {
      most = Math.max(most, (inside += 1));
      await new Promise((resolve) => setImmediate(resolve));
      inside -= 1;
    };
    await Promise.all(Array.from({ length: 5 }, async () => withLock(file, work, { everyMs: 1 })));
    expect(most).toBe(1);
  });

  it('is not waited for without end, and the error says what holds it', async () => {
    await withLock(file, async () => Promise.resolve());
    writeFileSync(file, JSON.stringify(identifyProcess(process.ppid)));
    await expect(
      withLock(file, async () => Promise.resolve(), { longestMs: 20, everyMs: 5 }),
    ).rejects.toThrow(`process ${process.ppid} still holds ${file} after `);
    expect(existsSync(file)).toBe(true);
  });

  it.each<[string, () => void]>([
    ['a folder', () => mkdirSync(file)],
    ['a link to nothing', () => symlinkSync(`${file}-of-nobody`, file)],
  ])('is not waited for where it cannot be read: %s', async (_, make) => {
    await withLock(file, async () => Promise.resolve());
    make();
    await expect(withLock(file, async () => Promise.resolve())).rejects.toThrow(
      `the lock ${file} cannot be read, so what holds it is not known: remove it if no other process uses it (E`,
    );
    expect(lstatSync(file).isFile()).toBe(false);
  });

  it('can be given up', async () => {
    const holder = identifyProcess(process.ppid);
    await withLock(file, async () => Promise.resolve());
    writeFileSync(file, JSON.stringify(holder));
    const signal = AbortSignal.timeout(20);
    await expect(withLock(file, async () => Promise.resolve(), { signal, everyMs: 5 })).rejects.toThrow(
      'aborted',
    );
    expect(existsSync(file)).toBe(true);
  });
});
