import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { previousRelease } from './previous-release.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'atoll-history-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function git(...args: readonly string[]): string {
  const identity = [
    '-c',
    'user.name=spec',
    '-c',
    'user.email=spec@example.com',
    '-c',
    'init.defaultBranch=main',
  ];
  return execFileSync('git', [...identity, ...args], { cwd: folder, encoding: 'utf8' }).trim();
}

function commit(message = 'a commit'): string {
  git('commit', '--quiet', '--allow-empty', `--message=${message}`);
  return git('rev-parse', 'HEAD');
}

describe('the previous release', () => {
  it('is the newest tag before this commit, whatever this one is tagged', () => {
    git('init', '--quiet');
    const first = commit();
    git('tag', 'v0.1.0');
    const second = commit();
    git('tag', 'v0.2.0');
    git('tag', 'nightly');
    commit();
    git('tag', 'v0.3.0');
    expect(previousRelease(folder, '')).toEqual({ name: 'v0.2.0', commit: second });
    expect(previousRelease(folder, 'v0.1.0')).toEqual({ name: 'v0.1.0', commit: first });
  });

  it('is the newest commit that wrote a version, where the clone has no tags', () => {
    git('init', '--quiet');
    commit('release: 0.1.0');
    const second = commit('release: 0.1.1');
    commit('release: build the archives of 0.1.1');
    commit('release: 0.2.0');
    expect(previousRelease(folder, '')).toEqual({
      name: git('rev-parse', '--short', second),
      commit: second,
    });
  });

  it('is not known in a history without one, or without the one that is asked for', () => {
    git('init', '--quiet');
    commit();
    commit();
    expect(previousRelease(folder, '')).toEqual({
      missing: 'there is no previous release: the history of this clone has none',
    });
    expect(previousRelease(folder, 'v9.9.9')).toEqual({
      missing: 'there is no v9.9.9 here: the history of this clone has none',
    });
  });

  it('is not known in a folder that is no repository', () => {
    expect(previousRelease(folder, '')).toEqual({
      missing: expect.stringContaining('is no Git repository: clone the project') as string,
    });
  });

  it('is not known in a clone that is shallow, and the reason names what to fetch', () => {
    const origin = join(folder, 'origin');
    git('init', '--quiet', origin);
    const source = folder;
    folder = origin;
    commit();
    git('tag', 'v0.1.0');
    commit();
    folder = source;
    git('clone', '--quiet', '--depth=1', '--no-tags', `file://${origin}`, 'shallow');
    expect(previousRelease(join(folder, 'shallow'), '')).toEqual({
      missing: expect.stringMatching(
        /^there is no previous release: this clone is shallow: git fetch --unshallow --tags$/,
      ) as string,
    });
  });
});
