import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundle } from './bundle.ts';
import { programs } from './programs.ts';

const newFolder = (): string => mkdtempSync(join(tmpdir(), 'atoll-build-'));
const folders = [newFolder(), newFolder()] as const;

beforeAll(async () => {
  for (const folder of folders) for (const program of programs) await bundle(program, folder);
}, 120_000);

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function filesOf(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .toSorted();
}

it('gives the same bytes twice', () => {
  const [one, two] = folders;
  const files = filesOf(one);
  expect(files).toEqual(filesOf(two));
  expect(files).toEqual(
    expect.arrayContaining(programs.flatMap(({ name }) => [`${name}.mjs`, `${name}.mjs.map`])),
  );
  const differ = files.filter((file) => !readFileSync(join(one, file)).equals(readFileSync(join(two, file))));
  expect(differ).toEqual([]);
});

describe.each(programs.map(({ name }) => name))('%s', (name) => {
  const file = join(folders[0], `${name}.mjs`);

  it('runs outside of this project, as JavaScript', async () => {
    const args = ['--no-strip-types', file, '--help'];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: tmpdir() });
    expect(stdout).toContain(`Usage: ${name}`);
  });

  it('imports nothing but what is built into Node, and says nothing of where it was built', () => {
    const code = readFileSync(file, 'utf8');
    const imported = [...code.matchAll(/^import\s[^;]*?from "(.*?)";$/gm)].map(([, from = '']) => from);
    expect(imported).not.toEqual([]);
    expect(imported.filter((from) => !builtinModules.includes(from.replace(/^node:/, '')))).toEqual([]);
    expect(code.includes(process.cwd())).toBe(false);
    const { sources } = JSON.parse(readFileSync(`${file}.map`, 'utf8')) as { readonly sources: string[] };
    expect(sources.filter((path) => !/^(packages|node_modules)\//.test(path))).toEqual([]);
  });
});
