import { stringify } from 'yaml';

export type KubeconfigUser =
  | { readonly name: string; readonly token: string; readonly namespace?: string }
  | {
      readonly name: string;
      readonly certificatePem: string;
      readonly keyPem: string;
      readonly namespace?: string;
    };

/** A kubeconfig of one context with everything inline, so that the file can be copied anywhere. */
export function kubeconfigOf(url: string, caPem: string, user: KubeconfigUser): string {
  const credentials =
    'token' in user
      ? { token: user.token }
      : { 'client-certificate-data': base64(user.certificatePem), 'client-key-data': base64(user.keyPem) };
  return stringify({
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
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
