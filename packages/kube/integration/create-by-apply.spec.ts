import {
  configMaps,
  clusterRoles,
  customResourceDefinitions,
  deployments,
  isApiError,
  keyOf,
  requestToken,
  roleBindings,
  roles,
  serviceAccounts,
  servesResource,
  type ConfigMap,
  type CustomResourceDefinition,
  type KubeObject,
  type Resource,
  type StreamingClient,
} from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import { connect, newNamespace, withToken } from './control-plane.ts';

const fieldManager = 'kube-spec';

interface Managed {
  readonly metadata: {
    readonly managedFields?: readonly { readonly manager: string; readonly operation: string }[];
  };
}

/** A kind of its own for this test: docs/decisions/0003 holds for custom resources too. */
async function customResource(client: StreamingClient): Promise<Resource<KubeObject>> {
  const name = `w${Math.random().toString(36).slice(2, 8)}`;
  const resource = {
    group: 'kube-spec.example',
    version: 'v1',
    kind: `W${name}`,
    plural: name,
    namespaced: true,
  };
  const definition: CustomResourceDefinition = {
    metadata: { name: `${name}.${resource.group}` },
    spec: {
      group: resource.group,
      scope: 'Namespaced',
      names: { kind: resource.kind, plural: name },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec: spec() } } },
        },
      ],
    },
  };
  await client.create(customResourceDefinitions, definition);
  await expect.poll(() => servesResource(client, resource)).toBe(true);
  await expect
    .poll(() =>
      client.list(resource).then(
        () => true,
        () => false,
      ),
    )
    .toBe(true);
  return resource;

  function spec(): object {
    return { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  }
}

/** Objects of a built-in namespaced kind with defaults, a plain one, a cluster-scoped one, and a custom resource. */
async function examples(
  client: StreamingClient,
): Promise<readonly (readonly [Resource<KubeObject>, KubeObject & Record<string, unknown>])[]> {
  const namespace = await newNamespace(client, 'once');
  const metadata = { namespace, name: 'a' };
  const selector = { matchLabels: { app: 'a' } };
  const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  return [
    [deployments, { metadata, spec: { replicas: 0, selector, template } }],
    [configMaps, { metadata, data: { a: '1' } }],
    [clusterRoles, { metadata: { name: namespace }, rules: [] }],
    [await customResource(client), { metadata, spec: { a: 1 } }],
  ];
}

/** What the writer of an object said, without what controllers add at any moment. */
function essence(
  object: (KubeObject & { readonly spec?: unknown; readonly data?: unknown }) | undefined,
): unknown {
  const { uid, labels } = object?.metadata ?? {};
  return { uid, labels, spec: object?.spec, data: object?.data };
}

describe('what the API server does with an apply that names a version or a uid', () => {
  const uid = '11111111-2222-3333-4444-555555555555';
  it.for([
    { meta: { resourceVersion: '1' }, absent: 'applied', present: '409 Conflict' },
    { meta: { resourceVersion: '999999999' }, absent: 'applied', present: '409 Conflict' },
    { meta: { resourceVersion: '0' }, absent: 'applied', present: 'applied', custom: '422 Invalid' },
    { meta: { resourceVersion: 'abc' }, absent: '500 InternalError', present: '500 InternalError' },
    { meta: { uid }, absent: '409 Conflict', present: '422 Invalid' },
  ])('$meta', async ({ meta, absent, present, custom = present }) => {
    await using client = await connect();
    for (const [resource, object] of await examples(client)) {
      const metadata = { ...object.metadata, ...meta, annotations: { changed: 'yes' } };
      const attempt = (): Promise<string> =>
        client.apply(resource, { ...object, metadata }, { fieldManager, force: true }).then(
          () => 'applied',
          (error: unknown) => (isApiError(error) ? `${error.code} ${error.reason}` : String(error)),
        );
      expect([resource.kind, await attempt()]).toEqual([resource.kind, absent]);
      if (absent !== 'applied') await client.create(resource, object);
      const expected = resource.group === 'kube-spec.example' ? custom : present;
      expect([resource.kind, await attempt()]).toEqual([resource.kind, expected]);
    }
  });
});

describe('createByApply', () => {
  it('creates what is absent, with fields that belong to our apply manager', async () => {
    await using client = await connect();
    for (const [resource, object] of await examples(client)) {
      const created = await client.createByApply(resource, object, { fieldManager });
      const owners = (created as Managed).metadata.managedFields?.map(
        (each) => `${each.manager} ${each.operation}`,
      );
      expect([resource.kind, owners]).toEqual([resource.kind, [`${fieldManager} Apply`]]);
      expect(essence(await client.get(resource, keyOf(object)))).toEqual(essence(created));
    }
  });

  it('rejects as AlreadyExists and changes nothing where the name is taken, no matter who took it', async () => {
    await using client = await connect();
    for (const [resource, object] of await examples(client)) {
      const there = await client.create(resource, object, { fieldManager: 'someone-else' });
      const changed = { ...object, metadata: { ...object.metadata, labels: { changed: 'yes' } } };
      await expect(client.createByApply(resource, changed, { fieldManager })).rejects.toMatchObject({
        reason: 'AlreadyExists',
        fate: 'refused',
        code: 409,
      });
      expect(essence(await client.get(resource, keyOf(object)))).toEqual(essence(there));
    }
  });

  it('lets exactly one of many win', async () => {
    await using client = await connect();
    for (const [resource, object] of await examples(client)) {
      const outcomes = await Promise.allSettled(
        Array.from({ length: 12 }, (_, index) =>
          client.createByApply(
            resource,
            { ...object, metadata: { ...object.metadata, labels: { by: String(index) } } },
            { fieldManager: `${fieldManager}-${index}` },
          ),
        ),
      );
      const winners = outcomes.filter((outcome) => outcome.status === 'fulfilled');
      const losers = outcomes
        .filter((outcome) => outcome.status === 'rejected')
        .map(({ reason }) => reason as unknown);
      expect([resource.kind, winners.length]).toEqual([resource.kind, 1]);
      expect(losers.every((error) => isApiError(error, 'AlreadyExists'))).toBe(true);
      expect(essence(await client.get(resource, keyOf(object)))).toEqual(essence(winners[0]?.value));
    }
  });

  it('later applies remove what they leave out, which they cannot after a POST', async () => {
    await using client = await connect();
    const namespace = await newNamespace(client, 'leave-out');
    const object = (name: string, data: Record<string, string>): ConfigMap => ({
      metadata: { namespace, name },
      data,
    });
    await client.createByApply(configMaps, object('applied', { a: '1', b: '2' }), { fieldManager });
    await client.create(configMaps, object('posted', { a: '1', b: '2' }), { fieldManager });
    const applied = await client.apply(configMaps, object('applied', { a: '1' }), {
      fieldManager,
      force: true,
    });
    const posted = await client.apply(configMaps, object('posted', { a: '1' }), {
      fieldManager,
      force: true,
    });
    expect([applied.data, posted.data]).toEqual([{ a: '1' }, { a: '1', b: '2' }]);
  });

  it('needs the verbs patch and create', async () => {
    await using client = await connect();
    const namespace = await newNamespace(client, 'verbs');
    const name = 'worker';
    await client.create(serviceAccounts, { metadata: { namespace, name } });
    const { token } = await requestToken(client, { namespace, name });
    const subjects = [{ kind: 'ServiceAccount', namespace, name }];
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name };
    await client.create(roleBindings, { metadata: { namespace, name }, subjects, roleRef });
    await using worker = await connect({}, (access) => withToken(access, token));
    const attempt = (object: string): Promise<string> =>
      worker.createByApply(configMaps, { metadata: { namespace, name: object } }, { fieldManager }).then(
        () => 'created',
        (error: unknown) => (isApiError(error) ? error.reason : String(error)),
      );
    const rule = (verbs: readonly string[]): object => ({
      apiGroups: [''],
      resources: ['configmaps'],
      verbs,
    });
    const role = { metadata: { namespace, name } };
    await client.create(roles, { ...role, rules: [{ ...rule(['patch']), verbs: ['patch'] }] });
    expect(await attempt('a')).toBe('Forbidden');
    await client.update(roles, { ...role, rules: [{ ...rule([]), verbs: ['patch', 'create'] }] });
    await expect.poll(() => attempt('b')).toBe('created');
  });
});
