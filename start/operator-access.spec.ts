import { describe, expect, it } from 'vitest';
import { kubeconfigOf } from './operator-access.ts';

describe('the operator’s kubeconfig', () => {
  it('goes the user’s way to the cluster, without the user’s credentials', () => {
    const kubeconfig = kubeconfigOf(
      {
        server: 'https://edge.example:6443',
        certificateAuthority: { from: 'value', value: 'PEM' },
        insecureSkipTlsVerify: false,
        tlsServerName: 'kubernetes',
        proxyUrl: 'http://proxy:3128',
        clientCertificate: {
          certificate: { from: 'value', value: 'CERT' },
          key: { from: 'value', value: 'KEY' },
        },
        authorization: { type: 'token', token: { from: 'value', value: 'SECRET' } },
      },
      '/tmp/x/token',
    );
    expect(kubeconfig).toEqual({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [
        {
          name: 'cluster',
          cluster: {
            server: 'https://edge.example:6443',
            'certificate-authority-data': 'UEVN',
            'tls-server-name': 'kubernetes',
            'proxy-url': 'http://proxy:3128',
          },
        },
      ],
      users: [{ name: 'atoll', user: { tokenFile: '/tmp/x/token' } }],
      contexts: [
        { name: 'atoll', context: { cluster: 'cluster', user: 'atoll', namespace: 'atoll-system' } },
      ],
      'current-context': 'atoll',
    });
  });
});
