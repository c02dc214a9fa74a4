import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  clusterRoleBindings,
  configMaps,
  createClient,
  createInformer,
  loadKubeconfig,
  namespaces,
  requestToken,
  serviceAccounts,
  type CacheEvent,
  type ClusterAccess,
  type ConfigMap,
  type Informer,
  type ReflectorPace,
  type StreamingClient,
} from '@atoll/kube';
import { kubeconfigOf, startFaultProxy, type FaultProxy } from '@atoll/testbed';
import { controlPlaneAccess, untilGranted } from './control-plane.ts';

/** The controller manager puts a ConfigMap of its own into every namespace. */
const labels = { followed: 'yes' };
const labelSelector = 'followed=yes';

/** One namespace's ConfigMaps, changed directly and followed through a proxy that does harm. */
export class FollowedResource implements AsyncDisposable {
  readonly proxy: FaultProxy;
  readonly direct: StreamingClient;
  readonly namespace: string;
  readonly informer: Informer<ConfigMap>;
  /** By name, the versions that were heard, in order; `-` for a deletion. */
  readonly heard = new Map<string, string[]>();
  /** By name, the versions that were written, in order; `-` for a deletion. */
  readonly written = new Map<string, string[]>();
  readonly #proxied: StreamingClient;
  readonly #stop = new AbortController();
  readonly #directory: string;
  readonly #ended: Promise<void>;

  private constructor(
    rig: Rig,
    pace: Partial<ReflectorPace>,
    listener: (events: readonly CacheEvent<ConfigMap>[]) => void,
  ) {
    this.proxy = rig.proxy;
    this.direct = rig.direct;
    this.namespace = rig.namespace;
    this.#proxied = rig.proxied;
    this.#directory = rig.directory;
    this.informer = createInformer({
      client: rig.proxied,
      resource: configMaps,
      namespace: rig.namespace,
      labelSelector,
      pace,
    });
    this.informer.subscribe((events) => {
      for (const { type, object } of events) {
        const { name, resourceVersion } = object.metadata;
        push(this.heard, name, type === 'deleted' ? '-' : resourceVersion);
      }
      listener(events);
    });
    this.#ended = this.informer.start(this.#stop.signal);
  }

  static async open(
    pace: Partial<ReflectorPace> = {},
    listener: (events: readonly CacheEvent<ConfigMap>[]) => void = () => undefined,
  ): Promise<FollowedResource> {
    const followed = new FollowedResource(await openRig(await controlPlaneAccess()), pace, listener);
    await followed.informer.synced;
    await eventually(
      () => followed.informer.state.watching,
      () => 'the watch',
    );
    return followed;
  }

  /** `objects` ConfigMaps at the same time, each created, changed so many times, and every second one deleted. */
  async churn(prefix: string, objects: number, changes: number): Promise<void> {
    const { namespace } = this;
    const one = async (index: number): Promise<void> => {
      const name = `${prefix}-${index}`;
      const created = await this.direct.create(configMaps, {
        metadata: { name, namespace, labels },
        data: { at: '0' },
      });
      push(this.written, name, created.metadata.resourceVersion);
      for (let change = 1; change <= changes; change++) {
        const patch = { type: 'merge', body: { data: { at: String(change) } } } as const;
        const changed = await this.direct.patch(configMaps, { namespace, name }, patch);
        push(this.written, name, changed.metadata.resourceVersion);
      }
      if (index % 2 === 0) return;
      await this.direct.delete(configMaps, { namespace, name });
      push(this.written, name, '-');
    };
    await Promise.all(Array.from({ length: objects }, (_, index) => one(index)));
  }

  /** Resolves when the cache holds what was written last; rejects with the differences after the deadline. */
  async caughtUp(deadlineMs = 90_000): Promise<void> {
    const differing = (): string[] =>
      [...this.written].flatMap(([name, versions]) => {
        const expected = versions.at(-1);
        const held =
          this.informer.cache.get({ namespace: this.namespace, name })?.metadata.resourceVersion ?? '-';
        return held === expected && (this.heard.get(name)?.at(-1) ?? '-') === held
          ? []
          : [`${name}: ${held}, not ${expected}`];
      });
    await eventually(
      () => differing().length === 0,
      () => `the cache to catch up; ${differing().slice(0, 5).join('; ')}`,
      deadlineMs,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#ended;
    await this.#proxied.close();
    await this.proxy.close();
    await this.direct.delete(clusterRoleBindings, { name: this.namespace });
    await this.direct.delete(namespaces, { name: this.namespace });
    await this.direct.close();
    await rm(this.#directory, { recursive: true });
  }
}

interface Rig {
  readonly proxy: FaultProxy;
  readonly direct: StreamingClient;
  readonly proxied: StreamingClient;
  readonly namespace: string;
  readonly directory: string;
}

async function openRig(access: ClusterAccess): Promise<Rig> {
  const direct = createClient(access, { userAgent: 'reflector-spec' });
  const namespace = `reflector-${Math.random().toString(36).slice(2, 8)}`;
  await direct.create(namespaces, { metadata: { name: namespace } });
  await direct.create(serviceAccounts, { metadata: { name: 'reader', namespace } });
  await direct.create(clusterRoleBindings, {
    metadata: { name: namespace },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', namespace, name: 'reader' }],
  });
  const { token } = await requestToken(direct, { namespace, name: 'reader' });
  await untilGranted(token);
  const caData = access.certificateAuthority?.from === 'value' ? access.certificateAuthority.value : '';
  const directory = await mkdtemp(join(tmpdir(), 'atoll-reflector-'));
  const proxy = await startFaultProxy({ target: { url: access.server, caData }, directory });
  const file = join(directory, 'reader.kubeconfig');
  await writeFile(file, kubeconfigOf(access.server, caData, { name: 'reader', token }));
  const proxied = createClient(await loadKubeconfig({ path: await proxy.kubeconfigFrom(file) }), {
    userAgent: 'reflector',
  });
  return { proxy, direct, proxied, namespace, directory };
}

export async function eventually(
  condition: () => boolean,
  what: () => string,
  deadlineMs = 90_000,
): Promise<void> {
  const end = performance.now() + deadlineMs;
  while (!condition()) {
    if (performance.now() > end) throw new Error(`waited ${deadlineMs} ms in vain for ${what()}`);
    await delay(20);
  }
}

function push(lists: Map<string, string[]>, name: string, version: string): void {
  const list = lists.get(name) ?? [];
  lists.set(name, list);
  list.push(version);
}
