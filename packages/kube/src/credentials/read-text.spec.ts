import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readText } from './read-text.ts';

it('reads as much as it may, and refuses more', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'text-'));
  onTestFinished(async () => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'file');
  await writeFile(path, '');
  expect(await readText(path, 4)).toBe('');
  await writeFile(path, 'four');
  expect(await readText(path, 4)).toBe('four');
  await writeFile(path, 'fives');
  await expect(readText(path, 4)).rejects.toThrow('it has more than 4 bytes');
  await expect(readText('/dev/zero', 4)).rejects.toThrow('it has more than 4 bytes');
  await expect(readText(folder, 4)).rejects.toThrow('EISDIR');
});
