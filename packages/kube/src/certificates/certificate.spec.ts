import { X509Certificate } from 'node:crypto';
import { createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createCertificateAuthority, issueCertificate } from './certificate.ts';

const authority = await createCertificateAuthority('some-authority');

describe('a certificate', () => {
  it('is signed by its authority', async () => {
    const { certificatePem } = await issueCertificate(authority, { commonName: 'someone', usage: 'client' });
    const issuer = new X509Certificate(authority.certificatePem);
    const leaf = new X509Certificate(certificatePem);
    expect(issuer.ca).toBe(true);
    expect(leaf.ca).toBe(false);
    expect(leaf.checkIssued(issuer)).toBe(true);
    expect(leaf.verify(issuer.publicKey)).toBe(true);
    expect(
      leaf.verify(new X509Certificate((await createCertificateAuthority('other')).certificatePem).publicKey),
    ).toBe(false);
  });

  it('names its user and groups where Kubernetes looks for them', async () => {
    const { certificatePem } = await issueCertificate(authority, {
      commonName: 'someone',
      organizations: ['system:masters', 'others'],
      usage: 'client',
    });
    expect(new X509Certificate(certificatePem).subject).toBe('O=system:masters\nO=others\nCN=someone');
  });

  it('covers names and addresses', async () => {
    const { certificatePem } = await issueCertificate(authority, {
      commonName: 'server',
      hosts: ['127.0.0.1', 'localhost'],
      usage: 'server',
    });
    const certificate = new X509Certificate(certificatePem);
    expect(certificate.subjectAltName).toBe('IP Address:127.0.0.1, DNS:localhost');
    expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
  });

  it('is valid now, with a day of grace for clocks that are set back', () => {
    const certificate = new X509Certificate(authority.certificatePem);
    expect(Date.parse(certificate.validFrom)).toBeLessThan(Date.now() - 23 * 60 * 60 * 1000);
    expect(Date.parse(certificate.validTo)).toBeGreaterThan(Date.now() + 300 * 24 * 60 * 60 * 1000);
  });

  it('lets a client and a server trust each other over TLS', async () => {
    const serving = await issueCertificate(authority, {
      commonName: 'server',
      hosts: ['127.0.0.1'],
      usage: 'server',
    });
    const client = await issueCertificate(authority, { commonName: 'someone', usage: 'client' });
    const server = createServer(
      {
        cert: serving.certificatePem,
        key: serving.keyPem,
        ca: authority.certificatePem,
        requestCert: true,
        rejectUnauthorized: true,
      },
      (_, response) => response.end('welcome'),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const status = await new Promise<number | undefined>((resolve, reject) => {
      request(
        {
          host: '127.0.0.1',
          port,
          agent: false,
          ca: authority.certificatePem,
          cert: client.certificatePem,
          key: client.keyPem,
        },
        (response) => {
          response.resume();
          resolve(response.statusCode);
        },
      )
        .on('error', reject)
        .end();
    });
    server.close();
    expect(status).toBe(200);
  });
});
