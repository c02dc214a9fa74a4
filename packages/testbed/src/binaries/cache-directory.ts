import { homedir } from 'node:os';
import { join } from 'node:path';
import { etcdVersion, kubernetesVersion, kwokVersion } from './versions.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Outside the tree, one folder for each set of versions: `~/.cache/atoll/testbed/<versions>` (XDG base directories). */
export function cacheDirectory(environment: Environment): string {
  return join(
    cacheRoot(environment),
    'testbed',
    `kubernetes-${kubernetesVersion}-etcd-${etcdVersion}-kwok-${kwokVersion}`,
  );
}

/** What is kept for all trees of this user. */
export function cacheRoot(environment: Environment): string {
  const base = environment['XDG_CACHE_HOME'] ?? '';
  return join(base === '' ? join(homedir(), '.cache') : base, 'atoll');
}
