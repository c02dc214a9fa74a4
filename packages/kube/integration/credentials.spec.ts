import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  configMaps,
  createClient,
  inClusterAccess,
  loadKubeconfig,
  namespaces,
  requestToken,
  serviceAccounts,
  serviceAccountUser,
  type ClusterAccess,
  type StreamingClient,
} from '@atoll/kube';
import { afterEach, beforeEach, expect, inject, it } from 'vitest';
import { stringify } from 'yaml';
import { connect, newNamespace, controlPlaneAccess } from './control-plane.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'credentials-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Who the API server takes us for. */
async function whoAmI(client: StreamingClient): Promise<string> {
  const { body } = await client.raw({
    method: 'POST',
    path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
    contentType: 'application/json',
    body: JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }),
  });
  const review = JSON.parse(body.toString('utf8')) as { status: { userInfo: { username: string } } };
  return review.status.userInfo.username;
}

function caOf(access: ClusterAccess): string {
  const source = access.certificateAuthority;
  if (source?.from !== 'value')
    throw new Error('the control plane’s kubeconfig is expected to carry its authority');
  return source.value;
}

/** Two service accounts and a token of each. */
async function twoTokens(
  client: StreamingClient,
): Promise<readonly { readonly user: string; readonly token: string }[]> {
  const namespace = await newNamespace(client, 'rotation');
  return Promise.all(
    ['first', 'second'].map(async (name) => {
      await client.create(serviceAccounts, { metadata: { namespace, name } });
      const { token } = await requestToken(client, { namespace, name });
      return { user: serviceAccountUser(namespace, name), token };
    }),
  );
}

it('the pod’s token and authority are read from its files, and a bad token is replaced as soon as it is refused', async () => {
  await using admin = await connect();
  const [first, second] = await twoTokens(admin);
  const access = await controlPlaneAccess();
  const { hostname, port } = new URL(access.server);
  await writeFile(join(folder, 'ca.crt'), caOf(access));
  await writeFile(join(folder, 'namespace'), 'edge\n');
  await writeFile(join(folder, 'token'), first?.token ?? '');
  const environment = { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port };
  const inCluster = await inClusterAccess(environment, folder);
  expect(inCluster.namespace).toBe('edge');
  let time = 0;
  const clock = {
    now: () => Date.now(),
    monotonic: () => time,
    processorMs: () => 0,
    setTimer: () => () => undefined,
  };
  const client = createClient(inCluster, { clock });
  expect(await whoAmI(client)).toBe(first?.user);
  await writeFile(join(folder, 'token'), second?.token ?? '');
  time = 10_000;
  expect(await whoAmI(client)).toBe(second?.user);
  await client.close();

  // A token that the server does not take, and its replacement within the same ten seconds.
  await writeFile(join(folder, 'token'), 'stale');
  const late = createClient(inCluster, { clock });
  await expect(whoAmI(late)).rejects.toMatchObject({ code: 401, fate: 'refused' });
  await writeFile(join(folder, 'token'), first?.token ?? '');
  expect(await whoAmI(late)).toBe(first?.user);
  await late.close();
});

it('an exec plugin beside the kubeconfig file logs in, and again once its token has expired', async () => {
  await using admin = await connect();
  const [first, second] = await twoTokens(admin);
  const access = await controlPlaneAccess();
  await mkdir(join(folder, 'bin'));
  await writeFile(join(folder, 'bin/login'), `#!/bin/sh\ncat '${folder}/credential.json'\n`);
  await chmod(join(folder, 'bin/login'), 0o755);
  const prints = async (token: string | undefined): Promise<void> => {
    const status = { token, expirationTimestamp: new Date(Date.now() + 600_000).toISOString() };
    const credential = { apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status };
    await writeFile(join(folder, 'credential.json'), JSON.stringify(credential));
  };
  const exec = {
    apiVersion: 'client.authentication.k8s.io/v1',
    command: 'bin/login',
    interactiveMode: 'Never',
    provideClusterInfo: true,
  };
  const cluster = {
    server: access.server,
    'certificate-authority-data': Buffer.from(caOf(access)).toString('base64'),
  };
  await writeFile(
    join(folder, 'config'),
    stringify({
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
      clusters: [{ name: 'c', cluster }],
      users: [{ name: 'u', user: { exec } }],
    }),
  );
  let late = 0;
  const clock = {
    now: () => Date.now() + late,
    monotonic: () => performance.now(),
    processorMs: () => 0,
    setTimer: () => () => undefined,
  };
  const client = createClient(await loadKubeconfig({ path: join(folder, 'config') }), { clock });
  await prints(first?.token);
  expect(await whoAmI(client)).toBe(first?.user);
  await prints(second?.token);
  expect(await whoAmI(client)).toBe(first?.user);
  late = 700_000;
  expect(await whoAmI(client)).toBe(second?.user);
  await client.close();
});

it('a user who may, acts as somebody else', async () => {
  await using client = await connect({}, (access) => ({
    ...access,
    impersonate: { user: 'jane', groups: ['system:authenticated'], extra: { 'example.com/scope': ['x'] } },
  }));
  expect(await whoAmI(client)).toBe('jane');
  await expect(client.list(namespaces)).rejects.toThrow(
    'list namespaces: namespaces is forbidden: User "jane"',
  );
});

it('KUBECONFIG finds the same cluster as the file', async () => {
  const access = await loadKubeconfig({ environment: { KUBECONFIG: inject('kubeconfig') } });
  expect(access).toEqual(await controlPlaneAccess());
  const client = createClient(access);
  expect((await client.list(configMaps, { namespace: 'kube-system' })).items.length).toBeGreaterThan(0);
  await client.close();
});
