import { customResourceDefinitions, untilServed, type StreamingClient } from '@atoll/kube';
import { startControlPlane, type ControlPlane } from '@atoll/testbed';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fieldManagers, nodePools, unitedDeployments, yurtAppDaemons, type NodePool } from '../src/index.ts';
import { install } from '../src/install/index.ts';
import { unseenAtFirst } from '../src/schema/condition.ts';
import { connect, refusalOf } from './connect.ts';
import { oldNodePools, oldUnitedDeployments, oldYurtAppDaemons } from './old-crds.ts';
import { deploymentTemplate, pool, workload, type Loose } from './samples.ts';
import { adaptive, partitions, subset, subsets, template, united } from './united-samples.ts';
import { statusBesideWrongSpec } from './status-beside-wrong-spec.ts';

/** A control plane of its own: the CRDs are the cluster's. */
let controlPlane: ControlPlane;
let client: StreamingClient;
const namespace = 'default';

beforeAll(async () => {
  controlPlane = await startControlPlane({ components: [] });
  client = await connect(controlPlane.kubeconfig);
});

afterAll(async () => {
  await client?.close();
  await controlPlane?.stop();
});

const longName = 'p'.repeat(70);
const oldPools: Readonly<Record<string, Loose>> = {
  plain: { type: 'Cloud', taints: [{ key: 'edge', effect: 'NoSchedule' }] },
  typeless: { type: '', labels: { a: 'not a label value', 'not a key': '' } },
  'cloud-with-host-network': { type: 'Cloud', hostNetwork: true },
  [longName]: { type: 'Edge' },
  'with-labels-of-kubelets': { labels: { 'topology.kubernetes.io/zone': 'a', tier: 'x' } },
  'with-isolation': { labels: { 'node-restriction.kubernetes.io/site': 'a', tier: 'x' } },
  'with-doubled-taints': {
    taints: [
      { key: 'a', value: 'x', effect: 'NoSchedule' },
      { key: 'a', value: 'y', effect: 'NoSchedule' },
    ],
  },
};
const oldDaemons: Readonly<Record<string, Loose>> = {
  plain: {},
  'without-template': { workloadTemplate: {}, revisionHistoryLimit: -1 },
  unmatched: { selector: { matchLabels: { app: 'other' } } },
  stateful: { workloadTemplate: { statefulSetTemplate: deploymentTemplate({ serviceName: 'x' }) } },
};
/** What Kruise's webhook let through in some release, and what comes in past it. */
const oldUniteds: Readonly<Record<string, Loose>> = {
  plain: {},
  'without-total': {
    replicas: undefined,
    ...subsets(subset('a', { replicas: 3 }), subset('b', { replicas: 4 })),
  },
  'without-subsets': { topology: {} },
  'bad-numbers': subsets(subset('a', { replicas: '+5%' }), subset('b', { minReplicas: 3, maxReplicas: 1 })),
  'bad-terms': subsets(
    subset('a', { nodeSelectorTerm: { matchExpressions: [{ key: 'k', operator: 'In' }] } }),
    subset('b', { tolerations: [{ value: 'v' }] }),
  ),
  'unknown-words': subsets(
    subset('a', { nodeSelectorTerm: { matchExpressions: [{ key: 'k', operator: 'Near', values: ['v'] }] } }),
    subset('b', { nodeSelectorTerm: { matchFields: [{ key: 'metadata.uid', operator: 'Is' }] } }),
    subset('c', { tolerations: [{ key: 'k', operator: 'exists', effect: 'NoRun' }] }),
    subset('d'.repeat(64)),
  ),
  'bad-partitions': partitions({ 'zone-a': -1, gone: 3 }),
  'unknown-strategy': { updateStrategy: { type: 'Rolling' } },
  'adaptive-with-numbers': adaptive({}, subset('a', { replicas: 1 })),
  'negative-seconds': adaptive({ adaptive: { rescheduleCriticalSeconds: -1 } }),
  'reserved-stateful': {
    ...adaptive({ adaptive: { reserveUnschedulablePods: true } }),
    template: template('statefulSetTemplate', { replicas: 3 }),
  },
  unmatched: { selector: { matchLabels: { app: 'other' } } },
};

describe('in a cluster that an old operator leaves', () => {
  beforeAll(async () => {
    for (const crd of [oldNodePools, oldYurtAppDaemons, oldUnitedDeployments]) {
      await client.create(customResourceDefinitions, crd, { fieldManager: 'helm' });
      await untilServed(client, [crd.metadata.name]);
    }
    const oldVersion = { ...nodePools, version: 'v1beta1' };
    for (const [name, spec] of Object.entries(oldPools)) await client.create(oldVersion, pool(name, spec));
    for (const [name, spec] of Object.entries(oldDaemons)) {
      await client.create(yurtAppDaemons, workload(namespace, name, spec));
    }
    for (const [name, spec] of Object.entries(oldUniteds)) {
      await client.create(unitedDeployments, united(namespace, name, spec));
    }
    await install(client);
  });

  it('our CustomResourceDefinition replaces the old one, its conversion webhook included', async () => {
    const crd = await client.get(customResourceDefinitions, oldNodePools.metadata);
    expect(crd.spec.conversion).toEqual({ strategy: 'None' });
    expect(crd.spec.versions.map(({ name, storage }) => [name, storage])).toEqual([
      ['v1alpha1', false],
      ['v1beta1', false],
      ['v1beta2', true],
    ]);
    expect(crd.status?.storedVersions).toEqual(['v1beta1', 'v1beta2']);
    expect(crd.metadata.annotations).toMatchObject(oldNodePools.metadata.annotations ?? {});
  });

  it.each(Object.entries(oldPools))('the pool %s keeps its spec in every version', async (name, spec) => {
    for (const version of ['v1alpha1', 'v1beta1', 'v1beta2']) {
      const read = await client.get({ ...nodePools, version }, { name });
      expect(read.spec).toMatchObject(spec);
    }
  });

  it.each(Object.keys(oldPools))(
    'the pool %s can be labelled, and its status and its spec written',
    async (name) => {
      const write = { fieldManager: fieldManagers.atoll };
      await client.patch(
        nodePools,
        { name },
        { type: 'merge', body: { metadata: { labels: { a: 'b' } } } },
        write,
      );
      const status = { readyNodeNum: 0, nodes: [], conditions: [{ type: 'Ready', status: 'True' }] };
      const body = { apiVersion: 'apps.openyurt.io/v1beta2', kind: 'NodePool', metadata: { name }, status };
      const forced = { ...write, subresource: 'status', force: true };
      const written = await statusBesideWrongSpec(client.apply(nodePools, body, forced));
      expect(written?.status ?? status).toEqual(status);
      const annotations = { 'example.com/site': 'hz' };
      const changed = await client.patch(
        nodePools,
        { name },
        { type: 'merge', body: { spec: { annotations } } },
      );
      expect(changed.spec?.annotations).toEqual(annotations);
    },
  );

  it.each(Object.entries(oldDaemons))(
    'the workload %s can be labelled and its status written',
    async (name, spec) => {
      const key = { namespace, name };
      await client.patch(yurtAppDaemons, key, { type: 'merge', body: { metadata: { labels: { a: 'b' } } } });
      const status = {
        observedGeneration: 1,
        currentRevision: 'x',
        templateType: 'Deployment',
        nodepools: ['a'],
      };
      const patch = { type: 'merge', body: { status } } as const;
      const written = await client.patch(yurtAppDaemons, key, patch, { subresource: 'status' });
      expect(written.status).toEqual({ ...unseenAtFirst.default, ...status });
      expect(written.spec).toMatchObject({ ...workload(namespace, name, spec).spec });
      const nodepoolSelector = { matchLabels: { tier: 'a' } };
      const changed = await client.patch(yurtAppDaemons, key, {
        type: 'merge',
        body: { spec: { nodepoolSelector } },
      });
      expect(changed.spec.nodepoolSelector).toEqual(nodepoolSelector);
    },
  );

  it.each(Object.entries(oldUniteds))(
    'the UnitedDeployment %s keeps its spec, and can be labelled, scaled, rolled out and given a status',
    async (name, spec) => {
      const key = { namespace, name };
      const read = await client.get(unitedDeployments, key);
      expect(read.spec).toMatchObject(JSON.parse(JSON.stringify(united(namespace, name, spec).spec)));
      expect('replicas' in read.spec).toBe(name !== 'without-total');
      await client.patch(unitedDeployments, key, {
        type: 'merge',
        body: { metadata: { labels: { a: 'b' } } },
      });
      const status = { observedGeneration: 1, replicas: 1, updatedReplicas: 1, currentRevision: 'x' };
      const patch = { type: 'merge', body: { status } } as const;
      const written = await statusBesideWrongSpec(
        client.patch(unitedDeployments, key, patch, { subresource: 'status' }),
      );
      const expected = { ...unseenAtFirst.default, ...status };
      expect(written?.status ?? expected).toEqual(expected);
      await client.scale(unitedDeployments, key, 9);
      const body = { spec: { revisionHistoryLimit: 3 } };
      const changed = await client.patch(unitedDeployments, key, { type: 'merge', body });
      expect(changed.spec).toMatchObject({ replicas: 9, revisionHistoryLimit: 3 });
    },
  );

  it('what is changed must be right, what was wrong before may stay', async () => {
    const patch = (spec: Loose): Promise<unknown> =>
      client.patch(nodePools, { name: 'typeless' }, { type: 'merge', body: { spec } }, { dryRun: true });
    await patch({ annotations: { b: 'fine' } });
    expect(await refusalOf(patch({ labels: { a: 'still wrong' } }))).toContain('spec.labels[a]');
    expect(await refusalOf(patch({ type: 'Mars' }))).toContain('spec.type');
  });

  it.each([
    [
      'with-labels-of-kubelets',
      'label of kubelets',
      'topology.kubernetes.io/zone',
      'topology.kubernetes.io/region',
    ],
    [
      'with-isolation',
      'label that isolates nodes',
      'node-restriction.kubernetes.io/site',
      'node-restriction.kubernetes.io/team',
    ],
  ])('the pool %s keeps, changes and drops its %s, and gets no other', async (name, _, had, other) => {
    const patch = (given: Loose, options = { dryRun: true }): Promise<NodePool> =>
      client.patch(nodePools, { name }, { type: 'merge', body: { spec: { labels: given } } }, options);
    expect((await patch({ tier: 'y' })).spec?.labels).toEqual({ [had]: 'a', tier: 'y' });
    expect((await patch({ [had]: null })).spec?.labels).toEqual({ tier: 'x' });
    expect((await patch({ [had]: 'b' })).spec?.labels).toEqual({ [had]: 'b', tier: 'x' });
    expect(await refusalOf(patch({ [other]: 'r' }))).toContain(`must not hold the key ${other}: `);
  });
});
