// Who is let in, on an address and on a unix socket.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { request as httpRequest, type RequestOptions } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTo } from 'node:net';
import { connect } from 'node:tls';
import { silentLogger } from '@atoll/kube';
import { FakeClock } from '@atoll/kube/testing';
import { createCertificateAuthority, issueCertificate } from '@atoll/kube/certificates';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { startAgentServer, type AgentServer, type Serving } from './agent-server.ts';
import { done, textAnswer } from './answer.ts';
import type { Route } from './routes.ts';

const routes: readonly Route[] = [
  { method: 'GET', path: '/pods', handle: () => textAnswer('all') },
  { method: 'GET', path: '/v1/healthz', open: true, handle: () => textAnswer('OK') },
  { method: 'POST', path: '/{pod}/upgrade', writes: true, handle: () => done('upgraded') },
];

let directory: string;
let clock: FakeClock;
let logged: object[];
let failed: object[];
let codes: number[];
const servers: AgentServer[] = [];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'atoll-agent-'));
  clock = new FakeClock();
  logged = [];
  failed = [];
  codes = [];
});

afterEach(async () => {
  await Promise.all(servers.splice(0).map(async (server) => server.close()));
  rmSync(directory, { recursive: true });
});

function file(name: string, content?: string): string {
  const path = join(directory, name);
  if (content !== undefined) writeFileSync(path, content);
  return path;
}

async function serve(serving: Partial<Serving>): Promise<string> {
  const logger = {
    ...silentLogger,
    info: (fields: object) => void logged.push(fields),
    error: (fields: object) => void failed.push(fields),
  };
  const server = await startAgentServer(
    { routes, clock, logger, answered: (answer) => void codes.push(answer.code) },
    { address: '127.0.0.1:0', tls: undefined, tokenFile: undefined, socket: undefined, ...serving },
  );
  servers.push(server);
  return server.urls[0] ?? '';
}

async function code(
  url: string,
  path: string,
  options: RequestOptions & { readonly ca?: string; readonly cert?: string; readonly key?: string } = {},
): Promise<number> {
  const send = url.startsWith('https') ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const request = send(`${url}${path}`, { agent: false, ...options }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.on('error', reject);
    request.end();
  });
}

describe('a token', () => {
  const bearer = (token: string): RequestOptions => ({ headers: { authorization: `Bearer ${token}` } });

  it('is asked for on every route but the probes', async () => {
    const url = await serve({ tokenFile: file('token', 'secret\n') });
    expect(await code(url, '/pods')).toBe(401);
    expect(await code(url, '/x/upgrade', { method: 'POST' })).toBe(401);
    expect(await code(url, '/nothing')).toBe(401);
    expect(await code(url, '/pods', bearer('secre'))).toBe(401);
    expect(await code(url, '/pods', { headers: { authorization: 'Basic secret' } })).toBe(401);
    expect(await code(url, '/v1/healthz')).toBe(200);
    expect(await code(url, '/pods', bearer('secret'))).toBe(200);
    expect(await code(url, '/x/upgrade', { ...bearer('secret'), method: 'POST' })).toBe(200);
    expect(logged).toMatchObject([
      { audit: 'upgrade', caller: 'unknown', code: 401 },
      { audit: 'upgrade', caller: 'token', code: 200 },
    ]);
  });

  it.each(['GET /pods', 'POST /x/upgrade'])(
    'is no failure where its bearer leaves early: %s',
    async (line) => {
      const url = await serve({ tokenFile: file('token', 'secret') });
      const head = `${line} HTTP/1.1\r\nhost: agent\r\nauthorization: Bearer secret\r\n\r\n`;
      for (let caller = 0; caller < 20; caller += 1) {
        const socket = connectTo(Number(new URL(url).port));
        socket.on('error', () => undefined);
        socket.write(head, () => socket.resetAndDestroy());
        await new Promise((resolve) => socket.once('close', resolve));
      }
      expect(await code(url, '/pods', bearer('secret'))).toBe(200);
      expect(failed).toEqual([]);
      expect(codes.filter((each) => each !== 200)).toEqual([]);
    },
  );

  it('lets its bearer send no body that is too large, also where that came before the token was read', async () => {
    const url = await serve({ tokenFile: file('token', 'secret') });
    const chunk = (size: number): string => `${size.toString(16)}\r\n${'x'.repeat(size)}\r\n`;
    const socket = connectTo(Number(new URL(url).port));
    const head =
      'POST /x/upgrade HTTP/1.1\r\nhost: agent\r\nauthorization: Bearer secret\r\ntransfer-encoding: chunked';
    socket.write(`${head}\r\n\r\n${chunk(30_000)}${chunk(40_000)}0\r\n\r\n`);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    socket.destroy();
    expect(answer.toString()).toMatch(/^HTTP\/1.1 413 /);
    expect(await code(url, '/pods', bearer('secret'))).toBe(200);
    expect(logged).toMatchObject([
      { audit: 'upgrade', code: 413, from: expect.stringContaining('127.0.0.1') },
    ]);
    expect(failed).toEqual([]);
  });

  it('may be replaced, and lets nobody in while there is none', async () => {
    const url = await serve({ tokenFile: file('token', 'one') });
    file('token', 'two');
    expect(await code(url, '/pods', bearer('one'))).toBe(401);
    expect(await code(url, '/pods', bearer('two'))).toBe(200);
    file('token', '');
    expect(await code(url, '/pods', bearer(''))).toBe(401);
    rmSync(file('token'));
    expect(await code(url, '/pods', bearer('two'))).toBe(401);
    // Nobody writes to it: to wait for that would be to answer nobody.
    execFileSync('mkfifo', [file('token')]);
    expect(await code(url, '/pods', bearer('two'))).toBe(401);
  });
});

describe('a web page', () => {
  const rebound = { headers: { host: 'pages.example.com:10267' } };

  it.each([
    { origin: 'https://example.com' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'same-origin' },
  ])('is not let write: %j', async (headers) => {
    const url = await serve({});
    expect(await code(url, '/x/upgrade', { method: 'POST', headers })).toBe(403);
  });

  it.each([{}, { 'sec-fetch-mode': 'cors' }, { 'sec-fetch-site': 'none' }])(
    'is not what a program is: %j',
    async (headers) => {
      const url = await serve({});
      expect(await code(url, '/x/upgrade', { method: 'POST', headers })).toBe(200);
    },
  );

  it('of a name that leads to the loopback address reads nothing, and upgrades nothing', async () => {
    const url = await serve({});
    expect(await code(url, '/pods', rebound)).toBe(421);
    expect(await code(url, '/nothing', rebound)).toBe(421);
    expect(await code(url, '/x/upgrade', { ...rebound, method: 'POST' })).toBe(421);
    expect(logged).toMatchObject([{ audit: 'upgrade', caller: 'unknown', code: 421 }]);
  });

  it('may see a probe', async () => {
    const url = await serve({});
    expect(await code(url, '/v1/healthz', rebound)).toBe(200);
  });

  it.each(['127.0.0.1:1', 'localhost', '192.0.2.7:10267', '[::1]'])(
    'is not what asks for %s',
    async (host) => {
      const url = await serve({});
      expect(await code(url, '/pods', { headers: { host } })).toBe(200);
    },
  );

  it('has no token, so that its name does not matter where one is asked for', async () => {
    const url = await serve({ tokenFile: file('token', 'secret') });
    const headers = { ...rebound.headers, authorization: 'Bearer secret' };
    expect(await code(url, '/pods', rebound)).toBe(401);
    expect(await code(url, '/pods', { headers })).toBe(200);
  });

  it('does not reach a unix socket, which takes any name', async () => {
    const socketPath = join(directory, 'agent.sock');
    await serve({ address: undefined, socket: socketPath });
    expect(await code('http://agent', '/pods', { ...rebound, socketPath })).toBe(200);
  });

  it('could ask for any name where the address is not that of the node alone', async () => {
    const url = await serve({ address: '0.0.0.0:0' });
    expect(await code(url, '/pods', rebound)).toBe(200);
  });
});

describe('certificates', () => {
  async function pki() {
    const authority = await createCertificateAuthority('servers');
    const clients = await createCertificateAuthority('clients');
    const leaf = async () =>
      issueCertificate(authority, { commonName: 'agent', hosts: ['127.0.0.1'], usage: 'server' });
    const first = await leaf();
    const tls = {
      certFile: file('tls.crt', first.certificatePem),
      keyFile: file('tls.key', first.keyPem),
      clientCaFile: file('clients.crt', clients.certificatePem),
    };
    const present = async (by: typeof clients): Promise<{ cert: string; key: string }> => {
      const { certificatePem, keyPem } = await issueCertificate(by, {
        commonName: 'site-7',
        usage: 'client',
      });
      return { cert: certificatePem, key: keyPem };
    };
    return { authority, clients, leaf, tls, present, ca: authority.certificatePem };
  }

  it('of the client authority are let in, and others not', async () => {
    const { authority, clients, tls, present, ca } = await pki();
    const url = await serve({ tls });
    expect(await code(url, '/pods', { ca })).toBe(401);
    expect(await code(url, '/v1/healthz', { ca })).toBe(200);
    expect(await code(url, '/pods', { ca, ...(await present(authority)) })).toBe(401);
    const known = await present(clients);
    expect(await code(url, '/pods', { ca, ...known })).toBe(200);
    expect(await code(url, '/x/upgrade', { ca, ...known, method: 'POST' })).toBe(200);
    expect(logged).toMatchObject([{ caller: 'certificate site-7', code: 200 }]);
  });

  it('or a token, where both are configured', async () => {
    const { tls, ca } = await pki();
    const url = await serve({ tls, tokenFile: file('token', 'secret') });
    expect(await code(url, '/pods', { ca, headers: { authorization: 'Bearer secret' } })).toBe(200);
    expect(await code(url, '/pods', { ca })).toBe(401);
  });

  it('are read again when they were renewed, and kept where the new ones are broken', async () => {
    const { tls, leaf, ca } = await pki();
    const url = await serve({ tls });
    const shown = async (): Promise<string> => {
      const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port), ca });
      await new Promise((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject));
      const { fingerprint256 } = socket.getPeerCertificate();
      socket.destroy();
      return fingerprint256;
    };
    const before = await shown();
    const renewed = await leaf();
    file('tls.crt', renewed.certificatePem);
    file('tls.key', renewed.keyPem);
    await clock.advance(60_000);
    const after = await shown();
    expect(after).not.toBe(before);
    file('tls.crt', 'no certificate');
    await clock.advance(60_000);
    expect(await shown()).toBe(after);
  });

  it.each([true, false])(
    'of an authority that another replaced are not let in any more, on an open connection (%s) either',
    async (keepAlive) => {
      const { clients, tls, present, ca } = await pki();
      const url = await serve({ tls });
      const known = await present(clients);
      // Also without keep-alive it goes on with the TLS session of the connection before.
      const agent = new Agent({ keepAlive, maxSockets: 1, maxCachedSessions: 10 });
      onTestFinished(() => agent.destroy());
      const asked = async (): Promise<number> => code(url, '/pods', { ca, ...known, agent });
      expect(await asked()).toBe(200);
      const successor = await createCertificateAuthority('clients');
      file('clients.crt', successor.certificatePem);
      await clock.advance(60_000);
      expect(await asked()).toBe(401);
      expect(await code(url, '/pods', { ca, ...(await present(successor)) })).toBe(200);
    },
  );

  it('of an authority that a broken file replaces are let in as before', async () => {
    const { clients, tls, present, ca } = await pki();
    const url = await serve({ tls });
    const known = await present(clients);
    file('clients.crt', 'no certificate');
    await clock.advance(60_000);
    expect(await code(url, '/pods', { ca, ...known })).toBe(200);
  });
});

describe('a unix socket', () => {
  it('is open to its owner only, who needs no token', async () => {
    const socket = join(directory, 'agent.sock');
    await serve({ address: undefined, socket, tokenFile: file('token', 'secret') });
    expect(statSync(socket).mode & 0o777).toBe(0o600);
    expect(await code('http://agent', '/pods', { socketPath: socket })).toBe(200);
    await code('http://agent', '/x/upgrade', { socketPath: socket, method: 'POST' });
    expect(logged).toMatchObject([{ caller: 'socket', from: 'socket' }]);
  });

  it('replaces what a dead process left, and nothing else', async () => {
    const socket = join(directory, 'agent.sock');
    await serve({ address: undefined, socket });
    await expect(serve({ address: undefined, socket })).rejects.toThrow('another process listens there');
    await expect(serve({ address: undefined, socket: file('notes', 'mine') })).rejects.toThrow(
      'cannot serve',
    );
    expect(statSync(file('notes')).size).toBe(4);

    const left = join(directory, 'left.sock');
    await leaveSocket(left);
    await serve({ address: undefined, socket: left });
    expect(await code('http://agent', '/pods', { socketPath: left })).toBe(200);
  });
});

/** As a process that was killed: Node itself removes its socket when it closes it. */
async function leaveSocket(path: string): Promise<void> {
  const script = `require('node:net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`;
  const child = spawn(process.execPath, ['-e', script]);
  await new Promise((resolve) => child.once('exit', resolve));
  expect(statSync(path).isSocket()).toBe(true);
}
