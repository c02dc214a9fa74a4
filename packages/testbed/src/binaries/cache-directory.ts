import { homedir } from 'node:os';
import { join } from 'node:path';
import { etcdVersion, kubernetesVersion, kwokVersion } from './versions.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Outside the tree, one folder for each set of versions: `~/.cache/atoll/testbed/<versions>` (XDG base directories). */
export function cacheDirectory(environment: Environment): string {
  const base = environment['XDG_CACHE_HOME'] ?? '';
  const root = base === '' ? join(homedir(), '.cache') : base;
  return join(
    root,
    'atoll',
    'testbed',
    `kubernetes-${kubernetesVersion}-etcd-${etcdVersion}-kwok-${kwokVersion}`,
  );
}
