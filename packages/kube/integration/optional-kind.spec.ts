import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import {
  clusterRoleBindings,
  clusterRoles,
  createInformers,
  customResourceDefinitions,
  definitionName,
  isApiError,
  requestToken,
  serviceAccounts,
  type KubeObject,
  type OptionalInformer,
  type Resource,
  type StreamingClient,
} from '@atoll/kube';
import { eventually } from './followed-resource.ts';
import { connect, isAbsent, newNamespace, untilGranted, withToken } from './control-plane.ts';

/** A kind of this test only: other tests share the control plane. */
function newKind(): Resource<KubeObject> {
  const group = `tides-${Math.random().toString(36).slice(2, 8)}.example.com`;
  return { group, version: 'v1', kind: 'Tide', plural: 'tides', namespaced: true };
}

async function define(client: StreamingClient, { group, version, kind, plural }: Resource<KubeObject>) {
  await client.create(customResourceDefinitions, {
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      ],
    },
  });
}

/** A client that may do what an operator may that follows a kind which need not be there, and nothing else. */
async function follower(
  admin: StreamingClient,
  namespace: string,
  resource: Resource<KubeObject>,
  codes: number[],
): Promise<StreamingClient & AsyncDisposable> {
  const account = { namespace, name: 'follower' };
  await admin.create(serviceAccounts, { metadata: account });
  const { token } = await requestToken(admin, account);
  await admin.create(clusterRoles, {
    metadata: { name: namespace },
    rules: [
      {
        apiGroups: ['apiextensions.k8s.io'],
        resources: ['customresourcedefinitions'],
        resourceNames: [definitionName(resource)],
        verbs: ['list', 'watch'],
      },
      { apiGroups: [resource.group], resources: [resource.plural], verbs: ['list', 'watch'] },
    ],
  });
  await admin.create(clusterRoleBindings, {
    metadata: { name: namespace },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: namespace },
    subjects: [{ kind: 'ServiceAccount', ...account }],
  });
  await untilGranted(token, {
    verb: 'watch',
    group: 'apiextensions.k8s.io',
    resource: 'customresourcedefinitions',
    name: definitionName(resource),
  });
  await untilGranted(token, { verb: 'watch', group: resource.group, resource: resource.plural });
  return connect({ onExchange: ({ code }) => codes.push(code) }, (access) => withToken(access, token));
}

class Followed {
  readonly informer: OptionalInformer<KubeObject>;
  readonly stop = new AbortController();
  readonly said: string[] = [];
  readonly heard: string[] = [];
  readonly synced: Promise<void>;
  readonly ended: Promise<void>;

  constructor(client: StreamingClient, resource: Resource<KubeObject>) {
    const informers = createInformers({ client });
    this.informer = informers.optional(resource);
    this.informer.subscribe((events) =>
      this.heard.push(...events.map(({ type, object }) => `${type} ${object.metadata.name}`)),
    );
    this.informer.onPresence(() => this.said.push(this.state));
    this.ended = informers.start(this.stop.signal);
    this.synced = informers.synced();
  }

  get state(): string {
    const { served, synced } = this.informer.cache;
    return `${served ? 'served' : 'not served'}, ${synced ? 'synced' : 'not synced'}`;
  }

  async becomes(state: string): Promise<void> {
    await eventually(
      () => this.state === state,
      () => `"${state}"; it says "${this.state}"`,
    );
  }

  async holds(...names: readonly string[]): Promise<void> {
    const held = (): string =>
      this.informer.cache
        .list()
        .map(({ metadata }) => metadata.name)
        .join(' ');
    await eventually(
      () => held() === names.join(' '),
      () => `"${names.join(' ')}"; it holds "${held()}"`,
    );
  }
}

describe('the informer of a kind that need not be installed', () => {
  test('follows it each time that it comes, lets go of it when it goes, and asks for little in vain', async () => {
    const resource = newKind();
    await using admin = await connect();
    const namespace = await newNamespace(admin, 'optional');
    const codes: number[] = [];
    await using client = await follower(admin, namespace, resource, codes);
    const followed = new Followed(client, resource);
    await followed.synced;
    expect(followed.said).toEqual(['not served, synced']);

    for (const name of ['low', 'high']) {
      await define(admin, resource);
      await followed.becomes('served, synced');
      await admin.create(resource, { metadata: { namespace, name } });
      await followed.holds(name);
      await admin.delete(customResourceDefinitions, { name: definitionName(resource) });
      await followed.becomes('not served, synced');
      expect(followed.informer.cache.list()).toEqual([]);
      // A name is free again only when the objects of its definition are gone.
      const definition = { name: definitionName(resource) };
      while (!(await isAbsent(admin.get(customResourceDefinitions, definition)))) await delay(50);
    }
    expect(followed.heard).toEqual(['added low', 'deleted low', 'added high', 'deleted high']);
    expect(followed.said.filter((said) => said === 'not served, synced')).toHaveLength(3);
    // One stream of the definition, one of the objects each time; some attempts more where one stream is behind the other.
    expect(codes.length).toBeLessThanOrEqual(30);
    followed.stop.abort();
    await followed.ended;
  });

  test('has the content before anybody goes on where the kind is there from the beginning', async () => {
    const resource = newKind();
    await using admin = await connect();
    const namespace = await newNamespace(admin, 'optional');
    await define(admin, resource);
    await createWhenServed(admin, resource, { namespace, name: 'low' });
    await using client = await follower(admin, namespace, resource, []);
    const followed = new Followed(client, resource);
    await followed.synced;
    expect([followed.state, followed.informer.cache.list().map(({ metadata }) => metadata.name)]).toEqual([
      'served, synced',
      ['low'],
    ]);
    followed.stop.abort();
    await followed.ended;
    await admin.delete(customResourceDefinitions, { name: definitionName(resource) });
  });
});

/** The test's own deadline ends it where that never comes. */
async function createWhenServed(
  client: StreamingClient,
  resource: Resource<KubeObject>,
  metadata: { readonly namespace: string; readonly name: string },
): Promise<void> {
  for (;;) {
    try {
      await client.create(resource, { metadata });
      return;
    } catch (error) {
      if (!isApiError(error, 'NotServed') && !isApiError(error, 'NotFound')) throw error;
      await delay(50);
    }
  }
}
