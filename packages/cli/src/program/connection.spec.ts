import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { TLSSocket } from 'node:tls';
import { createCertificateAuthority, issueCertificate } from '@atoll/kube/certificates';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runKubectlEds } from '../eds/kubectl-eds.ts';

const folder = mkdtempSync(join(tmpdir(), 'connection-'));
const [own, other] = [await createCertificateAuthority('own'), await createCertificateAuthority('other')];
const serving = await issueCertificate(own, { commonName: 'server', hosts: ['127.0.0.1'], usage: 'server' });
const client = await issueCertificate(own, { commonName: 'jane', usage: 'client' });
/** Of each request: the token, and the name in the client's certificate. */
const callers: (readonly [string | undefined, unknown])[] = [];
/** Of each request: the user and the group to act as. */
const acting: (readonly unknown[])[] = [];
const server = createServer(
  { cert: serving.certificatePem, key: serving.keyPem, requestCert: true, rejectUnauthorized: false },
  (request, response) => {
    const { subject } = (request.socket as TLSSocket).getPeerCertificate();
    callers.push([request.headers.authorization, subject?.CN]);
    acting.push([request.headers['impersonate-user'], request.headers['impersonate-group']]);
    response.end(JSON.stringify({ kind: 'List', apiVersion: 'v1', metadata: {}, items: [] }));
  },
);
let url = '';

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const [name, content] of [
    ['own.crt', own.certificatePem],
    ['other.crt', other.certificatePem],
    ['jane.crt', client.certificatePem],
    ['jane.key', client.keyPem],
  ] as const)
    writeFileSync(join(folder, name), content);
});

afterAll(() => {
  server.close();
  server.closeAllConnections();
  rmSync(folder, { recursive: true });
});

/** Runs `get` with a kubeconfig whose cluster and user have these fields. */
async function get(cluster: object, user: object, ...flags: readonly string[]) {
  const kubeconfig = join(folder, 'config');
  const config = {
    'current-context': 'x',
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster: { server: url, ...cluster } }],
    users: [{ name: 'u', user }],
  };
  writeFileSync(kubeconfig, JSON.stringify(config));
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const args = ['get', '--kubeconfig', kubeconfig, '--request-timeout', '5s', ...flags];
  callers.length = acting.length = 0;
  const code = await runKubectlEds({ argv: ['node', 'kubectl-eds', ...args], env: {}, stdout, stderr });
  stderr.end();
  return { code, err: await text(stderr), callers: [...callers], acting: [...acting] };
}

const file = (name: string): string => join(folder, name);
const refused = { code: 1, err: expect.stringMatching(/certificate/i) as string, callers: [] };

describe('flags about TLS stand for all that the kubeconfig has of it, as with kubectl', () => {
  it('--certificate-authority has the server checked, whatever the kubeconfig has', async () => {
    const flags = ['--certificate-authority', file('other.crt')];
    expect(await get({ 'insecure-skip-tls-verify': true }, {}, ...flags)).toMatchObject(refused);
    expect(await get({ 'certificate-authority': file('own.crt') }, {}, ...flags)).toMatchObject(refused);
    const good = ['--certificate-authority', file('own.crt')];
    expect(await get({ 'insecure-skip-tls-verify': true }, {}, ...good)).toMatchObject({ code: 0 });
  });

  it('--insecure-skip-tls-verify needs no authority of the kubeconfig', async () => {
    const missing = { 'certificate-authority': file('missing.crt') };
    expect(await get(missing, {})).toMatchObject({ code: 1 });
    expect(await get(missing, {}, '--insecure-skip-tls-verify')).toMatchObject({ code: 0 });
  });

  it('both at once are refused', async () => {
    const flags = ['--insecure-skip-tls-verify', '--certificate-authority', file('own.crt')];
    const { code, err } = await get({}, {}, ...flags);
    expect([code, err]).toEqual([
      2,
      expect.stringContaining('--certificate-authority and --insecure-skip-tls-verify exclude each other'),
    ]);
  });

  it('--server leaves the name behind that the certificate of the other server has', async () => {
    const cluster = { 'certificate-authority': file('own.crt'), 'tls-server-name': 'elsewhere' };
    expect(await get(cluster, {})).toMatchObject(refused);
    expect(await get(cluster, {}, '--server', url)).toMatchObject({ code: 0 });
    expect(await get(cluster, {}, '--server', url, '--tls-server-name', 'elsewhere')).toMatchObject(refused);
  });
});

it('no plugin runs beside a certificate that is given, as with kubectl', async () => {
  const exec = {
    apiVersion: 'client.authentication.k8s.io/v1',
    command: file('no-such-plugin'),
    interactiveMode: 'Never',
  };
  const cluster = { 'certificate-authority': file('own.crt') };
  expect(await get(cluster, { exec })).toMatchObject({ code: 1 });
  const flags = ['--client-certificate', file('jane.crt'), '--client-key', file('jane.key')];
  expect(await get(cluster, { exec }, ...flags)).toMatchObject({ code: 0, callers: [[undefined, 'jane']] });
});

it('in plain text no token is sent and no plugin is run, as with kubectl', async () => {
  const heard: (string | undefined)[] = [];
  const plain = createHttpServer((request, response) => {
    heard.push(request.headers.authorization, String(request.headers['impersonate-user']));
    response.end(JSON.stringify({ kind: 'List', apiVersion: 'v1', metadata: {}, items: [] }));
  });
  plain.listen(0, '127.0.0.1');
  await once(plain, 'listening');
  const at = ['--server', `http://127.0.0.1:${(plain.address() as AddressInfo).port}`, '--as', 'jane'];
  const exec = {
    apiVersion: 'client.authentication.k8s.io/v1',
    command: '/nothing',
    interactiveMode: 'Never',
  };
  expect(await get({}, { exec }, ...at)).toMatchObject({ code: 0 });
  expect(await get({}, { token: 'secret' }, ...at)).toMatchObject({ code: 0 });
  expect(await get({}, {}, ...at, '--token', 'secret')).toMatchObject({ code: 0 });
  plain.close();
  plain.closeAllConnections();
  expect(heard).toEqual([undefined, 'jane', undefined, 'jane', undefined, 'jane']);
});

it('--as-group goes with the user of the kubeconfig to act as', async () => {
  const cluster = { 'insecure-skip-tls-verify': true };
  expect(await get(cluster, { as: 'jane', 'as-groups': ['ops'] }, '--as-group', 'dev')).toMatchObject({
    code: 0,
    acting: [['jane', 'dev']],
  });
  expect(await get(cluster, {}, '--as-group', 'dev')).toMatchObject({
    code: 2,
    err: expect.stringContaining('--as-uid and --as-group need --as') as string,
  });
});

it('a --server with a port that there is not is refused as a wrong command line', async () => {
  const { code, err } = await get({}, {}, '--server', 'https://127.0.0.1:99999');
  expect([code, err]).toEqual([
    2,
    expect.stringContaining('--server is "https://127.0.0.1:99999". Allowed is a URL like'),
  ]);
});
