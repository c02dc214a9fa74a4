import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { Agent } from 'node:https';
import { parse } from 'yaml';

/** How to reach an API server as one user. */
export interface Connection {
  readonly url: string;
  readonly agent: Agent;
  readonly headers: Readonly<Record<string, string>>;
}

interface Kubeconfig {
  readonly 'current-context'?: string;
  readonly contexts?: readonly {
    readonly name: string;
    readonly context: { cluster: string; user: string };
  }[];
  readonly clusters?: readonly { readonly name: string; readonly cluster: Fields }[];
  readonly users?: readonly { readonly name: string; readonly user: Fields }[];
}

type Fields = Readonly<Record<string, string | undefined>>;

/**
 * Connects by the current context. The recorder has its own way to the API server, so that it does not share
 * the faults of what it watches.
 */
export async function connectionOf(kubeconfigPath: string): Promise<Connection> {
  const config = parse(await readFile(kubeconfigPath, 'utf8')) as Kubeconfig;
  const context = config.contexts?.find(({ name }) => name === config['current-context'])?.context;
  const cluster = config.clusters?.find(({ name }) => name === context?.cluster)?.cluster;
  const user = config.users?.find(({ name }) => name === context?.user)?.user ?? {};
  const url = cluster?.['server'];
  if (cluster === undefined || url === undefined) {
    throw new Error(`${kubeconfigPath}: the current context names no cluster with a server`);
  }
  const field = async (fields: Fields, name: string): Promise<string | undefined> => {
    const data = fields[`${name}-data`];
    if (data !== undefined) return Buffer.from(data, 'base64').toString();
    const file = fields[name];
    return file === undefined ? undefined : readFile(resolve(dirname(kubeconfigPath), file), 'utf8');
  };
  const tokenFile = user['tokenFile'];
  const token =
    user['token'] ??
    (tokenFile === undefined
      ? undefined
      : (await readFile(resolve(dirname(kubeconfigPath), tokenFile), 'utf8')).trim());
  const ca = await field(cluster, 'certificate-authority');
  const cert = await field(user, 'client-certificate');
  const key = await field(user, 'client-key');
  return {
    url,
    agent: new Agent({
      keepAlive: true,
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
    }),
    headers: token === undefined ? {} : { Authorization: `Bearer ${token}` },
  };
}
