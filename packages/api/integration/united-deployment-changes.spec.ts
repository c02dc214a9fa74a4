import { namespaces, type Resource, type StreamingClient } from '@atoll/kube';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { unitedDeployments, type UnitedDeployment } from '../src/index.ts';
import { install } from '../src/install/index.ts';
import { unseenAtFirst } from '../src/schema/condition.ts';
import { connect, refusalOf } from './connect.ts';
import type { Loose } from './samples.ts';
import { inZone, partitions, subset, subsets, template, united } from './united-samples.ts';

let client: StreamingClient;
const namespace = 'api-united-changes';
const dryRun = { dryRun: true };
const resource = unitedDeployments;
const newer: Resource<UnitedDeployment> = { ...resource, version: 'v1beta1' };

beforeAll(async () => {
  client = await connect(inject('kubeconfig'));
  await install(client);
  await client.apply(
    namespaces,
    { metadata: { name: namespace } },
    { fieldManager: 'api-specs', force: true },
  );
});

async function created(name: string, spec: Loose): Promise<{ namespace: string; name: string }> {
  await client.create(resource, united(namespace, name, spec));
  return { namespace, name };
}

describe('a UnitedDeployment that is there', () => {
  const toleration = { key: 'k', operator: 'Exists' };
  const before = subsets(inZone('zone-a', 'a'), subset('zone-b', { tolerations: [toleration] }), subset('c'));

  it.each<readonly [string, Loose]>([
    [
      'the order of its subsets',
      subsets(...[...(before['topology'] as { subsets: Loose[] }).subsets].reverse()),
    ],
    ['its total', { replicas: 9 }],
    ['the number of a subset', subsets({ ...inZone('zone-a', 'a'), replicas: 2 })],
    [
      'the patch of a subset',
      subsets({ ...inZone('zone-a', 'a'), patch: { metadata: { labels: { a: 'b' } } } }),
    ],
    ['its subsets', subsets(inZone('zone-d', 'd'), inZone('zone-a', 'a'))],
    [
      'nothing that an empty term means',
      subsets(
        subset('zone-b', { tolerations: [toleration], nodeSelectorTerm: {} }),
        subset('c', { nodeSelectorTerm: { matchExpressions: [] }, tolerations: [] }),
      ),
    ],
    [
      // Go leaves these out, so an object that an old operator stored has none of them.
      'nothing that an empty field of a toleration means',
      subsets(
        subset('zone-b', {
          tolerations: [{ ...toleration, value: '', effect: '' }],
        }),
        subset('c'),
      ),
    ],
    ['its kind of workload', { template: template('statefulSetTemplate') }],
    ['its pods', { template: template('deploymentTemplate', { minReadySeconds: 3 }) }],
    ['its partitions', partitions({ 'zone-a': 1 })],
    [
      'its strategy',
      { topology: { ...(before['topology'] as Loose), scheduleStrategy: { type: 'Adaptive' } } },
    ],
  ])('may change %s', async (what, spec) => {
    const key = await created(what.replaceAll(' ', '-'), before);
    const read = await client.get(resource, key);
    const changed = { ...read, spec: { ...read.spec, ...spec } };
    const updated = await client.update(resource, changed, dryRun);
    expect(updated.spec).toMatchObject(spec);
    await client.delete(resource, key);
  });

  const immutable = 'immutable: add a subset of another name and remove this one';

  it.each<readonly [string, Loose, string]>([
    [
      'its selector',
      { selector: { matchLabels: { app: 'web', tier: 'x' } } },
      'selector is immutable: delete the object and create it anew',
    ],
    [
      'where a subset runs',
      subsets(subset('c'), inZone('zone-a', 'b')),
      `subset zone-a: nodeSelectorTerm is ${immutable}`,
    ],
    [
      'that a subset runs somewhere',
      subsets(subset('zone-a')),
      `subset zone-a: nodeSelectorTerm is ${immutable}`,
    ],
    [
      'on which node a subset runs',
      subsets(
        subset('c', {
          nodeSelectorTerm: { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n'] }] },
        }),
      ),
      `subset c: nodeSelectorTerm is ${immutable}`,
    ],
    ['what a subset tolerates', subsets(subset('zone-b')), `subset zone-b: tolerations are ${immutable}`],
    ...[{ key: 'l' }, { operator: 'Equal' }, { effect: 'NoSchedule' }].map(
      (change): readonly [string, Loose, string] => [
        `the ${Object.keys(change)[0]} of what a subset tolerates`,
        subsets(subset('zone-b', { tolerations: [{ ...toleration, ...change }] })),
        `subset zone-b: tolerations are ${immutable}`,
      ],
    ),
    [
      'that a subset tolerates for ever',
      subsets(
        subset('zone-b', { tolerations: [{ ...toleration, effect: 'NoExecute', tolerationSeconds: 0 }] }),
      ),
      `subset zone-b: tolerations are ${immutable}`,
    ],
    [
      'the subset that a partition is of',
      { ...partitions({ 'zone-a': 1 }), ...subsets(subset('c')) },
      'there is no subset zone-a: every partition must be that of a subset of spec.topology.subsets',
    ],
  ])('must not change %s', async (what, spec, message) => {
    const key = await created(what.replaceAll(' ', '-'), before);
    const read = await client.get(resource, key);
    const changed = { ...read, spec: { ...read.spec, ...spec } };
    expect(await refusalOf(client.update(resource, changed, dryRun))).toContain(message);
    await client.delete(resource, key);
  });

  it.each(['statefulSetTemplate', 'advancedStatefulSetTemplate'])(
    'must not change what StatefulSets cannot change in a %s',
    async (member) => {
      const key = await created(member.toLowerCase(), { template: template(member, { serviceName: 'a' }) });
      for (const [field, value] of [
        ['serviceName', 'b'],
        ['podManagementPolicy', 'Parallel'],
        ['volumeClaimTemplates', [{ metadata: { name: 'data' } }]],
      ] as const) {
        const body = { spec: { template: { [member]: { spec: { [field]: value } } } } };
        const refusal = await refusalOf(client.patch(resource, key, { type: 'merge', body }, dryRun));
        expect(refusal).toContain(`${field} is immutable, as it is in a StatefulSet`);
      }
      await client.delete(resource, key);
    },
  );

  const claim = {
    metadata: { name: 'data' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  };
  /** What Kruise's webhook and Go made of it. */
  const stored = {
    metadata: { ...claim.metadata, creationTimestamp: null },
    spec: { ...claim.spec, volumeMode: 'Filesystem' },
    status: { phase: 'Pending' },
  };
  const logs = { ...claim, metadata: { name: 'logs' } };
  const withSpec = (change: object) => ({ ...claim, spec: { ...claim.spec, ...change } });

  it.each(['statefulSetTemplate', 'advancedStatefulSetTemplate'])(
    'may have the claims again that its user gave, in a %s',
    async (member) => {
      const key = await created('claims', { template: template(member, { volumeClaimTemplates: [stored] }) });
      const empty = { ...claim, metadata: { ...claim.metadata, labels: {}, annotations: {} } };
      for (const given of [claim, empty, stored]) {
        const body = { spec: { template: { [member]: { spec: { volumeClaimTemplates: [given] } } } } };
        const { spec } = await client.patch(resource, key, { type: 'merge', body }, dryRun);
        const claims = [{ metadata: claim.metadata, spec: given.spec }];
        expect(spec.template).toMatchObject({ [member]: { spec: { volumeClaimTemplates: claims } } });
      }
      await client.delete(resource, key);
    },
  );

  it.each<readonly [string, readonly object[], string]>([
    [
      'the size',
      [withSpec({ resources: { requests: { storage: '2Gi' } } })],
      'put the claim data back as it was',
    ],
    ['the class', [withSpec({ storageClassName: '' })], 'put the claims back as they were'],
    ['the mode', [withSpec({ volumeMode: 'Block' })], 'put the claims back as they were'],
    ['the access', [withSpec({ accessModes: ['ReadWriteMany'] })], 'put the claims back as they were'],
    ['the name', [logs], 'put the claims back as they were'],
    [
      'a label',
      [{ ...claim, metadata: { name: 'data', labels: { a: 'b' } } }],
      'put the claims back as they were',
    ],
    ['the number', [claim, logs], 'put the claims back as they were'],
    ['all', [], 'put the claims back as they were'],
  ])('must not change %s of its claims', async (what, given, message) => {
    const member = 'statefulSetTemplate';
    const key = await created(`claims-${what.replaceAll(' ', '-')}`, {
      template: template(member, { volumeClaimTemplates: [stored] }),
    });
    const body = { spec: { template: { [member]: { spec: { volumeClaimTemplates: given } } } } };
    const refusal = await refusalOf(client.patch(resource, key, { type: 'merge', body }, dryRun));
    expect(refusal).toContain('volumeClaimTemplates is immutable, as it is in a StatefulSet');
    expect(refusal).toContain(message);
    await client.delete(resource, key);
  });

  it('loses nothing when it is read and written in the other version', async () => {
    const key = await created('round-trip', before);
    const status = {
      replicas: 4,
      updatedReplicas: 2,
      currentRevision: 'x-1',
      updatedRevision: 'x-2',
      updateStatus: { updatedRevision: 'x-2', currentPartitions: { 'zone-a': 1 } },
      subsetReplicas: { 'zone-a': 2, 'zone-b': 2 },
      subsetStatuses: [
        { name: 'zone-a', replicas: 2, partition: 1, conditions: [{ type: 'Schedulable', status: 'True' }] },
      ],
      labelSelector: 'app=web',
    };
    await client.patch(resource, key, { type: 'merge', body: { status } }, { subresource: 'status' });
    const read = await client.get(newer, key);
    expect(read.status).toEqual({ ...unseenAtFirst.default, ...status });
    await client.update(newer, { ...read, spec: { ...read.spec, replicas: 6 } });
    const after = await client.get(resource, key);
    expect(after.status).toEqual({ ...unseenAtFirst.default, ...status });
    expect(after.spec).toEqual({ ...read.spec, replicas: 6 });
    await client.delete(resource, key);
  });

  it('keeps the order of its subsets as it was applied last', async () => {
    const metadata = { namespace, name: 'ordered' };
    const names = async (...order: readonly string[]): Promise<readonly string[] | undefined> => {
      const { spec } = united(namespace, 'ordered', subsets(...order.map((name) => subset(name))));
      const object = { metadata, spec } as UnitedDeployment;
      const applied = await client.apply(resource, object, { fieldManager: 'user', force: true });
      return applied.spec.topology?.subsets?.map(({ name }) => name);
    };
    for (const order of [
      ['a', 'b', 'c'],
      ['c', 'a', 'd', 'b'],
      ['b', 'c'],
    ]) {
      expect(await names(...order)).toEqual(order);
    }
    await client.delete(resource, metadata);
  });
});

describe('the scale subresource', () => {
  it('shows and takes the total, and gives an autoscaler what to count', async () => {
    const key = await created('scaled', {});
    const status = { replicas: 3, labelSelector: 'app=web' };
    await client.patch(resource, key, { type: 'merge', body: { status } }, { subresource: 'status' });
    expect(await client.getScale(resource, key)).toMatchObject({
      spec: { replicas: 4 },
      status: { replicas: 3, selector: 'app=web' },
    });
    await client.scale(resource, key, 7);
    expect((await client.get(resource, key)).spec.replicas).toBe(7);
    await client.scale(newer, key, 0);
    expect((await client.get(resource, key)).spec.replicas).toBe(0);
    await client.delete(resource, key);
  });

  it('takes a total where none was given, but cannot give one', async () => {
    // Why the total is filled in: docs/decisions/0008.
    const key = await created('without-total', { replicas: undefined });
    await expect(client.getScale(resource, key, { attempts: 1 })).rejects.toMatchObject({
      code: 500,
      message: expect.stringContaining('the spec replicas field ".spec.replicas" does not exist'),
    });
    await client.scale(resource, key, 7);
    expect((await client.getScale(resource, key)).spec?.replicas).toBe(7);
    await client.delete(resource, key);
  });

  it('takes a total that the numbers of the subsets do not meet', async () => {
    const fixed = subsets(subset('a', { replicas: 2 }), subset('b', { replicas: 2 }));
    const key = await created('unmet', fixed);
    await client.scale(resource, key, 9);
    expect((await client.get(resource, key)).spec.replicas).toBe(9);
    await client.delete(resource, key);
  });
});
