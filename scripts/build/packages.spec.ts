import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from '../checks.ts';
import { packPackages, packedPackages } from './packages.ts';
import { withUmask } from './umask.fixture.ts';

const work = mkdtempSync(join(tmpdir(), 'atoll-packages-'));
let first: readonly string[] = [];

beforeAll(async () => {
  first = await packPackages(join(work, 'first'));
  for (const [index, file] of first.entries()) {
    const folder = unpacked(packedPackages[index]?.name ?? '');
    mkdirSync(folder);
    execFileSync('tar', ['xzf', file, '-C', folder, '--strip-components=1']);
  }
}, 600_000);

afterAll(() => {
  rmSync(work, { recursive: true, force: true });
});

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly engines?: { readonly node?: string };
}

const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;

/** Of `>=22.19.0` 22019; 0 where there is no such number. */
function leastOf(range = ''): number {
  const [, major = 0, minor = 0] = /^>= ?(\d+)(?:\.(\d+))?/.exec(range) ?? [];
  return Number(major) * 1000 + Number(minor);
}

const unpacked = (name: string): string => join(work, name);

it('gives the same bytes twice, whatever the umask, and leaves nothing else', async () => {
  const second = await withUmask(0o077, async () => packPackages(join(work, 'second')));
  expect(readdirSync(join(work, 'second'))).toEqual(second.map((file) => basename(file)));
  for (const [index, file] of second.entries())
    expect(readFileSync(file).equals(readFileSync(first[index] ?? ''))).toBe(true);
});

describe.each(packedPackages.map(({ name }) => name))('%s', (name) => {
  const folder = unpacked(name);
  const files = (ending: string): readonly string[] =>
    readdirSync(join(folder, 'src'), { recursive: true, encoding: 'utf8' }).filter((path) =>
      path.endsWith(ending),
    );
  const text = (path: string): string => readFileSync(join(folder, path), 'utf8');

  it('has JavaScript, declarations and maps with the sources, and no source or spec as a file', () => {
    const code = files('.js').map((path) => path.replace(/\.js$/, ''));
    expect(code).toContain('index');
    expect(files('.d.ts').map((path) => path.replace(/\.d\.ts$/, ''))).toEqual(code);
    expect(files('.ts').filter((path) => !path.endsWith('.d.ts'))).toEqual([]);
    expect(code.filter((path) => /\.(spec|fixture)$/.test(path))).toEqual([]);
    for (const path of files('.js.map')) {
      const { sources, sourcesContent = [] } = JSON.parse(text(`src/${path}`)) as {
        readonly sources: readonly string[];
        readonly sourcesContent?: readonly (string | null)[];
      };
      expect(sourcesContent.filter((content) => content !== null)).toHaveLength(sources.length);
      expect(sources).toEqual([basename(path).replace(/\.js\.map$/, '.ts')]);
    }
  });

  it('imports what it depends on, and nothing else', () => {
    const { dependencies } = JSON.parse(text('package.json')) as { readonly dependencies: object };
    const imported = new Set(
      [...files('.js'), ...files('.d.ts')].flatMap((path) =>
        [...text(`src/${path}`).matchAll(/^(?:import|export)\s[^;'"]*?from '([^'.][^']*)'/gm)].map(
          ([, from = '']) => from,
        ),
      ),
    );
    const packages = [...imported]
      .filter((from) => !builtinModules.includes(from.replace(/^node:/, '')))
      .map((from) => /^(@[^/]+\/)?[^/]+/.exec(from)?.[0] ?? from);
    expect(packages).not.toEqual([]);
    expect(packages.filter((from) => !Object.hasOwn(dependencies, from))).toEqual([]);
  });

  it('asks for a Node on which its dependencies run', () => {
    const { dependencies, engines } = manifestOf(folder);
    const asked = Object.keys(dependencies)
      .filter((each) => !each.startsWith('@atoll/'))
      .map((each) => manifestOf(join(root, 'node_modules', each)).engines?.node);
    const least = leastOf(engines?.node);
    expect(least).toBeGreaterThan(0);
    expect(asked.filter((each) => leastOf(each) > least)).toEqual([]);
  });

  it('has a README without links out of the package, and the licence', () => {
    expect(text('README.md')).toContain(`# @atoll/${name}`);
    expect(text('README.md')).not.toContain('](../');
    expect(text('LICENSE')).toContain('Apache License');
  });

  it('holds nothing of where it was built', () => {
    for (const path of [...files('.js'), ...files('.d.ts'), ...files('.map')])
      expect(text(`src/${path}`).includes(process.cwd()), path).toBe(false);
  });
});
