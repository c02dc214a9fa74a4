// What docs/contributing/releasing.md asks of every commit: that it could be tagged.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { filesWithVersion, versionsIn, withVersion } from './version-places.ts';
import { root } from '../checks.ts';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');

describe('the version', () => {
  it.each(filesWithVersion())('in %s is that of the project', (path) => {
    expect(new Set(versionsIn(read(path)))).toEqual(new Set([packageJson.version]));
  });

  it('is changed everywhere, and nothing else is', () => {
    for (const path of filesWithVersion()) {
      const text = read(path);
      const changed = withVersion(text, '98.7.6');
      expect(changed.replaceAll('98.7.6', packageJson.version)).toBe(text);
    }
    expect(withVersion('"zod": "4.1.0", "@atoll/kube": "0.1.0"', '0.2.0')).toBe(
      '"zod": "4.1.0", "@atoll/kube": "0.2.0"',
    );
  });

  it('is that of the tag, where this commit has one, and then CHANGELOG.md has its section', () => {
    const tags = tagsOfThisCommit();
    expect(tags.filter((tag) => tag !== `v${packageJson.version}`)).toEqual([]);
    const released = sections().map(({ name }) => `v${name}`);
    expect(released).toEqual(expect.arrayContaining([...tags]));
  });
});

/** As Keep a Changelog orders them. */
const kindsOfChange = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'];

interface Section {
  readonly name: string;
  readonly date: string | undefined;
  readonly changes: readonly string[];
}

function sections(): readonly Section[] {
  const [, ...parts] = read('CHANGELOG.md').split(/^## /m);
  return parts.map((text) => {
    const [, name = '', date] = /^(\S+)(?: - (\d{4}-\d\d-\d\d))?$/m.exec(text) ?? [];
    const changes = [...text.matchAll(/^### (.+)$/gm)].map(([, kind = '']) => kind);
    return { name, date, changes };
  });
}

describe('CHANGELOG.md', () => {
  const [first, ...released] = sections();

  it('begins with what is not released, and goes on with dated versions, the newest first', () => {
    expect(first).toMatchObject({ name: 'Unreleased', date: undefined });
    for (const { name, date } of released) {
      expect(name).toMatch(/^\d+\.\d+\.\d+$/);
      expect(date).toBeDefined();
    }
    const numbers = released.map(({ name }) =>
      name.split('.').reduce((all, part) => all * 1e4 + Number(part), 0),
    );
    expect(numbers).toEqual(numbers.toSorted((a, b) => b - a));
  });

  it('has the kinds of changes in their order, each once', () => {
    for (const { changes } of sections())
      expect(changes).toEqual(kindsOfChange.filter((kind) => changes.includes(kind)));
  });
});

/** None where this is no repository. */
function tagsOfThisCommit(): readonly string[] {
  try {
    const found = execFileSync('git', ['tag', '--points-at', 'HEAD', '--list', 'v[0-9]*'], {
      cwd: root,
      encoding: 'utf8',
    });
    return found.split('\n').filter((tag) => tag !== '');
  } catch {
    return [];
  }
}
