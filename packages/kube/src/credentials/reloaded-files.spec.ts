import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
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

it('files that belong together take one thread where their file system does not answer', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'reloaded-'));
  onTestFinished(async () => rm(folder, { recursive: true, force: true }));
  const [certificate, key] = [join(folder, 'tls.crt'), join(folder, 'tls.key')];
  execFileSync('mkfifo', [certificate, key]);
  const files = new ReloadedFiles(
    [certificate, key].map((path) => ({ from: 'file', path })),
    'client certificate',
    { check: undefined, clock: new FakeClock(), logger: silentLogger },
  );
  const reading = files.read();
  // A pipe that nobody reads cannot be opened for writing without waiting.
  const toWrite = constants.O_WRONLY | constants.O_NONBLOCK;
  const writer = await vi.waitFor(() => openSync(certificate, toWrite), { timeout: 60_000 });
  expect(() => openSync(key, toWrite)).toThrow('ENXIO');
  writeSync(writer, 'one');
  closeSync(writer);
  await writeFile(key, 'two');
  expect(await reading).toEqual(['one', 'two']);
});

it('of a file that has become too large the last text is used', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'reloaded-'));
  onTestFinished(async () => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'token');
  await writeFile(path, 'one');
  const warned: unknown[] = [];
  const logger = { ...silentLogger, warn: (fields: object) => void warned.push(fields) };
  const files = new ReloadedFiles([{ from: 'file', path }], 'token', {
    check: undefined,
    clock: new FakeClock(),
    logger,
  });
  expect(await files.read()).toEqual(['one']);
  await truncate(path, 16 * 1024 * 1024 + 1);
  files.expire();
  expect(await files.read()).toEqual(['one']);
  expect(String((warned[0] as { err: unknown }).err)).toContain(`cannot read ${path}: it has more than`);
});
