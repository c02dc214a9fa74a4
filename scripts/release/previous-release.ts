import { execFileSync, type StdioOptions } from 'node:child_process';

/** A version that people may be running. */
export interface Release {
  /** A tag, or a commit. */
  readonly name: string;
  readonly commit: string;
}

/** Why the previous release cannot be found in this copy of the project, for people who wonder why a test is skipped. */
export interface NoRelease {
  readonly missing: string;
}

/**
 * The newest release before this commit: a tag or, in a clone without tags, the commit that wrote the version (`release: 1.2.3`). `asked`
 * (`ATOLL_PREVIOUS`) names another tag or commit.
 */
export function previousRelease(
  folder: string,
  asked = process.env['ATOLL_PREVIOUS'] ?? '',
): Release | NoRelease {
  if (git(folder, 'rev-parse', '--git-dir') === undefined)
    return { missing: `${folder} is no Git repository: clone the project instead of downloading an archive` };
  // What this very commit is called is this release, not the previous one.
  const name = asked === '' ? (newestTag(folder, 'HEAD^') ?? releaseCommit(folder, 'HEAD^')) : asked;
  const commit =
    name === undefined ? undefined : git(folder, 'rev-parse', '--quiet', '--verify', `${name}^{commit}`);
  if (name !== undefined && commit !== undefined) return { name, commit };
  const isShallow = git(folder, 'rev-parse', '--is-shallow-repository') === 'true';
  const why = isShallow
    ? 'this clone is shallow: git fetch --unshallow --tags'
    : 'the history of this clone has none';
  return {
    missing: name === undefined ? `there is no previous release: ${why}` : `there is no ${name} here: ${why}`,
  };
}

function newestTag(folder: string, from: string): string | undefined {
  return git(folder, 'describe', '--tags', '--abbrev=0', '--match', 'v[0-9]*', from);
}

/** What was tagged, where tags were not fetched: releasing.md says how its message begins. */
function releaseCommit(folder: string, from: string): string | undefined {
  const subject = '^release: [0-9]+\\.[0-9]+\\.[0-9]+$';
  const found = git(
    folder,
    'log',
    '--max-count=1',
    '--format=%h',
    '--extended-regexp',
    `--grep=${subject}`,
    from,
  );
  return found === '' ? undefined : found;
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
