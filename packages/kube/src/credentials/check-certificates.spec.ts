import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCertificateAuthority, issueCertificate } from '../certificates/certificate.ts';
import { createClient } from '../client/create-client.ts';
import { problemOfAuthorities, readableAuthorities } from './check-certificates.ts';

const [own, other] = [await createCertificateAuthority('own'), await createCertificateAuthority('other')];
const serving = await issueCertificate(own, { commonName: 's', hosts: ['127.0.0.1'], usage: 'server' });
const server = createServer({ cert: serving.certificatePem, key: serving.keyPem }, (_, response) =>
  response.end('{"kind":"X","apiVersion":"v1"}'),
);
const unreadable = '-----BEGIN CERTIFICATE-----\nMIIBAAAA\n-----END CERTIFICATE-----\n';

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterAll(() => {
  server.close();
  server.closeAllConnections();
});

async function codeWith(authorities: string): Promise<number> {
  const client = createClient(
    {
      server: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
      certificateAuthority: { from: 'value', value: authorities },
      insecureSkipTlsVerify: false,
      authorization: { type: 'none' },
    },
    { retry: { attempts: 1 } },
  );
  try {
    return (await client.raw({ path: '/x' })).code;
  } finally {
    await client.close();
  }
}

it('a client certificate that OpenSSL refuses is a failure of the connection', async () => {
  const pair = await issueCertificate(own, { commonName: 'c', usage: 'client' });
  const client = createClient(
    {
      server: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
      certificateAuthority: { from: 'value', value: own.certificatePem },
      clientCertificate: {
        certificate: { from: 'value', value: pair.certificatePem + unreadable },
        key: { from: 'value', value: pair.keyPem },
      },
      insecureSkipTlsVerify: false,
      authorization: { type: 'none' },
    },
    { retry: { attempts: 1 } },
  );
  await expect(client.raw({ path: '/x' })).rejects.toMatchObject({
    name: 'ApiError',
    reason: 'NetworkError',
    fate: 'unsent',
  });
  await client.close();
});

describe('authorities', () => {
  it('stay as they are where none can be read, so that nobody is trusted', () => {
    expect(readableAuthorities(unreadable)).toBe(unreadable);
  });

  // kubectl 1.36 passes over what it cannot read.
  it.each([
    ['after one that cannot be read', unreadable + own.certificatePem],
    ['before one that cannot be read', own.certificatePem + unreadable],
    ['between comments', `# own\n${own.certificatePem}# the end`],
    ['that begins in the last line of another', other.certificatePem.trimEnd() + own.certificatePem],
    ['with another that begins in its last line', own.certificatePem.trimEnd() + other.certificatePem],
  ])('count each: one %s', async (_, authorities) => {
    expect(problemOfAuthorities(authorities)).toBeUndefined();
    expect(await codeWith(authorities)).toBe(200);
  });

  it.each([
    ['nothing', '', 'there is no certificate'],
    ['none that can be read', unreadable, 'a certificate is unreadable'],
    [
      'one without its end',
      own.certificatePem + other.certificatePem.slice(0, 200),
      'a certificate is unreadable',
    ],
  ])('are refused where there is %s', (_, authorities, problem) => {
    expect(problemOfAuthorities(authorities)).toBe(problem);
  });
});
