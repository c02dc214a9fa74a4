import { readFileSync } from 'node:fs';
import { stringify } from 'yaml';

export type KubeconfigUser =
  | { readonly name: string; readonly token: string; readonly namespace?: string }
  | {
      readonly name: string;
      readonly certificatePem: string;
      readonly keyPem: string;
      readonly namespace?: string;
    };

const marker = '# Written by atoll-testbed, and removed by it when its control plane ends.';

/** A kubeconfig of one context with everything inline, so that the file can be copied anywhere. */
export function kubeconfigOf(url: string, caPem: string, user: KubeconfigUser): string {
  const credentials =
    'token' in user
      ? { token: user.token }
      : { 'client-certificate-data': base64(user.certificatePem), 'client-key-data': base64(user.keyPem) };
  const document = stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'atoll', cluster: { server: url, 'certificate-authority-data': base64(caPem) } }],
    users: [{ name: user.name, user: credentials }],
    contexts: [
      {
        name: 'atoll',
        context: {
          cluster: 'atoll',
          user: user.name,
          ...(user.namespace === undefined ? {} : { namespace: user.namespace }),
        },
      },
    ],
    'current-context': 'atoll',
  });
  return `${marker}\n${document}`;
}

/** Throws where the file exists and no control plane of ours wrote it: a user's own kubeconfig must survive. */
export function refuseForeignFile(file: string): void {
  let content: string;
  try {
    content = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  if (!content.startsWith(marker)) {
    throw new Error(`${file} exists and is not ours to overwrite; name another file for the kubeconfig`);
  }
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
