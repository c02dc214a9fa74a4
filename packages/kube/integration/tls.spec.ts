import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer as createProxy } from 'node:http';
import { createServer } from 'node:https';
import { connect as connectTcp, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { createClient, nodes, type Clock, type ClusterAccess, type StreamingClient } from '@atoll/kube';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCertificateAuthority, issueCertificate } from '../src/certificates/certificate.ts';

const authority = await createCertificateAuthority('one');
const otherAuthority = await createCertificateAuthority('two');

let folder: string;
let cleanUp: AsyncDisposableStack;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tls-'));
  cleanUp = new AsyncDisposableStack();
  cleanUp.defer(() => rm(folder, { recursive: true, force: true }));
});
afterEach(() => cleanUp.disposeAsync());

/** A clock on which ten seconds pass whenever somebody looks: files are read again for every request. */
function hastyClock(): Clock {
  let time = 0;
  return {
    now: () => Date.now(),
    monotonic: () => (time += 10_000),
    processorMs: () => 0,
    setTimer: () => () => undefined,
  };
}

interface TlsServer {
  readonly port: number;
  /** Common name of the client of each request. */
  readonly clients: (string | undefined)[];
  readonly connections: () => number;
}

/** Answers every request with an empty list; asks for client certificates, of any authority. */
async function startServer(hosts: readonly string[] = ['127.0.0.1'], signer = authority): Promise<TlsServer> {
  const { certificatePem, keyPem } = await issueCertificate(signer, {
    commonName: 'server',
    hosts,
    usage: 'server',
  });
  const options = { cert: certificatePem, key: keyPem, requestCert: true, rejectUnauthorized: false };
  const clients: (string | undefined)[] = [];
  let connections = 0;
  const server = createServer(options, (request, response) => {
    const name = (request.socket as TLSSocket).getPeerCertificate().subject?.CN;
    clients.push(Array.isArray(name) ? name[0] : name);
    response.end(JSON.stringify({ metadata: { resourceVersion: '1' }, items: [] }));
  });
  server.on('secureConnection', () => (connections += 1));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUp.defer(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return { port: (server.address() as AddressInfo).port, clients, connections: () => connections };
}

function clientOf(access: Partial<ClusterAccess> & { readonly server: string }): StreamingClient {
  const full = { insecureSkipTlsVerify: false, authorization: { type: 'none' }, ...access } as const;
  const client = createClient(full, { clock: hastyClock(), retry: { attempts: 1 }, timeoutMs: 36_000_000 });
  cleanUp.defer(() => client.close());
  return client;
}

const ca = { from: 'value', value: authority.certificatePem } as const;

describe('certificates', () => {
  it('of the client are read again when their files change, and used for new connections', async () => {
    const server = await startServer();
    const [certificate, key] = [join(folder, 'tls.crt'), join(folder, 'tls.key')];
    const become = async (commonName: string): Promise<void> => {
      const issued = await issueCertificate(authority, { commonName, usage: 'client' });
      await writeFile(certificate, issued.certificatePem);
      await writeFile(key, issued.keyPem);
    };
    await become('first');
    const client = clientOf({
      server: `https://127.0.0.1:${server.port}`,
      certificateAuthority: ca,
      clientCertificate: {
        certificate: { from: 'file', path: certificate },
        key: { from: 'file', path: key },
      },
    });
    await client.list(nodes);
    await client.list(nodes);
    await become('second');
    await client.list(nodes);
    expect(server.clients).toEqual(['first', 'first', 'second']);
    expect(server.connections()).toBe(2);
  });

  it('of the authority are read again when their file changes', async () => {
    const server = await startServer(['127.0.0.1'], otherAuthority);
    const path = join(folder, 'ca.crt');
    await writeFile(path, authority.certificatePem);
    const client = clientOf({
      server: `https://127.0.0.1:${server.port}`,
      certificateAuthority: { from: 'file', path },
    });
    await expect(client.list(nodes)).rejects.toMatchObject({ fate: 'unsent', reason: 'NetworkError' });
    await writeFile(path, otherAuthority.certificatePem);
    expect((await client.list(nodes)).items).toEqual([]);
  });

  it('of a server with another name are refused before anything is sent, unless that name is expected', async () => {
    const server = await startServer(['kubernetes.example']);
    const access = { server: `https://127.0.0.1:${server.port}`, certificateAuthority: ca };
    await expect(clientOf(access).list(nodes)).rejects.toMatchObject({
      fate: 'unsent',
      reason: 'NetworkError',
    });
    expect(server.clients).toEqual([]);
    await clientOf({ ...access, tlsServerName: 'kubernetes.example' }).list(nodes);
    await clientOf({ server: access.server, insecureSkipTlsVerify: true }).list(nodes);
    expect(server.clients).toHaveLength(2);
  });
});

describe('a proxy', () => {
  it('is asked for a tunnel, through which the certificate is still checked', async () => {
    const server = await startServer();
    const asked: string[] = [];
    const proxy = createProxy();
    proxy.on('connect', (request, socket, head) => {
      asked.push(`${request.url} ${request.headers['proxy-authorization']}`);
      const onward = connectTcp(server.port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
        onward.write(head);
        onward.pipe(socket).pipe(onward);
      });
      onward.on('error', () => socket.destroy());
      socket.on('error', () => onward.destroy());
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    cleanUp.defer(() => void proxy.close());
    const proxyUrl = `http://me:pw@127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const access = { server: `https://127.0.0.1:${server.port}`, certificateAuthority: ca, proxyUrl };
    const client = clientOf(access);
    await Promise.all(Array.from({ length: 60 }, () => client.list(nodes)));
    const authorization = `Basic ${Buffer.from('me:pw').toString('base64')}`;
    expect([...new Set(asked)]).toEqual([`127.0.0.1:${server.port} ${authorization}`]);
    expect(asked.length).toBeLessThanOrEqual(14);
    const strange = { from: 'value', value: otherAuthority.certificatePem } as const;
    await expect(clientOf({ ...access, certificateAuthority: strange }).list(nodes)).rejects.toMatchObject({
      fate: 'unsent',
    });
  });

  it('that is not there leaves the request unsent', async () => {
    const client = clientOf({
      server: 'https://127.0.0.1:1',
      certificateAuthority: ca,
      proxyUrl: 'http://127.0.0.1:1',
    });
    await expect(client.create(nodes, { metadata: { name: 'n' } })).rejects.toMatchObject({
      fate: 'unsent',
      reason: 'NetworkError',
    });
  });
});
