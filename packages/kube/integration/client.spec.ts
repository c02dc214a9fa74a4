import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import {
  configMaps,
  deployments,
  mayI,
  namespaces,
  nodes,
  pods,
  requestToken,
  serverVersion,
  servesResource,
  serviceAccounts,
  type Deployment,
  type KubeObject,
} from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import * as descriptors from '../src/objects/resources.ts';
import { connect, isAbsent, newNamespace, withToken } from './control-plane.ts';
import { listsAreStreamed } from './streamed-lists.ts';

function deployment(namespace: string, name: string, more: Partial<Deployment['spec']> = {}): Deployment {
  return {
    metadata: { namespace, name },
    spec: {
      replicas: 0,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name: 'main', image: 'example.com/app:1' }] },
      },
      ...more,
    },
  };
}

describe('objects', () => {
  it('are created, read, listed, updated, patched in three ways, and deleted', async () => {
    await using client = await connect();
    const namespace = await newNamespace(client, 'verbs');
    const key = { namespace, name: 'a' };
    const created = await client.create(configMaps, {
      metadata: { ...key, labels: { x: 'y' } },
      data: { one: '1' },
    });
    expect(created.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
    expect(await client.get(configMaps, key)).toEqual(created);

    const updated = await client.update(configMaps, { ...created, data: { one: '2' } });
    expect(updated.data).toEqual({ one: '2' });
    await expect(client.update(configMaps, { ...created, data: { one: '3' } })).rejects.toMatchObject({
      code: 409,
      reason: 'Conflict',
      fate: 'refused',
    });

    await client.patch(configMaps, key, { type: 'merge', body: { data: { two: '2' } } });
    await client.patch(configMaps, key, { type: 'strategic', body: { data: { three: '3' } } });
    const test = { op: 'test', path: '/data/two', value: '2' } as const;
    const patched = await client.patch(configMaps, key, {
      type: 'json',
      body: [test, { op: 'remove', path: '/data/one' }],
    });
    expect(patched.data).toEqual({ two: '2', three: '3' });

    const list = await client.list(configMaps, { namespace, labelSelector: 'x=y' });
    expect(list.items).toEqual([{ ...patched, apiVersion: 'v1', kind: 'ConfigMap' }]);
    expect(Number(list.resourceVersion)).toBeGreaterThan(0);

    expect(await client.delete(configMaps, key)).toBeUndefined();
    expect(await isAbsent(client.get(configMaps, key))).toBe(true);
  });

  it('are listed page by page, to the end and without doubles', async () => {
    await using client = await connect();
    const namespace = await newNamespace(client, 'pages');
    const names = Array.from({ length: 23 }, (_, index) => `m-${String(index).padStart(2, '0')}`);
    await Promise.all(names.map((name) => client.create(configMaps, { metadata: { namespace, name } })));
    const { items } = await client.list(configMaps, {
      namespace,
      limit: 5,
      fieldSelector: 'metadata.name!=kube-root-ca.crt',
    });
    expect(items.map(({ metadata }) => metadata.name)).toEqual(names);
  });

  it('with an unknown or doubled field are refused with its path, unless the caller asks otherwise', async () => {
    const warnings: string[] = [];
    await using client = await connect({ onWarning: (text) => warnings.push(text) });
    const namespace = await newNamespace(client, 'strict');
    const wrong = deployment(namespace, 'a', { replicsa: 2 } as object);
    await expect(client.create(deployments, wrong)).rejects.toThrow('unknown field "spec.replicsa"');
    await expect(client.apply(deployments, wrong, { fieldManager: 'me' })).rejects.toThrow('spec.replicsa');
    await client.create(deployments, wrong, { fieldValidation: 'Warn' });
    expect(warnings).toEqual(['unknown field "spec.replicsa"']);
  });

  it('are not changed by a dry run', async () => {
    await using client = await connect();
    const namespace = await newNamespace(client, 'dry');
    const key = { namespace, name: 'a' };
    expect(
      (await client.create(deployments, deployment(namespace, 'a'), { dryRun: true })).metadata.uid,
    ).not.toBe('');
    expect(await isAbsent(client.get(deployments, key))).toBe(true);
    await client.create(deployments, deployment(namespace, 'a'));
    await client.delete(deployments, key, { dryRun: true });
    expect(await isAbsent(client.get(deployments, key))).toBe(false);
  });
});

describe('server-side apply', () => {
  it('owns fields by manager, meets conflicts, and takes fields over by force', async () => {
    await using client = await connect();
    const namespace = await newNamespace(client, 'apply');
    const of = (image: string): Deployment => deployment(namespace, 'a', { template: template(image) });
    const first = await client.apply(deployments, of('example.com/app:1'), { fieldManager: 'one' });
    expect(first.spec?.replicas).toBe(0);
    const conflict = client.apply(deployments, of('example.com/app:2'), { fieldManager: 'two' });
    await expect(conflict).rejects.toMatchObject({ code: 409, reason: 'Conflict' });
    const forced = await client.apply(deployments, of('example.com/app:2'), {
      fieldManager: 'two',
      force: true,
    });
    expect(forced.spec?.template.spec?.containers[0]?.image).toBe('example.com/app:2');

    function template(image: string): NonNullable<Deployment['spec']>['template'] {
      return { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'main', image }] } };
    }
  });

  it('of a status and of a scale leave the rest alone', async () => {
    await using client = await connect();
    const namespace = await newNamespace(client, 'status');
    const key = { namespace, name: 'a' };
    await client.create(deployments, deployment(namespace, 'a', { paused: true }));
    const condition = { type: 'Example', status: 'True', reason: 'Tried', message: 'by hand' };
    const body = { metadata: key, status: { conditions: [condition] } };
    const written = await client.apply(deployments, body, { fieldManager: 'me', subresource: 'status' });
    expect(written.status?.conditions).toContainEqual(expect.objectContaining(condition));

    expect((await client.getScale(deployments, key)).spec).toEqual({});
    const scaled = await client.scale(deployments, key, 2);
    expect([scaled.kind, scaled.spec?.replicas]).toEqual(['Scale', 2]);
    expect((await client.get(deployments, key)).spec?.replicas).toBe(2);
  });

  it('with the uid of an object that is gone never creates it again', async () => {
    await using client = await connect();
    const namespace = await newNamespace(client, 'gone');
    const metadata = { namespace, name: 'a', uid: '11111111-2222-3333-4444-555555555555' };
    await expect(client.apply(configMaps, { metadata }, { fieldManager: 'me' })).rejects.toMatchObject({
      code: 409,
      reason: 'Conflict',
    });
    expect(await isAbsent(client.get(configMaps, metadata))).toBe(true);
  });
});

describe('deletion', () => {
  it('keeps to its preconditions', async () => {
    await using client = await connect();
    const namespace = await newNamespace(client, 'conditions');
    const key = { namespace, name: 'a' };
    const { metadata } = await client.create(configMaps, { metadata: key });
    await expect(client.delete(configMaps, key, { uid: 'another' })).rejects.toMatchObject({
      reason: 'Conflict',
    });
    await expect(client.delete(configMaps, key, { resourceVersion: '1' })).rejects.toMatchObject({
      reason: 'Conflict',
    });
    const { uid, resourceVersion } = metadata;
    expect(await client.delete(configMaps, key, { uid, resourceVersion })).toBeUndefined();
  });

  it('yields the object that waits for finalizers, for its dependents or for its grace period, and nothing once it is gone', async () => {
    await using client = await connect();
    const namespace = await newNamespace(client, 'waiting');
    const key = { namespace, name: 'a' };
    await client.create(configMaps, { metadata: { ...key, finalizers: ['example.com/hold'] } });
    expect((await client.delete(configMaps, key))?.metadata.deletionTimestamp).toMatch(/Z$/);
    await client.patch(configMaps, key, { type: 'merge', body: { metadata: { finalizers: null } } });
    expect(await isAbsent(client.get(configMaps, key))).toBe(true);

    await client.create(deployments, deployment(namespace, 'd'));
    const inFront = await client.delete(
      deployments,
      { namespace, name: 'd' },
      { propagationPolicy: 'Foreground' },
    );
    expect(inFront?.metadata.finalizers).toEqual(['foregroundDeletion']);

    await expect
      .poll(() => isAbsent(client.get(serviceAccounts, { namespace, name: 'default' })))
      .toBe(false);
    const pod = {
      metadata: { namespace, name: 'p' },
      spec: { nodeName: 'nowhere', containers: [{ name: 'c', image: 'i' }] },
    };
    await client.create(pods, pod);
    const graceful = await client.delete(pods, pod.metadata, { gracePeriodSeconds: 60 });
    expect(graceful?.metadata.deletionGracePeriodSeconds).toBe(60);
    expect(await client.delete(pods, pod.metadata, { gracePeriodSeconds: 0 })).toBeUndefined();
    expect(await isAbsent(client.get(pods, pod.metadata))).toBe(true);

    expect((await client.delete(namespaces, { name: namespace }))?.kind).toBe('Namespace');
  });
});

describe('watches', () => {
  it.runIf(listsAreStreamed)(
    'stream the present content, a bookmark and what happens then, as bytes',
    async () => {
      await using client = await connect();
      const namespace = await newNamespace(client, 'watch');
      await client.create(configMaps, { metadata: { namespace, name: 'a' } });
      const ending = new AbortController();
      const parameters = {
        namespace,
        fieldSelector: 'metadata.name!=kube-root-ca.crt',
        sendInitialEvents: true,
        resourceVersionMatch: 'NotOlderThan',
        allowWatchBookmarks: true,
        timeoutSeconds: 30,
      } as const;
      const { body } = await client.watch(configMaps, parameters, { signal: ending.signal });
      let text = '';
      const seen = (): readonly string[] =>
        text
          .split('\n')
          .slice(0, -1)
          .map((line) => JSON.parse(line) as { readonly type: string; readonly object: KubeObject })
          .map(({ type, object }) => (type === 'BOOKMARK' ? type : `${type} ${object.metadata.name}`));
      for await (const chunk of body) {
        text += chunk.toString('utf8');
        if (seen().length === 2) await client.create(configMaps, { metadata: { namespace, name: 'b' } });
        if (seen().length >= 3) break;
      }
      expect(seen()).toEqual(['ADDED a', 'BOOKMARK', 'ADDED b']);
    },
  );

  it('that cannot be served are refused in the words of the server', async () => {
    await using client = await connect();
    await expect(client.watch(configMaps, { labelSelector: 'a in' })).rejects.toMatchObject({
      code: 400,
      reason: 'BadRequest',
      message: expect.stringContaining('watch configmaps: unable to parse requirement') as string,
    });
  });
});

describe('the API server', () => {
  it('serves every resource that has a descriptor', async () => {
    await using client = await connect();
    const all = Object.values(descriptors);
    expect(all.length).toBeGreaterThan(30);
    for (const resource of all) {
      expect([resource.plural, await servesResource(client, resource)]).toEqual([resource.plural, true]);
      const { group, version } = resource;
      const { body } = await client.raw({
        path: group === '' ? `/api/${version}` : `/apis/${group}/${version}`,
      });
      const { resources } = JSON.parse(body.toString('utf8')) as {
        readonly resources: readonly {
          readonly name: string;
          readonly kind: string;
          readonly namespaced: boolean;
        }[];
      };
      const { kind, namespaced, plural } = resource;
      expect(resources.find(({ name }) => name === plural)).toMatchObject({ kind, namespaced });
    }
    const unknown = {
      group: 'nobody.example',
      version: 'v1',
      kind: 'Nothing',
      plural: 'nothings',
      namespaced: true,
    };
    expect(await servesResource(client, unknown)).toBe(false);
  });

  it('returns its version and its health', async () => {
    await using client = await connect();
    expect(await serverVersion(client)).toMatchObject({
      major: 1,
      gitVersion: expect.stringMatching(/^v1\./) as string,
    });
    expect((await client.raw({ path: '/readyz' })).body.toString('utf8')).toBe('ok');
  });

  it('gives a service account a token, and shows what it may do', async () => {
    await using client = await connect();
    const namespace = await newNamespace(client, 'token');
    const account = { namespace, name: 'worker' };
    await client.create(serviceAccounts, { metadata: account });
    const { token, expiresAt } = await requestToken(client, account, { expirationSeconds: 600 });
    expect(Date.parse(expiresAt)).toBeGreaterThan(Date.now());

    await using worker = await connect({}, (access) => withToken(access, token));
    expect(await mayI(client, { verb: 'list', resource: 'nodes' })).toMatchObject({ allowed: true });
    expect(await mayI(worker, { verb: 'list', resource: 'nodes' })).toMatchObject({ allowed: false });
    await expect(worker.list(nodes)).rejects.toMatchObject({
      code: 403,
      reason: 'Forbidden',
      fate: 'refused',
    });
  });

  it('sees at most 14 connections for 2,000 requests', async () => {
    await using client = await connect();
    const opened: unknown[] = [];
    const count = (socket: unknown): void => void opened.push(socket);
    subscribe('net.client.socket', count);
    try {
      await Promise.all(Array.from({ length: 2_000 }, () => client.get(namespaces, { name: 'default' })));
    } finally {
      unsubscribe('net.client.socket', count);
    }
    // TLS makes one TCP socket and one TLS socket of each connection.
    expect(opened.length).toBeGreaterThan(0);
    expect(opened.length).toBeLessThanOrEqual(2 * 14);
  });

  it('sees one connection for many deletions, whose preconditions are in their body', async () => {
    await using client = await connect();
    const namespace = await newNamespace(client, 'deletions');
    const made = [];
    for (const name of ['a', 'b', 'c', 'd'])
      made.push(await client.create(configMaps, { metadata: { namespace, name } }));
    const opened: unknown[] = [];
    const count = (socket: unknown): void => void opened.push(socket);
    subscribe('net.client.socket', count);
    try {
      for (const { metadata } of made)
        await client.delete(configMaps, { namespace, name: metadata.name }, { uid: metadata.uid });
    } finally {
      unsubscribe('net.client.socket', count);
    }
    expect(opened).toEqual([]);
  });
});
