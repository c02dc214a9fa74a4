import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { headingAnchors, linksOf, namedPaths } from './links.ts';

const root = join(import.meta.dirname, '..');
const listed = spawnSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], {
  cwd: root,
});
const documents = String(listed.stdout)
  .split('\n')
  .filter((path) => path !== '' && existsSync(join(root, path)));
const scriptsOf = (folder: string): readonly string[] => {
  const text = readFileSync(join(root, folder, 'package.json'), 'utf8');
  return Object.keys((JSON.parse(text) as { readonly scripts: object }).scripts);
};
const scripts = [...scriptsOf(''), ...scriptsOf('examples/operator')];

describe.each(documents)('%s', (path) => {
  const text = readFileSync(join(root, path), 'utf8');

  it('links to files and headings that are there', () => {
    const broken = linksOf(text).filter((link) => {
      const [file = '', anchor] = link.split('#');
      const target = file === '' ? path : join(dirname(path), file);
      if (!existsSync(join(root, target))) return true;
      if (anchor === undefined) return false;
      return !headingAnchors(readFileSync(join(root, target), 'utf8')).includes(anchor);
    });
    expect(broken).toEqual([]);
  });

  // What a changelog or a report of the past names may be gone.
  it.skipIf(path === 'CHANGELOG.md' || path.startsWith('docs/reports/'))(
    'names tests and commands that are there',
    () => {
      const gone = namedPaths(text).filter((named) => !existsSync(join(root, named)));
      const commands = [...text.matchAll(/npm run (?:-s )?([a-z:]+)/g)].map(([, name = '']) => name);
      expect([gone, commands.filter((name) => !scripts.includes(name))]).toEqual([[], []]);
    },
  );
});

describe('the index of the documents', () => {
  const index = 'docs/README.md';

  it('leads to every page', () => {
    expect(documents.length).toBeGreaterThan(40);
    const found = reachedFrom(index);
    const pages = documents.filter((path) => path.startsWith('docs/'));
    expect(pages.filter((path) => !found.has(path))).toEqual([]);
  });

  it('names every decision in the list of decisions', () => {
    const folder = 'docs/decisions/';
    const listed = linksOf(readFileSync(join(root, folder, 'README.md'), 'utf8')).map(
      (link) => folder + link,
    );
    const decisions = documents.filter((path) => path.startsWith(`${folder}0`));
    expect(decisions.filter((path) => !listed.includes(path))).toEqual([]);
  });

  it('is where the README sends its reader', () => {
    expect(linksOf(readFileSync(join(root, 'README.md'), 'utf8'))).toContain(index);
  });
});

/** The documents to which links lead, from one to the next; one to a folder shows the README of it. */
function reachedFrom(start: string): ReadonlySet<string> {
  const found = new Set([start]);
  for (const path of found) {
    for (const link of linksOf(readFileSync(join(root, path), 'utf8'))) {
      const [file = ''] = link.split('#');
      const target = join(dirname(path), file).replace(/\/$/, '');
      for (const each of [target, `${target}/README.md`]) if (documents.includes(each)) found.add(each);
    }
  }
  return found;
}

describe('the commands of reports', () => {
  const reports = documents.filter((path) => path.startsWith('docs/reports/'));
  const specs = String(spawnSync('git', ['ls-files', '*.spec.ts'], { cwd: root }).stdout).split('\n');

  it.each(reports)('of %s run tests that are there', (path) => {
    const text = readFileSync(join(root, path), 'utf8');
    const named = [...text.matchAll(/test:[a-z]+ -- ([^`]+)/g)].flatMap(([, files = '']) =>
      files.split(' ').filter((each) => each.endsWith('.spec.ts')),
    );
    expect(named.filter((each) => !specs.some((spec) => `/${spec}`.endsWith(`/${each}`)))).toEqual([]);
  });
});

describe('the links of a document', () => {
  it('are the relative ones, outside of code', () => {
    expect(linksOf('[a](b.md#c) [d](https://e) `[f](g)`\n\n    [h](i)\n\n[j](#k)')).toEqual(['b.md#c', '#k']);
  });

  it('lead to headings by their words', () => {
    expect(headingAnchors('# From `x` to Y, and back\n\ntext\n\n## `a` b')).toEqual([
      'from-x-to-y-and-back',
      'a-b',
    ]);
  });

  it('are files also where a command or a sentence names them', () => {
    expect(namedPaths('run packages/a/b.spec.ts, `scripts/c.ts` and docs/d.md. Not x/packages.')).toEqual([
      'packages/a/b.spec.ts',
      'scripts/c.ts',
      'docs/d.md',
    ]);
  });
});
