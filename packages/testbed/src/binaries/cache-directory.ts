import { homedir } from 'node:os';
import { join } from 'node:path';
import type { BinaryName } from '../control-plane/options.ts';
import {
  binarySources,
  etcdVersion,
  kubernetesVersion,
  kubernetesVersionOf,
  kwokVersion,
} from './versions.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Outside the tree, one folder for each set of versions: `~/.cache/atoll/testbed/<versions>` (XDG base directories). */
export function cacheDirectory(environment: Environment): string {
  return join(
    cacheRoot(environment),
    'testbed',
    `kubernetes-${kubernetesVersion}-etcd-${etcdVersion}-kwok-${kwokVersion}`,
  );
}

/** The folder with this binary: a Kubernetes that is asked for has one of its own, with what is Kubernetes' only. */
export function folderOf(name: BinaryName, environment: Environment): string {
  const version = kubernetesVersionOf(environment);
  if (version === kubernetesVersion || binarySources[name].module !== 'kube')
    return cacheDirectory(environment);
  return join(cacheRoot(environment), 'testbed', `kubernetes-${version}`);
}

/** What is kept for all trees of this user. */
export function cacheRoot(environment: Environment): string {
  const base = environment['XDG_CACHE_HOME'] ?? '';
  return join(base === '' ? join(homedir(), '.cache') : base, 'atoll');
}
