import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { isApiError, leases, type ApiError, type Lease, type Stored } from '@atoll/kube';
import { listsAreStreamed } from '../../kube/integration/streamed-lists.ts';
import { startRecording } from '../src/history/recording.ts';
import type { Recording } from '../src/history/recording.ts';
import type { Injection } from '../src/faults/injection.ts';
import { waitFor } from '../src/faults/wait-for.ts';
import { lease, openProxiedControlPlane, setHolder } from './proxied-control-plane.ts';
import type { ProxiedControlPlane } from './proxied-control-plane.ts';

let controlPlane: ProxiedControlPlane;
let recordings: Recording[] = [];

beforeAll(async () => {
  controlPlane = await openProxiedControlPlane('proxy');
});

afterEach(async () => {
  await Promise.all(recordings.map(async (recording) => recording.stop()));
  recordings = [];
});

afterAll(async () => {
  await controlPlane[Symbol.asyncDispose]();
});

const resource = 'leases.coordination.k8s.io';
const match = { resource };

async function record(kubeconfig: string): Promise<Recording> {
  const { namespace } = controlPlane;
  const recording = await startRecording({
    kubeconfig,
    auditLog: inject('auditLog'),
    resources: [leases],
    namespace,
  });
  recordings.push(recording);
  return recording;
}

/** What a recorder saw of some leases: per object, in order. */
function seen(recording: Recording, prefix: string): string[] {
  return recording.events
    .filter(({ name, initial }) => name.startsWith(prefix) && !initial)
    .map(({ type, name, version }) => `${type} ${name} ${version}`);
}

/** Creates, changes and deletes leases, several at a time: `objects` × (2 + `changes`) events. */
async function churn(prefix: string, objects: number, changes: number): Promise<void> {
  await Promise.all(
    Array.from({ length: objects }, async (_, index) => {
      const name = `${prefix}-${index}`;
      await controlPlane.direct.create(leases, lease(controlPlane.namespace, name));
      for (let change = 1; change <= changes; change += 1) {
        await setHolder(controlPlane.direct, controlPlane.namespace, name, String(change));
      }
      await controlPlane.direct.delete(leases, { namespace: controlPlane.namespace, name });
    }),
  );
}

function failure(work: Promise<unknown>): Promise<ApiError> {
  return work.then(
    () => {
      throw new Error('it succeeded');
    },
    (error: unknown) => {
      if (isApiError(error)) return error;
      throw error;
    },
  );
}

async function find(name: string): Promise<Stored<Lease> | undefined> {
  try {
    return await controlPlane.direct.get(leases, { namespace: controlPlane.namespace, name });
  } catch (error) {
    if (isApiError(error, 'NotFound')) return undefined;
    throw error;
  }
}

describe('the watch promises', () => {
  it('hold through the proxy with all rules off: same events, in order, no gap, bookmarks', async () => {
    const [direct, proxied] = await Promise.all([
      record(inject('kubeconfig')),
      record(controlPlane.proxiedKubeconfig),
    ]);
    await churn('clean', 20, 8);
    await waitFor(
      () => seen(direct, 'clean').length === 200 && seen(proxied, 'clean').length === 200,
      '200 events',
    );
    expect(seen(proxied, 'clean')).toEqual(seen(direct, 'clean'));
    const versions = proxied.events.filter(({ initial }) => !initial).map(({ version }) => version);
    expect(versions).toEqual([...versions].sort((a, b) => a - b));
    // Within so short a time the only bookmark is the one that ends the content of a streamed list.
    expect(proxied.progress(resource).bookmarks).toBeGreaterThanOrEqual(listsAreStreamed ? 1 : 0);
    expect((await proxied.history()).gaps).toEqual([]);
  });

  it('hold whatever the proxy does to whole streams, as long as the client comes back', async () => {
    const [direct, proxied] = await Promise.all([
      record(inject('kubeconfig')),
      record(controlPlane.proxiedKubeconfig),
    ]);
    const { proxy } = controlPlane;
    proxy.endWatches(match, { how: 'cut-in-mid-event', afterEvents: 7, times: 3 });
    const ending = proxy.endWatches(match, { how: 'cut', afterEvents: 20, times: 2 });
    await churn('rough-a', 10, 8);
    const hold = proxy.holdWatches(match);
    await churn('rough-b', 10, 3);
    await hold.whenHolding((held) => held.length > 5);
    hold.releaseOne();
    hold.cut();
    proxy.cut();
    await churn('rough-c', 5, 3);
    proxy.heal();
    await waitFor(() => seen(proxied, 'rough-c').length === 25, 'the events of the cut');
    proxy.freeze();
    await churn('rough-d', 5, 3);
    proxy.heal();
    await waitFor(
      () => seen(direct, 'rough').length === 200 && seen(proxied, 'rough').length === 200,
      'all events',
    );
    expect(seen(direct, 'rough')).toHaveLength(200);
    expect(seen(proxied, 'rough')).toEqual(seen(direct, 'rough'));
    expect((await proxied.history()).gaps).toEqual([]);
    ending.remove();
  });

  it('end with 410 where a hold expires: the client sees that it may have missed something', async () => {
    const proxied = await record(controlPlane.proxiedKubeconfig);
    const hold = controlPlane.proxy.holdWatches(match);
    await churn('expired', 3, 1);
    await hold.whenHolding((held) => held.length >= 9);
    hold.expire();
    await expect.poll(async () => (await proxied.history()).gaps).toMatchObject([{ resource }]);
    expect(seen(proxied, 'expired')).toEqual([]);
  });

  it('end with 410, and the audit log proves that listing again found everything', async () => {
    const proxied = await record(controlPlane.proxiedKubeconfig);
    const hold = controlPlane.proxy.holdWatches(match);
    for (const name of ['found-a', 'found-b'])
      await controlPlane.direct.create(leases, lease(controlPlane.namespace, name));
    await hold.whenHolding((held) => held.length >= 2);
    hold.expire();
    await waitFor(() => seen(proxied, 'found').length === 2, 'the new list');
    await expect.poll(async () => (await proxied.history()).gaps).toEqual([]);
    expect(proxied.events.filter(({ relisted }) => relisted)).toHaveLength(2);
  });
});

describe('a start in the past', () => {
  it('shows the store as it was, then catches up', async () => {
    const { direct, proxied, namespace, proxy } = controlPlane;
    const old = await direct.create(leases, lease(namespace, 'stale', 'before'));
    await setHolder(direct, namespace, 'stale', 'after');
    const start = proxy.staleStart({ resource, namespace }, old.metadata.resourceVersion);
    const refused = await failure(
      proxied.watch(leases, { namespace, sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' }),
    );
    expect(refused).toMatchObject({ code: 422, reason: 'Invalid' });
    const list = await proxied.list(leases, { namespace, limit: 2 });
    expect(list.resourceVersion).toBe(old.metadata.resourceVersion);
    expect(list.items.find(({ metadata }) => metadata.name === 'stale')?.spec?.holderIdentity).toBe('before');
    const { body } = await proxied.watch(leases, { namespace, resourceVersion: list.resourceVersion });
    await start.watches.whenHolding((held) => held.some(({ name }) => name === 'stale'));
    start.release();
    for await (const chunk of body) {
      expect(JSON.parse(chunk.toString().split('\n')[0] ?? '')).toMatchObject({
        type: 'MODIFIED',
        object: { metadata: { name: 'stale' }, spec: { holderIdentity: 'after' } },
      });
      break;
    }
    const present = await proxied.list(leases, { namespace });
    expect(Number(present.resourceVersion)).toBeGreaterThan(Number(list.resourceVersion));
  });
});

describe('a write', () => {
  const create = (name: string): Promise<unknown> =>
    controlPlane.proxied.create(leases, lease(controlPlane.namespace, name), { timeoutMs: 5_000 });

  it.each<[string, (name: string) => Injection, Partial<ApiError>, boolean]>([
    [
      '429 with Retry-After',
      (name) => controlPlane.proxy.inject({ name }, { do: 'refuse', code: 429, retryAfterSeconds: 1 }),
      { code: 429, reason: 'TooManyRequests', retryAfterMs: 1000, fate: 'refused' },
      false,
    ],
    ['500', (name) => controlPlane.proxy.inject({ name }, { do: 'refuse', code: 500 }), { code: 500 }, false],
    ['503', (name) => controlPlane.proxy.inject({ name }, { do: 'refuse', code: 503 }), { code: 503 }, false],
    [
      '504 without effect',
      (name) => controlPlane.proxy.inject({ name }, { do: 'refuse', code: 504 }),
      { code: 504 },
      false,
    ],
    [
      '504 with effect',
      (name) => controlPlane.proxy.inject({ name }, { do: 'refuse', code: 504, effect: 'applied' }),
      { code: 504, reason: 'Timeout' },
      true,
    ],
    [
      '403',
      (name) => controlPlane.proxy.inject({ name }, { do: 'refuse', code: 403 }),
      { code: 403, reason: 'Forbidden' },
      false,
    ],
    [
      '422',
      (name) => controlPlane.proxy.inject({ name }, { do: 'refuse', code: 422 }),
      { code: 422, reason: 'Invalid' },
      false,
    ],
    [
      'a lost response',
      (name) => controlPlane.proxy.inject({ name }, { do: 'lose-response' }),
      { code: 0, fate: 'in-doubt' },
      true,
    ],
    [
      'a crash before it is sent',
      (name) =>
        controlPlane.proxy.inject(
          { name },
          { do: 'crash', when: 'before-forwarding', call: () => undefined },
        ),
      { fate: 'in-doubt' },
      false,
    ],
    [
      'a crash after the answer',
      (name) =>
        controlPlane.proxy.inject({ name }, { do: 'crash', when: 'after-answer', call: () => undefined }),
      { fate: 'in-doubt' },
      true,
    ],
  ])('meets %s', async (what, fault, expected, exists) => {
    const name = `write-${what.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`;
    const injection = fault(name);
    expect(await failure(create(name))).toMatchObject(expected);
    expect((await find(name)) !== undefined).toBe(exists);
    injection.remove();
    const next = setHolder(controlPlane.proxied, controlPlane.namespace, name, 'next');
    await (exists ? next : failure(next));
  });

  it('is never answered: in doubt after the timeout, without effect', async () => {
    const injection = controlPlane.proxy.inject({ name: 'half-open' }, { do: 'half-open' });
    const sent = controlPlane.proxied.create(leases, lease(controlPlane.namespace, 'half-open'), {
      timeoutMs: 3_000,
    });
    expect(await failure(sent)).toMatchObject({ fate: 'in-doubt', reason: 'Timeout' });
    expect(await find('half-open')).toBeUndefined();
    injection.remove();
  });

  it('arrives late, after its sender gave up', async () => {
    const kept = controlPlane.proxy.keepRequests({ name: 'late', verb: 'create' });
    const sent = controlPlane.proxied.create(leases, lease(controlPlane.namespace, 'late'), {
      timeoutMs: 3_000,
    });
    expect(await failure(sent)).toMatchObject({ fate: 'in-doubt' });
    expect(await find('late')).toBeUndefined();
    expect(await kept.forward()).toMatchObject([{ code: 201 }]);
    expect(await find('late')).toBeDefined();
    kept.remove();
  });

  it('waits for a slow network and succeeds', async () => {
    const injection = controlPlane.proxy.inject(
      { name: 'slow' },
      { do: 'slow', latencyMs: 200, bytesPerSecond: 4_000 },
    );
    const began = performance.now();
    await create('slow');
    expect(performance.now() - began).toBeGreaterThan(300);
    injection.remove();
  });
});

it('keeps its sender’s identity', async () => {
  const recording = await record(inject('kubeconfig'));
  await controlPlane.proxied.create(leases, lease(controlPlane.namespace, 'mine'));
  await waitFor(() => seen(recording, 'mine').length === 1, 'the event');
  await expect
    .poll(async () =>
      (await recording.history()).entries.find(
        (entry) =>
          entry.kind === 'write' &&
          entry.audit.name === 'mine' &&
          entry.audit.namespace === controlPlane.namespace,
      ),
    )
    .toMatchObject({ result: 'changed', audit: { user: controlPlane.user, verb: 'create', code: 201 } });
});

it('is counted', async () => {
  const { proxy, proxied, namespace } = controlPlane;
  proxy.resetTraffic();
  for (let index = 0; index < 5; index += 1) await proxied.list(leases, { namespace });
  const giveUp = new AbortController();
  await proxied.watch(leases, { namespace, resourceVersion: '0' }, { signal: giveUp.signal });
  expect(proxy.traffic()).toMatchObject({
    requests: { [`list ${resource}`]: 5, [`watch ${resource}`]: 1 },
    openWatches: { [resource]: 1 },
    unanswered: [],
  });
  giveUp.abort();
  await waitFor(() => proxy.traffic().inFlight === 0, 'the watch to end');
});
