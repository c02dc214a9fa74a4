import { X509Certificate } from 'node:crypto';
import { createCertificateAuthority, issueCertificate } from '@atoll/kube/certificates';
import { expect, it } from 'vitest';
import { certificateNeeds } from './certificate-needs.ts';

const authority = await createCertificateAuthority('some-authority');

async function serving(url: string | undefined): Promise<X509Certificate> {
  const { name, hosts } = certificateNeeds('atoll-system', url);
  const issued = await issueCertificate(authority, { commonName: name, hosts, usage: 'server' });
  return new X509Certificate(issued.certificatePem);
}

it('names the Service as the API server calls it, and as people do', async () => {
  const certificate = await serving(undefined);
  for (const name of ['atoll-webhook.atoll-system.svc', 'atoll-webhook.atoll-system.svc.cluster.local']) {
    expect(certificate.checkHost(name)).toBe(name);
  }
  expect(certificate.checkHost('atoll-webhook.other.svc')).toBeUndefined();
});

it.each([
  ['https://operator.example:9443/', 'operator.example'],
  ['https://127.0.0.1:9443', '127.0.0.1'],
  ['https://[::1]:9443', '::1'],
])('names the host of %s as well', async (url, host) => {
  const certificate = await serving(url);
  expect(certificate.checkHost(host) ?? certificate.checkIP(host)).toBe(host);
  expect(certificate.checkHost('atoll-webhook.atoll-system.svc')).toBeDefined();
});
