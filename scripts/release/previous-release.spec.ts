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

function commit(): string {
  git('commit', '--quiet', '--allow-empty', '--message=a commit');
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
        /^the previous release .* this clone is shallow: git fetch --unshallow --tags$/,
      ) as string,
    });
  });
});
