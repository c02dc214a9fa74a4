import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../checks.ts';
import { programFile } from './program-file.ts';
import { programs } from './programs.ts';

it.each(programs.map(({ name }) => name))('%s is its source', (name) => {
  const file = programFile(name, {});
  expect(file).toMatch(/\/packages\/.*\.ts$/);
  expect(existsSync(file)).toBe(true);
});

it('is the bundle where ATOLL_DIST=1 asks for it, and a message where that is not built', () => {
  const folder = mkdtempSync(join(tmpdir(), 'atoll-dist-'));
  try {
    const file = (): string => programFile('atoll-agent', { ATOLL_DIST: '1' }, folder);
    expect(file).toThrow(/atoll-agent\.mjs, which is not built: npm run build$/);
    writeFileSync(join(folder, 'atoll-agent.mjs'), '');
    expect(file()).toBe(join(folder, 'atoll-agent.mjs'));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('nothing else names the file of a program, so that ATOLL_DIST=1 reaches all that starts one', () => {
  const entries = programs.map(({ name }) => relative(join(root, 'packages'), programFile(name, {})));
  const endings = entries.map((path) => path.split('/').slice(1).join('/'));
  const named = (text: string): boolean =>
    // Joined from parts, or in one piece.
    endings.some((ending) => text.replaceAll(/['"`],\s*['"`]/g, '/').includes(ending));
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.ts'], { cwd: root });
  const others = String(files)
    .split('\n')
    .filter((path) => path !== '' && !path.startsWith('scripts/build/') && existsSync(join(root, path)))
    .filter((path) => named(readFileSync(join(root, path), 'utf8')));
  expect(others).toEqual([]);
});
