import { readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { parse, stringify } from 'yaml';

interface Kubeconfig {
  readonly clusters?: readonly { readonly name: string; readonly cluster: Record<string, unknown> }[];
  readonly users?: readonly { readonly name: string; readonly user: Record<string, unknown> }[];
}

interface Redirection {
  readonly kubeconfigPath: string;
  readonly directory: string;
  readonly url: string;
  readonly caPem: string;
}

/** Writes a copy of a kubeconfig whose clusters are all reached at `url`; yields the copy's path. */
export async function redirectKubeconfig(redirection: Redirection): Promise<string> {
  const { kubeconfigPath, directory, url, caPem } = redirection;
  const original = parse(await readFile(kubeconfigPath, 'utf8')) as Kubeconfig;
  const cluster = { server: url, 'certificate-authority-data': Buffer.from(caPem).toString('base64') };
  const redirected = {
    ...original,
    clusters: (original.clusters ?? []).map(({ name }) => ({ name, cluster })),
    users: (original.users ?? []).map(({ name, user }) => {
      if ('client-certificate' in user || 'client-certificate-data' in user) {
        throw new Error(
          `${kubeconfigPath}: user "${name}" shows a client certificate, which cannot pass a proxy that ends TLS; use a token`,
        );
      }
      const tokenFile = user['tokenFile'];
      if (typeof tokenFile !== 'string') return { name, user };
      return { name, user: { ...user, tokenFile: resolve(dirname(kubeconfigPath), tokenFile) } };
    }),
  };
  const path = join(directory, `through-proxy-${new URL(url).port}-${basename(kubeconfigPath)}`);
  await writeFile(path, stringify(redirected), { mode: 0o600 });
  return path;
}
