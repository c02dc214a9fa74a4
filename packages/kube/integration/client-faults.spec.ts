import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ApiError,
  clusterRoleBindings,
  configMaps,
  createClient,
  requestToken,
  serviceAccounts,
  type ClientOptions,
  type StreamingClient,
} from '@atoll/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startFaultProxy } from '../../testbed/src/faults/start-fault-proxy.ts';
import type { FaultProxy } from '../../testbed/src/index.ts';
import {
  connect,
  isAbsent,
  newNamespace,
  controlPlaneAccess,
  untilGranted,
  withToken,
} from './control-plane.ts';

let admin: StreamingClient & AsyncDisposable;
let directory: string;
let proxy: FaultProxy;
let namespace: string;
let token: string;

beforeAll(async () => {
  admin = await connect();
  namespace = await newNamespace(admin, 'faults');
  const account = { namespace, name: 'worker' };
  await admin.create(serviceAccounts, { metadata: account });
  await admin.create(clusterRoleBindings, {
    metadata: { name: namespace },
    subjects: [{ kind: 'ServiceAccount', ...account }],
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
  });
  token = (await requestToken(admin, account)).token;
  await untilGranted(token);
  directory = await mkdtemp(join(tmpdir(), 'client-faults-'));
  const access = await controlPlaneAccess();
  const ca = access.certificateAuthority;
  if (ca?.from !== 'value')
    throw new Error('the control plane’s kubeconfig is expected to carry its authority');
  proxy = await startFaultProxy({ target: { url: access.server, caData: ca.value }, directory });
});

afterAll(async () => {
  await proxy.close();
  await admin.close();
  await rm(directory, { recursive: true, force: true });
});

/** A client whose requests all pass the proxy. */
async function throughProxy(options: ClientOptions = {}): Promise<StreamingClient & AsyncDisposable> {
  const access = {
    ...withToken(await controlPlaneAccess(), token),
    server: proxy.url,
    certificateAuthority: { from: 'value', value: proxy.caData },
  } as const;
  const client = createClient(access, { retry: { firstPauseMs: 10 }, ...options });
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() });
}

async function failureOf(work: Promise<unknown>): Promise<ApiError> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ApiError)) throw new Error('no ApiError', { cause: error });
  return error;
}

describe('a write', () => {
  it('whose answer is lost is in doubt, is not sent twice, and did take place', async () => {
    await using client = await throughProxy();
    const key = { namespace, name: 'lost' };
    proxy.inject({ verb: 'create', resource: 'configmaps', times: 1 }, { do: 'lose-response' });
    const error = await failureOf(client.create(configMaps, { metadata: key }));
    expect([error.fate, error.reason]).toEqual(['in-doubt', 'NetworkError']);
    expect(await isAbsent(admin.get(configMaps, key))).toBe(false);
  });

  it('that was answered 504 is in doubt, though it took place', async () => {
    await using client = await throughProxy();
    const key = { namespace, name: 'late' };
    const fault = { do: 'refuse', code: 504, effect: 'applied' } as const;
    proxy.inject({ verb: 'create', resource: 'configmaps', times: 1 }, fault);
    const error = await failureOf(client.create(configMaps, { metadata: key }));
    expect([error.fate, error.code]).toEqual(['in-doubt', 504]);
    expect(await isAbsent(admin.get(configMaps, key))).toBe(false);
  });

  it('that is refused with 429 is sent again after the pause that the server asks for', async () => {
    await using client = await throughProxy();
    const fault = { do: 'refuse', code: 429, retryAfterSeconds: 1 } as const;
    proxy.inject({ verb: 'create', resource: 'configmaps', times: 1 }, fault);
    const startedAt = performance.now();
    await client.create(configMaps, { metadata: { namespace, name: 'throttled' } });
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(1_000);
  });

  it('into a half-open connection is in doubt after its timeout, and the next one has a new connection', async () => {
    await using client = await throughProxy({ sockets: { requests: 1 } });
    const key = { namespace, name: 'half-open' };
    await client.list(configMaps, { namespace });
    proxy.inject({ verb: 'create', resource: 'configmaps', times: 1 }, { do: 'half-open' });
    const error = await failureOf(client.create(configMaps, { metadata: key }, { timeoutMs: 3_000 }));
    expect([error.fate, error.reason]).toEqual(['in-doubt', 'Timeout']);
    expect((await client.create(configMaps, { metadata: key })).metadata.name).toBe(key.name);
  });

  it('to a server that resets every new connection is unsent', async () => {
    await using client = await throughProxy();
    proxy.cut();
    try {
      const error = await failureOf(client.create(configMaps, { metadata: { namespace, name: 'cut' } }));
      expect([error.fate, error.reason]).toEqual(['unsent', 'NetworkError']);
    } finally {
      proxy.heal();
    }
    await client.create(configMaps, { metadata: { namespace, name: 'cut' } });
  });
});

describe('a read', () => {
  it('survives a cut in which every kept connection breaks', async () => {
    await using client = await throughProxy();
    const list = (): Promise<unknown> => client.list(configMaps, { namespace });
    const before = proxy.traffic().connections;
    await Promise.all(Array.from({ length: 20 }, list));
    proxy.cut();
    proxy.heal();
    await Promise.all(Array.from({ length: 20 }, list));
    expect(proxy.traffic().connections - before).toBeLessThanOrEqual(2 * 14);
  });

  it('survives 500, 503 and a lost answer in a row', async () => {
    await using client = await throughProxy();
    const read = { verb: 'list', resource: 'configmaps', times: 1 } as const;
    proxy.inject(read, { do: 'refuse', code: 500 });
    proxy.inject(read, { do: 'refuse', code: 503 });
    proxy.inject(read, { do: 'lose-response' });
    expect((await client.list(configMaps, { namespace })).items.length).toBeGreaterThan(0);
  });
});
