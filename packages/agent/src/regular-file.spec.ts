import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readRegularFile, readRegularFileSync } from './regular-file.ts';

let path: string;

beforeEach(() => {
  path = join(mkdtempSync(join(tmpdir(), 'atoll-agent-')), 'file');
});

afterEach(() => {
  rmSync(join(path, '..'), { recursive: true });
});

describe.each<readonly [string, (path: string, atMostBytes: number) => Promise<string>]>([
  ['readRegularFile', readRegularFile],
  ['readRegularFileSync', async (...args) => readRegularFileSync(...args)],
])('%s', (_, read) => {
  it('reads a file, and one that a link leads to', async () => {
    writeFileSync(path, 'text');
    symlinkSync(path, `${path}.link`);
    expect(await read(path, 4)).toBe('text');
    expect(await read(`${path}.link`, 4)).toBe('text');
  });

  it.each<readonly [string, string, () => void]>([
    [
      'a pipe that nobody writes to',
      'it is a pipe; use a regular file',
      () => execFileSync('mkfifo', [path]),
    ],
    ['a device', 'it is a device; use a regular file', () => symlinkSync('/dev/zero', path)],
    ['a directory', 'it is a directory', () => mkdirSync(path)],
    [
      'a file that is too large',
      'it has 1099511627776 bytes; at most 4 are read',
      () => {
        writeFileSync(path, '');
        truncateSync(path, 2 ** 40);
      },
    ],
  ])('refuses %s: %s', async (__, why, make) => {
    make();
    await expect(read(path, 4)).rejects.toThrow(why);
  });
});
