import { delimiter, join, resolve } from 'node:path';
import type { ClusterAccess } from './cluster-access.ts';
import { accessOfContext } from './context-access.ts';
import { CredentialError, describeFileFault } from './credential-error.ts';
import { homeFolder } from '../home-folder.ts';
import { mergeKubeconfigs, parseKubeconfig, type Kubeconfig } from './kubeconfig.ts';
import { proxyFromEnvironment } from './proxy-from-environment.ts';
import { readText } from './read-text.ts';

/** Environment variables, handed in by the caller, who may read them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Where a kubeconfig is looked for. */
export interface KubeconfigOptions {
  /** One file, instead of KUBECONFIG and `~/.kube/config`. */
  readonly path?: string;
  /** Instead of the file's current-context. */
  readonly context?: string;
  /** The entry of the file to use instead of the context's cluster. */
  readonly cluster?: string;
  /** The entry of the file to use instead of the context's user. */
  readonly user?: string;
  /** Instead of the cluster's; by itself enough where there is no kubeconfig. */
  readonly server?: string;
  /** Where KUBECONFIG, HOME and the proxy variables are read. Default: the environment of this process. */
  readonly environment?: Environment;
}

/**
 * Finds the cluster as kubectl does: the file given, else the files of KUBECONFIG merged (those that do not exist are
 * passed over), else `~/.kube/config`. Rejects with a `CredentialError` whose message names file, field and value.
 */
export async function loadKubeconfig(options: KubeconfigOptions = {}): Promise<ClusterAccess> {
  const { path, context, cluster, user, server, environment = process.env } = options;
  const config =
    path === undefined ? await loadDefault(environment, server !== undefined) : await loadRequired(path);
  return withEnvironmentProxy(accessOfContext(config, { context, cluster, user, server }), environment);
}

/** client-go: proxy-url wins over the proxy variables of the environment. */
function withEnvironmentProxy(access: ClusterAccess, environment: Environment): ClusterAccess {
  if (access.proxyUrl !== undefined) return access;
  const proxyUrl = proxyFromEnvironment(access.server, environment);
  return proxyUrl === undefined ? access : { ...access, proxyUrl };
}

async function loadRequired(path: string): Promise<Kubeconfig> {
  const file = resolve(path);
  return (await loadFile(file)) ?? fail(`${file}: no such file`);
}

async function loadDefault(environment: Environment, mayBeAbsent: boolean): Promise<Kubeconfig> {
  const listed = (environment['KUBECONFIG'] ?? '').split(delimiter).filter((path) => path !== '');
  const home = homeFolder(environment);
  const inHome = home === undefined ? [] : [join(home, '.kube', 'config')];
  const paths = listed.length === 0 ? inHome : [...new Set(listed.map((path) => resolve(path)))];
  const found = (await Promise.all(paths.map(loadFile))).filter((config) => config !== undefined);
  if (found.length === 0 && !mayBeAbsent) {
    if (paths.length === 0) {
      return fail('no kubeconfig: HOME is not set, and this user has no home; set KUBECONFIG or give a file');
    }
    const from = listed.length === 0 ? '; set KUBECONFIG or give a file' : ' (from KUBECONFIG)';
    return fail(`no kubeconfig: ${paths.join(', ')}: no such file${from}`);
  }
  return mergeKubeconfigs(found);
}

async function loadFile(file: string): Promise<Kubeconfig | undefined> {
  let text: string;
  try {
    text = await readText(file);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw new CredentialError(`${file}: ${describeFileFault(error)}`, { cause: error });
  }
  return parseKubeconfig(file, text);
}

function fail(message: string): never {
  throw new CredentialError(message);
}
