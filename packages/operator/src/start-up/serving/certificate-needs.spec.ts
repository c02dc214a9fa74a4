import { X509Certificate } from 'node:crypto';
import { createCertificateAuthority, issueCertificate } from '@atoll/kube/certificates';
import { expect, it } from 'vitest';
import { certificateNeeds } from './certificate-needs.ts';

const authority = await createCertificateAuthority('some-authority');

async function serving(url?: string, metrics?: string): Promise<X509Certificate> {
  const { name, hosts } = certificateNeeds('atoll-system', { url, metrics });
  const issued = await issueCertificate(authority, { commonName: name, hosts, usage: 'server' });
  return new X509Certificate(issued.certificatePem);
}

it('names the Services as the API server and Prometheus call them, and as people do', async () => {
  const certificate = await serving();
  for (const name of [
    'atoll-webhook.atoll-system.svc',
    'atoll-webhook.atoll-system.svc.cluster.local',
    'atoll-metrics.atoll-system.svc',
    'atoll-metrics.atoll-system.svc.cluster.local',
  ]) {
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

it.each([
  ['10.0.0.7:8443', '10.0.0.7'],
  ['[fd00::7]:8443', 'fd00::7'],
  ['metrics.example:8443', 'metrics.example'],
])('names the host of metrics at %s', async (address, host) => {
  const certificate = await serving(undefined, address);
  expect(certificate.checkHost(host) ?? certificate.checkIP(host)).toBe(host);
});

it.each([':8443', '0.0.0.0:8443', '[::]:8443'])('names no host for metrics at %s', (metrics) => {
  const without = certificateNeeds('atoll-system', { url: undefined, metrics: undefined });
  expect(certificateNeeds('atoll-system', { url: undefined, metrics })).toEqual(without);
});
