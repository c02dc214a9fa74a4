import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCertificateAuthority, issueCertificate } from '../certificates/certificate.ts';
import type { ClusterAccess } from '../credentials/cluster-access.ts';

const [own, other] = [await createCertificateAuthority('own'), await createCertificateAuthority('other')];
const serving = await issueCertificate(own, {
  commonName: 's',
  hosts: ['127.0.0.1', '10.9.8.7'],
  usage: 'server',
});
const server = createServer({ cert: serving.certificatePem, key: serving.keyPem }, (_, response) =>
  response.end('{"kind":"X","apiVersion":"v1"}'),
);
const folder = mkdtempSync(join(tmpdir(), 'connections-'));
const ownFile = join(folder, 'own.crt');

beforeAll(async () => {
  writeFileSync(ownFile, own.certificatePem);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterAll(() => {
  server.close();
  server.closeAllConnections();
  rmSync(folder, { recursive: true });
});

const client = fileURLToPath(new URL('../client/create-client.ts', import.meta.url));

/** What a process with this environment prints: the code of the answer, or why there is none. */
async function ask(access: Partial<ClusterAccess>, env: Readonly<Record<string, string>> = {}) {
  const whole = {
    server: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    insecureSkipTlsVerify: false,
    authorization: { type: 'none' },
    ...access,
  };
  const program = `
    import { createClient } from ${JSON.stringify(client)};
    const client = createClient(${JSON.stringify(whole)}, { retry: { attempts: 1 } });
    const code = await client.raw({ path: '/x' }).then(({ code }) => code, ({ message }) => message);
    process.stdout.write(String(code));
    await client.close();
  `;
  const args = ['--input-type=module', '--eval', program];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, {
    env: { ...process.env, ...env },
  });
  return [stdout, stderr];
}

describe('the authorities that a connection trusts', { timeout: 20_000 }, () => {
  // SSL_CERT_FILE takes the place of the system's, for Go as for OpenSSL.
  it.each(['SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS'])('are those of %s where none is given', async (name) => {
    expect(await ask({}, { [name]: ownFile })).toEqual(['200', '']);
  });

  it('are only those that are given, where some are', async () => {
    const certificateAuthority = { from: 'value', value: other.certificatePem } as const;
    const [failure] = await ask({ certificateAuthority }, { SSL_CERT_FILE: ownFile });
    expect(failure).toContain('unable to verify the first certificate');
  });
});

describe('a tls-server-name that is an address', { timeout: 20_000 }, () => {
  const certificateAuthority = { from: 'value', value: own.certificatePem } as const;

  it('is compared with the certificate, without a warning of Node', async () => {
    expect(await ask({ certificateAuthority, tlsServerName: '10.9.8.7' })).toEqual(['200', '']);
  });

  it('is refused where the certificate does not have it', async () => {
    const [failure, warning] = await ask({ certificateAuthority, tlsServerName: '10.9.8.6' });
    expect(failure).toContain('IP: 10.9.8.6 is not in the cert');
    expect(warning).toBe('');
  });
});
