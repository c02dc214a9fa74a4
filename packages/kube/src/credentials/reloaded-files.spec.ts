import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { silentLogger } from '../telemetry/logger.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { ReloadedFiles } from './reloaded-files.ts';

it('of a file system that does not answer the last text is used, and what it answers later', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'reloaded-'));
  onTestFinished(async () => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'token');
  await writeFile(path, 'one');
  const clock = new FakeClock();
  const files = new ReloadedFiles([{ from: 'file', path }], 'token', {
    check: undefined,
    clock,
    logger: silentLogger,
  });
  expect(await files.read()).toEqual(['one']);
  // Opening a pipe waits for who writes to it.
  await rm(path);
  execFileSync('mkfifo', [path]);
  await clock.advance(10_000);
  const waiting = [files.read(), files.read()];
  await clock.advance(1_000);
  expect(await Promise.all(waiting)).toEqual([['one'], ['one']]);
  // Nobody waits again for a while.
  expect(await files.read()).toEqual(['one']);
  expect(clock.pending).toBe(0);
  await writeFile(path, 'two');
  await expect.poll(async () => files.read()).toEqual(['two']);
});
