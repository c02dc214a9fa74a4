import { execFileSync, type StdioOptions } from 'node:child_process';

/** A version that people may be running. */
export interface Release {
  /** A tag, or a description in its place. */
  readonly name: string;
  readonly commit: string;
}

/** Why the previous release cannot be found in this copy of the project, for people who wonder why a test is skipped. */
export interface NoRelease {
  readonly missing: string;
}

/** What stands in for the previous release until there is a first tag. */
export const beforeFirstRelease: Release = {
  name: 'what stood before the first release',
  commit: '78c730105c9be7357ef9d8cc0d2c0d4339dd69a8',
};

/**
 * The newest release of which this commit is a successor, and which the history of this copy holds; `asked` (`ATOLL_PREVIOUS`) names another
 * tag or commit.
 */
export function previousRelease(
  folder: string,
  asked = process.env['ATOLL_PREVIOUS'] ?? '',
): Release | NoRelease {
  if (git(folder, 'rev-parse', '--git-dir') === undefined)
    return { missing: `${folder} is no Git repository: clone the project instead of downloading an archive` };
  // A tag of this very commit is this release, not the previous one.
  const tag =
    asked === '' ? git(folder, 'describe', '--tags', '--abbrev=0', '--match', 'v[0-9]*', 'HEAD^') : asked;
  const release = tag === undefined ? beforeFirstRelease : { name: tag, commit: tag };
  const commit = git(folder, 'rev-parse', '--quiet', '--verify', `${release.commit}^{commit}`);
  if (commit !== undefined) return { name: release.name, commit };
  const isShallow = git(folder, 'rev-parse', '--is-shallow-repository') === 'true';
  const why = isShallow ? 'this clone is shallow' : 'the history of this clone lacks it';
  return {
    missing: `the previous release is no tag here, and commit ${release.commit} is not there, because ${why}: git fetch --unshallow --tags`,
  };
}

/** undefined: the command failed, or there is no Git. */
function git(folder: string, ...args: readonly string[]): string | undefined {
  try {
    const stdio: StdioOptions = ['ignore', 'pipe', 'ignore'];
    return execFileSync('git', args, { cwd: folder, encoding: 'utf8', stdio }).trim();
  } catch {
    return undefined;
  }
}
