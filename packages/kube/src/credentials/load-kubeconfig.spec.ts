import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { CredentialError } from './credential-error.ts';
import { findCluster } from './find-cluster.ts';
import { inClusterAccess } from './in-cluster.ts';
import { loadKubeconfig } from './load-kubeconfig.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kubeconfig-'));
});
afterEach(async () => rm(folder, { recursive: true, force: true }));

async function file(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

/** A kubeconfig of one cluster and one user, given as YAML flow mappings. */
function kubeconfig(cluster: string, user: string, more = ''): string {
  return `
apiVersion: v1
kind: Config
current-context: here
contexts: [{name: here, context: {cluster: c, user: u, namespace: edge}}]
clusters: [{name: c, cluster: ${cluster}}]
users: [{name: u, user: ${user}}]
${more}`;
}

const server = '{server: "https://api:6443"}';

describe('a kubeconfig file', () => {
  it('gives server, namespace, certificates and token', async () => {
    const cluster = `{server: "https://api:6443/base/", certificate-authority: pki/ca.crt, tls-server-name: kube, proxy-url: "http://p:1"}`;
    const user = `{client-certificate-data: ${base64('CERT')}, client-key: /keys/key, token: t, tokenFile: token}`;
    const path = await file('config', kubeconfig(cluster, user));
    expect(await loadKubeconfig({ path, environment: {} })).toEqual({
      server: 'https://api:6443/base',
      namespace: 'edge',
      insecureSkipTlsVerify: false,
      certificateAuthority: { from: 'file', path: join(folder, 'pki/ca.crt') },
      tlsServerName: 'kube',
      proxyUrl: 'http://p:1',
      clientCertificate: {
        certificate: { from: 'value', value: 'CERT' },
        key: { from: 'file', path: '/keys/key' },
      },
      authorization: { type: 'token', token: { from: 'file', path: join(folder, 'token') } },
    });
  });

  it.for([
    ['a token', 'token: t', { type: 'token', token: { from: 'value', value: 't' } }],
    ['a password', 'username: me, password: pw', { type: 'basic', username: 'me', password: 'pw' }],
    ['a client certificate', `client-certificate-data: ${base64('C')}, client-key: k`, { type: 'none' }],
  ] as const)('has no plugin run beside %s, as kubectl', async ([, fields, expected]) => {
    const exec = 'exec: {apiVersion: client.authentication.k8s.io/v1, command: x, interactiveMode: Never}';
    const path = await file('config', kubeconfig(server, `{${fields}, ${exec}}`));
    expect((await loadKubeconfig({ path, environment: {} })).authorization).toEqual(expected);
  });

  it.for(['http://api:8080', 'HTTP://api:8080'])(
    'sends no credentials to %s, and asks for none, as client-go',
    async (plain) => {
      const exec = 'exec: {apiVersion: client.authentication.k8s.io/v1, command: x, interactiveMode: Never}';
      const users = ['token: t', 'username: me, password: pw', 'client-certificate: c, client-key: k', exec];
      for (const user of users) {
        const path = await file('config', kubeconfig(`{server: "${plain}"}`, `{as: jane, ${user}}`));
        expect(await loadKubeconfig({ path, environment: {} })).toEqual({
          server: plain,
          namespace: 'edge',
          insecureSkipTlsVerify: false,
          authorization: { type: 'none' },
          impersonate: { user: 'jane', groups: [], extra: {} },
        });
      }
    },
  );

  it('may say with << what several clusters have in common, as for kubectl', async () => {
    const text = `x: &same {tls-server-name: kube}\n${kubeconfig('{<<: *same, server: "https://api:6443"}', '{}')}`;
    const path = await file('config', text);
    expect(await loadKubeconfig({ path, environment: {} })).toMatchObject({ tlsServerName: 'kube' });
  });

  // Compared with kubectl config view --minify of 1.32.
  it.each([
    ['ends with ---', '---\n', 'https://first'],
    ['has more documents, which do not count', '---\ncurrent-context: x\n---\n{ x: [\n', 'https://first'],
    [
      'has a key twice, of which the last counts',
      'clusters: [{name: c, cluster: {server: "https://last"}}]\n',
      'https://last',
    ],
  ])('is read where it %s, as by kubectl', async (_, more, expected) => {
    const path = await file('config', kubeconfig('{server: "https://first"}', '{}', more));
    expect(await loadKubeconfig({ path, environment: {} })).toMatchObject({ server: expected });
  });

  it('need not have the cluster where a server is given, as for kubectl', async () => {
    const text =
      'current-context: x\ncontexts: [{name: x, context: {cluster: z, user: u}}]\nusers: [{name: u, user: {token: t}}]';
    const path = await file('config', text);
    expect(await loadKubeconfig({ path, server: 'https://api', environment: {} })).toMatchObject({
      server: 'https://api',
      authorization: { type: 'token' },
    });
  });

  it('gives impersonation as kubectl has it', async () => {
    const user = `{username: me, password: pw, as: you, as-uid: "7", as-groups: [a, b], as-user-extra: {scopes: [x, y]}}`;
    const path = await file('config', kubeconfig(server, user));
    expect(await loadKubeconfig({ path, environment: {} })).toMatchObject({
      authorization: { type: 'basic', username: 'me', password: 'pw' },
      impersonate: { user: 'you', uid: '7', groups: ['a', 'b'], extra: { scopes: ['x', 'y'] } },
    });
  });

  it('gives the plugin that has the credentials', async () => {
    const exec = `{apiVersion: client.authentication.k8s.io/v1, command: ./bin/login, args: [a], env: [{name: X, value: "1"}],
      interactiveMode: IfAvailable, provideClusterInfo: true, installHint: "get it"}`;
    const cluster = `{server: "https://api", extensions: [{name: client.authentication.k8s.io/exec, extension: {audience: z}}]}`;
    const path = await file('config', kubeconfig(cluster, `{exec: ${exec}}`));
    expect((await loadKubeconfig({ path, environment: {} })).authorization).toEqual({
      type: 'exec',
      plugin: {
        apiVersion: 'client.authentication.k8s.io/v1',
        command: join(folder, 'bin/login'),
        args: ['a'],
        env: { X: '1' },
        interactiveMode: 'IfAvailable',
        provideClusterInfo: true,
        installHint: 'get it',
        clusterConfig: { audience: 'z' },
      },
    });
  });

  it('takes another context where asked', async () => {
    const more = '';
    const text = kubeconfig(server, '{}', more).replace(
      'contexts: [',
      'contexts: [{name: other, context: {cluster: c}}, ',
    );
    const path = await file('config', text);
    expect(await loadKubeconfig({ path, context: 'other', environment: {} })).toEqual({
      server: 'https://api:6443',
      insecureSkipTlsVerify: false,
      authorization: { type: 'none' },
    });
  });

  it('takes another cluster, user and server where asked', async () => {
    const more = (text: string) =>
      text
        .replace('clusters: [', 'clusters: [{name: d, cluster: {server: "https://d:6443"}}, ')
        .replace('users: [', 'users: [{name: v, user: {token: v}}, ');
    const path = await file('config', more(kubeconfig(server, '{}')));
    const environment = {};
    expect(await loadKubeconfig({ path, environment, cluster: 'd', user: 'v' })).toMatchObject({
      server: 'https://d:6443',
      namespace: 'edge',
      authorization: { type: 'token', token: { from: 'value', value: 'v' } },
    });
    expect((await loadKubeconfig({ path, environment, server: 'https://e' })).server).toBe('https://e');
    await expect(loadKubeconfig({ path, environment, cluster: 'x' })).rejects.toThrow(
      `${path}: cluster: no cluster "x"; allowed: d, c`,
    );
    await expect(loadKubeconfig({ path, environment, user: 'x' })).rejects.toThrow(
      `${path}: user: no user "x"; allowed: v, u`,
    );
  });

  it('needs no current context where a cluster or a server is chosen', async () => {
    const text = kubeconfig(server, '{token: t}').replace('current-context: here', '');
    const path = await file('config', text);
    const load = async (chosen: object) => loadKubeconfig({ path, environment: {}, ...chosen });
    const token = { type: 'token', token: { from: 'value', value: 't' } };
    const none = { insecureSkipTlsVerify: false, authorization: { type: 'none' } };
    expect(await load({ cluster: 'c' })).toEqual({ server: 'https://api:6443', ...none });
    expect(await load({ server: 'https://other' })).toEqual({ server: 'https://other', ...none });
    const both = { server: 'https://api:6443', ...none, authorization: token };
    expect(await load({ cluster: 'c', user: 'u' })).toEqual(both);
    expect(await load({ server: 'https://other', user: 'u' })).toEqual({ ...both, server: 'https://other' });
    await expect(load({ user: 'u' })).rejects.toThrow('current-context: missing');
    await expect(load({ cluster: 'x' })).rejects.toThrow('cluster: no cluster "x"; allowed: c');
  });

  it('is not needed where a server is given', async () => {
    const environment = { HOME: folder };
    expect(await loadKubeconfig({ environment, server: 'https://e' })).toEqual({
      server: 'https://e',
      insecureSkipTlsVerify: false,
      authorization: { type: 'none' },
    });
    await expect(loadKubeconfig({ environment })).rejects.toThrow('no kubeconfig');
    // Nobody would be asked as, instead of the user who is named.
    await expect(loadKubeconfig({ environment, server: 'https://e', user: 'u' })).rejects.toThrow(
      'no kubeconfig: user: no user "u"; allowed: there are none',
    );
  });

  it('takes the proxy of the environment where it names none', async () => {
    const path = await file('config', kubeconfig(server, '{}'));
    const environment = { HTTPS_PROXY: 'http://p:1' };
    expect((await loadKubeconfig({ path, environment })).proxyUrl).toBe('http://p:1');
  });
});

describe('what is read', () => {
  it('may be a pipe, as for kubectl', async () => {
    const path = join(folder, 'pipe');
    execFileSync('mkfifo', [path]);
    const reading = loadKubeconfig({ path, environment: {} });
    await writeFile(path, kubeconfig(server, '{}'));
    expect(await reading).toMatchObject({ server: 'https://api:6443' });
  });

  it('is not larger than 16 MiB', async () => {
    const path = await file('config', kubeconfig(server, '{}'));
    await truncate(path, 16 * 1024 * 1024 + 1);
    await expect(loadKubeconfig({ path, environment: {} })).rejects.toThrow(
      `${path}: it has more than 16777216 bytes, which is the most that is read`,
    );
  });
});

describe('several files', () => {
  it('are merged: the first that names an entry or the context wins, files that do not exist are passed over', async () => {
    const first = await file('first', 'users: [{name: u, user: {token: first}}]\ncurrent-context: here');
    const second = await file(
      'second',
      kubeconfig('{server: "https://second", certificate-authority: ca}', '{token: second}'),
    );
    const environment = { KUBECONFIG: `:${join(folder, 'absent')}:${first}:${second}` };
    expect(await loadKubeconfig({ environment })).toMatchObject({
      server: 'https://second',
      certificateAuthority: { from: 'file', path: join(folder, 'ca') },
      authorization: { type: 'token', token: { from: 'value', value: 'first' } },
    });
  });

  it('are not mixed within an entry', async () => {
    const first = await file('first', 'users: [{name: u, user: {as: you}}]');
    const second = await file('second', kubeconfig(server, '{token: second}'));
    const { authorization } = await loadKubeconfig({ environment: { KUBECONFIG: `${first}:${second}` } });
    expect(authorization).toEqual({ type: 'none' });
  });
});

describe('without a file given', () => {
  it('the one in the home folder is read', async () => {
    await mkdir(join(folder, '.kube'));
    await file('.kube/config', kubeconfig('{server: "https://home"}', '{}'));
    expect((await loadKubeconfig({ environment: { HOME: folder } })).server).toBe('https://home');
  });

  const pod = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' };

  it('a controller in a pod takes the pod’s own cluster', async () => {
    expect(await findCluster({ environment: { ...pod, HOME: folder } })).toEqual({
      server: 'https://10.0.0.1:443',
      insecureSkipTlsVerify: false,
      certificateAuthority: { from: 'file', path: '/var/run/secrets/kubernetes.io/serviceaccount/ca.crt' },
      authorization: {
        type: 'token',
        token: { from: 'file', path: '/var/run/secrets/kubernetes.io/serviceaccount/token' },
      },
    });
  });

  it.for([
    ['edge\n', { namespace: 'edge' }],
    ['\n', {}],
    ['', {}],
  ] as const)('the namespace of a pod whose file has %j is %j', async ([text, namespace]) => {
    await file('namespace', text);
    expect(await inClusterAccess({ ...pod, KUBERNETES_SERVICE_HOST: 'fd00::1' }, folder)).toEqual({
      server: 'https://[fd00::1]:443',
      insecureSkipTlsVerify: false,
      certificateAuthority: { from: 'file', path: join(folder, 'ca.crt') },
      authorization: { type: 'token', token: { from: 'file', path: join(folder, 'token') } },
      ...namespace,
    });
  });

  it('KUBECONFIG wins over the pod’s own cluster', async () => {
    const path = await file('config', kubeconfig(server, '{}'));
    expect((await findCluster({ environment: { ...pod, KUBECONFIG: path } })).server).toBe(
      'https://api:6443',
    );
  });

  it('is found by the environment of the process where none is given', async () => {
    const path = await file('given', kubeconfig('{server: "https://process"}', '{}'));
    vi.stubEnv('KUBECONFIG', path);
    onTestFinished(() => void vi.unstubAllEnvs());
    expect((await findCluster()).server).toBe('https://process');
    expect((await findCluster({ environment: { KUBECONFIG: path } })).server).toBe('https://process');
  });
});

/** A text of a few lines that would be a thousand million values. */
const repeatedAliases = [
  'a0: &a0 x',
  ...Array.from({ length: 9 }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i}, `.repeat(10)}]`),
].join('\n');

describe('a mistake is one sentence with file, field, value and what is allowed', () => {
  const exec = (fields: string): string => kubeconfig(server, `{exec: {${fields}}}`);
  it.for([
    ['{', 'FILE: is not YAML: '],
    ['current-context: *here', 'FILE: is not YAML: Unresolved alias'],
    ['clusters: [{<<: 5, name: c}]', 'FILE: is not YAML: Merge sources must be maps or map aliases'],
    [repeatedAliases, 'FILE: is not YAML: Excessive alias count'],
    ['kind: Pod', 'FILE: kind: "Pod"; allowed: Config'],
    ['- a', 'FILE: a list; allowed: a mapping'],
    ['eyJhbGciOiJSUzI1NiIsImtpZCI6IjEyMzQ1Njc4OTAifQ', 'FILE: a text of 46 characters; allowed: a mapping'],
    ['clusters: 5', 'FILE: clusters: 5; allowed: a list'],
    ['clusters: [{}]', 'FILE: clusters[0].name: missing; allowed: a string'],
    ['kind: Config', 'FILE: current-context: missing; allowed: a context of the file: there are none'],
    ['current-context: x\ncontexts: [{name: y}]', 'FILE: current-context: no context "x"; allowed: y'],
    [
      'current-context: x\ncontexts: [{name: x, context: {cluster: z}}]\nclusters: [{name: a}]',
      'FILE: contexts[name=x].context.cluster: "z"; allowed: a cluster of the file: a',
    ],
    [
      'current-context: x\ncontexts: [{name: x, context: {cluster: z}}]',
      'FILE: contexts[name=x].context.cluster: "z"; allowed: a cluster of the file: there are none',
    ],
    [kubeconfig('{}', '{}'), 'FILE: clusters[name=c].cluster.server: missing; allowed: a string'],
    [
      kubeconfig('{server: api}', '{}'),
      'FILE: clusters[name=c].cluster.server: "api"; allowed: a URL that begins with https:// or http://',
    ],
    [
      kubeconfig('{server: "https://a", insecure-skip-tls-verify: "yes"}', '{}'),
      'FILE: clusters[name=c].cluster.insecure-skip-tls-verify: "yes"; allowed: true, false',
    ],
    [
      kubeconfig('{server: "https://a", insecure-skip-tls-verify: true, certificate-authority: ca}', '{}'),
      'FILE: clusters[name=c].cluster.insecure-skip-tls-verify: must not be true beside a certificate authority',
    ],
    [
      kubeconfig('{server: "https://a", certificate-authority-data: "?"}', '{}'),
      'FILE: clusters[name=c].cluster.certificate-authority-data: is not base64',
    ],
    [
      kubeconfig('{server: "https://a", proxy-url: "ftp://me:secret/@p"}', '{}'),
      'FILE: clusters[name=c].cluster.proxy-url: "ftp://…@p"; allowed: a URL that begins with http://, https:// or socks5://, with %25 for a % in its user and password',
    ],
    [
      kubeconfig('{server: "https://a", proxy-url: "me:secret@p"}', '{}'),
      'FILE: clusters[name=c].cluster.proxy-url: "…@p"; allowed: a URL that begins with http://, https:// or socks5://, with %25 for a % in its user and password',
    ],
    [
      kubeconfig('{server: "https://a", proxy-url: "ftp://p"}', '{}'),
      'FILE: clusters[name=c].cluster.proxy-url: "ftp://p"; allowed: a URL that begins with http://, https:// or socks5://, with %25 for a % in its user and password',
    ],
    [
      kubeconfig(server, '{client-certificate: a}'),
      'FILE: users[name=u].user.client-key: missing beside client-certificate',
    ],
    [
      kubeconfig(server, '{token: a, username: b}'),
      'FILE: users[name=u].user.token and username: only one of them is allowed',
    ],
    [
      kubeconfig(server, '{auth-provider: {name: gcp}}'),
      'FILE: users[name=u].user.auth-provider: was removed from Kubernetes in 1.26; use exec, token or a client certificate',
    ],
    [
      kubeconfig(server, '{as-groups: [a]}'),
      'FILE: users[name=u].user.as: missing beside as-uid, as-groups or as-user-extra',
    ],
    [
      exec('apiVersion: client.authentication.k8s.io/v1alpha1'),
      'FILE: users[name=u].user.exec.apiVersion: "client.authentication.k8s.io/v1alpha1"; allowed: client.authentication.k8s.io/v1, client.authentication.k8s.io/v1beta1',
    ],
    [
      exec('apiVersion: client.authentication.k8s.io/v1, command: x'),
      'FILE: users[name=u].user.exec.interactiveMode: missing; allowed: Never, IfAvailable, Always',
    ],
    [
      exec('apiVersion: client.authentication.k8s.io/v1beta1'),
      'FILE: users[name=u].user.exec.command: missing; allowed: a string',
    ],
  ] as const)('%#: %s', async ([text, message]) => {
    const path = await file('config', text);
    await expect(loadKubeconfig({ path, environment: {} })).rejects.toThrow(
      expect.objectContaining({
        name: 'CredentialError',
        message: expect.stringContaining(message.replace('FILE', path)) as unknown,
      }),
    );
  });

  it.for(['api:6443', 'api', 'ftp://api', ''])('also of a server that is given: %j', async (given) => {
    const allowed = 'a URL that begins with https:// or http://';
    await expect(loadKubeconfig({ server: given, environment: { HOME: folder } })).rejects.toThrow(
      new CredentialError(`server: ${JSON.stringify(given)}; allowed: ${allowed}`),
    );
  });

  it('of a server that is given, without its password', async () => {
    await expect(
      loadKubeconfig({ server: 'ftp://me:secret@api', environment: { HOME: folder } }),
    ).rejects.toThrow('server: "ftp://…@api"; allowed');
  });

  it('also where there is no file, or no context of that name', async () => {
    const path = join(folder, 'absent');
    await expect(loadKubeconfig({ path, environment: {} })).rejects.toThrow(`${path}: no such file`);
    await expect(loadKubeconfig({ environment: { KUBECONFIG: path } })).rejects.toThrow(
      `no kubeconfig: ${path}: no such file (from KUBECONFIG)`,
    );
    await expect(loadKubeconfig({ environment: { HOME: folder } })).rejects.toThrow(
      `no kubeconfig: ${folder}/.kube/config: no such file; set KUBECONFIG or give a file`,
    );
    const there = await file('config', kubeconfig(server, '{}'));
    await expect(loadKubeconfig({ path: there, context: 'x' })).rejects.toThrow(
      `${there}: context: no context "x"; allowed: here`,
    );
    await expect(loadKubeconfig({ path: folder })).rejects.toThrow(`${folder}: it is a directory`);
    await expect(loadKubeconfig({ path: join(there, 'config') })).rejects.toThrow(
      `${there}/config: a folder on the way to it is a file`,
    );
  });
});
