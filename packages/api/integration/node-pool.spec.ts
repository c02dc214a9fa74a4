import type { Resource, StreamingClient } from '@atoll/kube';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { nodePools, type NodePool } from '../src/index.ts';
import { install } from '../src/install/index.ts';
import { connect, refusalOf } from './connect.ts';
import { pool, type Loose } from './samples.ts';

let client: StreamingClient;
const dryRun = { dryRun: true };

beforeAll(async () => {
  client = await connect(inject('kubeconfig'));
  await install(client);
});

describe('a NodePool', () => {
  it('gets the type Edge and the defaults of the leader election', async () => {
    const created = await client.create<NodePool>(nodePools, { metadata: { name: 'plain' } }, dryRun);
    expect(created.spec).toEqual({
      type: 'Edge',
      leaderElectionStrategy: 'random',
      leaderReplicas: 1,
      poolScopeMetadata: [
        { group: '', version: 'v1', resource: 'services' },
        { group: 'discovery.k8s.io', version: 'v1', resource: 'endpointslices' },
      ],
    });
  });

  it.each<readonly [string, string, Loose]>([
    ['labels, annotations and taints', 'full', fullPoolSpec()],
    ['type Cloud', 'cloud', { type: 'Cloud' }],
    ['hostNetwork with type Edge', 'host', { type: 'Edge', hostNetwork: true }],
    ['hostNetwork false with type Cloud', 'cloud', { type: 'Cloud', hostNetwork: false }],
    ['a taint without a value', 'taint', { taints: [{ key: 'edge', effect: 'NoSchedule' }] }],
    [
      'one taint key with two effects',
      'taints',
      {
        taints: [
          { key: 'edge', effect: 'NoSchedule' },
          { key: 'edge', effect: 'NoExecute' },
        ],
      },
    ],
    ['a name of 63 characters', 'p'.repeat(63), {}],
    [
      'a label value of 63 characters and an empty one',
      'labels',
      { labels: { long: 'v'.repeat(63), none: '' } },
    ],
    [
      'a label key with a prefix of 253 characters',
      'prefix',
      { labels: { [`${'p'.repeat(253)}/${'n'.repeat(63)}`]: '' } },
    ],
    [
      'labels that only resemble those of kubelets',
      'label-keys',
      { labels: { 'node-role.kubernetes.io/edge': '', 'my-node-restriction.kubernetes.io/site': 'a' } },
    ],
    [
      'an annotation with any value',
      'annotation',
      { annotations: { note: 'several words, a "quote"\nand a line', 'Example.COM/Owner': 'x' } },
    ],
  ])('may have %s', async (_, name, spec) => {
    const created = await client.create(nodePools, pool(name, spec), dryRun);
    expect(created.spec).toMatchObject(spec);
  });

  it.each<readonly [string, string, Loose, readonly string[]]>([
    ['another type', 'bad', { type: 'Mars' }, ['spec.type', '"Edge", "Cloud"']],
    [
      'hostNetwork with type Cloud',
      'bad',
      { type: 'Cloud', hostNetwork: true },
      ['spec.hostNetwork', 'only for type Edge'],
    ],
    ['a name of 64 characters', 'p'.repeat(64), {}, ['metadata.name', 'at most 63 characters']],
    ['a label key with a space', 'bad', { labels: { 'a b': 'c' } }, ['spec.labels', 'qualified name']],
    [
      'a label key of 64 characters',
      'bad',
      { labels: { ['k'.repeat(64)]: 'c' } },
      ['spec.labels', 'qualified name'],
    ],
    [
      'a label value with a space',
      'bad',
      { labels: { a: 'b c' } },
      ['spec.labels[a]', 'must be a label value'],
    ],
    ['a label value of 64 characters', 'bad', { labels: { a: 'v'.repeat(64) } }, ['spec.labels.a', '63']],
    [
      'a label that moves its nodes',
      'bad',
      { labels: { 'apps.openyurt.io/nodepool': 'x' } },
      ['spec.labels', 'which pool a node belongs to'],
    ],
    ...[
      'kubernetes.io/hostname',
      'kubernetes.io/arch',
      'beta.kubernetes.io/os',
      'topology.kubernetes.io/zone',
      'failure-domain.beta.kubernetes.io/region',
      'node.kubernetes.io/instance-type',
      'kubelet.kubernetes.io/any',
    ].map((key): readonly [string, string, Loose, readonly string[]] => [
      `the label ${key}, which says what a node is`,
      'bad',
      { labels: { tier: 'a', [key]: 'x' } },
      [`spec.labels: Invalid value`, `must not hold the key ${key}: `, 'set it on the nodes themselves'],
    ]),
    ...['node-restriction.kubernetes.io/site', 'example.com.node-restriction.kubernetes.io/site'].map(
      (key): readonly [string, string, Loose, readonly string[]] => [
        `the label ${key}, which no node may give itself`,
        'bad',
        { labels: { tier: 'a', [key]: 'x' } },
        [`spec.labels: Invalid value`, `must not hold the key ${key}: `, 'moves its node into the pool'],
      ],
    ),
    [
      'an annotation key with a space',
      'bad',
      { annotations: { 'a b': 'c' } },
      ['spec.annotations', 'qualified name'],
    ],
    [
      'an annotation key with a letter that is an s where case is ignored',
      'bad',
      { annotations: { '\u017Ftate': 'c' } },
      ['spec.annotations', 'qualified name'],
    ],
    [
      'the annotation that is ours',
      'bad',
      { annotations: { 'nodepool.openyurt.io/previous-attributes': '{}' } },
      ['spec.annotations', 'is a record of what a pool did with a node'],
    ],
    ['a taint without an effect', 'bad', { taints: [{ key: 'a' }] }, ['spec.taints[0].effect', 'Required']],
    [
      'a taint without a key',
      'bad',
      { taints: [{ effect: 'NoSchedule' }] },
      ['spec.taints[0].key', 'Required'],
    ],
    [
      'a taint with another effect',
      'bad',
      { taints: [{ key: 'a', effect: 'Never' }] },
      ['spec.taints[0].effect', '"NoExecute"'],
    ],
    [
      'a taint of Kubernetes',
      'bad',
      { taints: [{ key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' }] },
      ['set and taken off by Kubernetes'],
    ],
    [
      'a taint key with a space',
      'bad',
      { taints: [{ key: 'a b', effect: 'NoExecute' }] },
      ['spec.taints[0].key', 'qualified name'],
    ],
    [
      'a taint value that is no label value',
      'bad',
      { taints: [{ key: 'a', value: '-', effect: 'NoExecute' }] },
      ['spec.taints[0].value', 'must be a label value'],
    ],
    [
      'the same taint twice',
      'bad',
      {
        taints: [
          { key: 'a', value: 'x', effect: 'NoExecute' },
          { key: 'a', value: 'y', effect: 'NoExecute' },
        ],
      },
      ['spec.taints[1]', 'Duplicate'],
    ],
    [
      'another leader election strategy',
      'bad',
      { leaderElectionStrategy: 'best' },
      ['spec.leaderElectionStrategy', '"random", "mark"'],
    ],
    [
      'no leader replicas',
      'bad',
      { leaderReplicas: 0 },
      ['spec.leaderReplicas', 'greater than or equal to 1'],
    ],
    [
      'a pool scope without a resource',
      'bad',
      { poolScopeMetadata: [{ group: '', version: 'v1' }] },
      ['spec.poolScopeMetadata[0].resource', 'Required'],
    ],
    ['a misspelt field', 'bad', { taint: [] }, ['unknown field "spec.taint"']],
  ])('must not have %s', async (_, name, spec, message) => {
    const refusal = await refusalOf(client.create(nodePools, pool(name, spec), dryRun));
    for (const part of message) expect(refusal).toContain(part);
  });

  it.each<readonly [string, Loose, Loose, string]>([
    ['type', { type: 'Cloud' }, { type: 'Edge' }, 'spec.type'],
    ['type by leaving it out', { type: 'Cloud' }, { type: null }, 'spec.type'],
    ['hostNetwork to true', {}, { hostNetwork: true }, 'is immutable, and is false'],
    ['hostNetwork to false', { hostNetwork: true }, { hostNetwork: false }, 'is immutable, and is true'],
    ['interConnectivity', {}, { interConnectivity: true }, 'spec.interConnectivity'],
  ])('cannot change its %s', async (what, before, after, field) => {
    const name = `fixed-${what.replace(/\W+/g, '-').toLowerCase()}`;
    await client.apply(nodePools, pool(name, before), { fieldManager: 'api-specs', force: true });
    const change = client.patch(nodePools, { name }, { type: 'merge', body: { spec: after } }, dryRun);
    const refusal = await refusalOf(change);
    expect(refusal).toContain(field);
    expect(refusal).toContain('immutable');
    const harmless = { metadata: { labels: { a: 'b' } }, spec: { annotations: { a: 'b' } } };
    await client.patch(nodePools, { name }, { type: 'merge', body: harmless }, dryRun);
    await client.delete(nodePools, { name });
  });

  it('keeps every field on a read, modify and write through any version', async () => {
    const versions = ['v1alpha1', 'v1beta1', 'v1beta2'].map((version): Resource<NodePool> => ({
      ...nodePools,
      version,
    }));
    const name = 'round-trip';
    await client.create(nodePools, pool(name, fullPoolSpec()));
    const status = {
      observedGeneration: 1,
      readyNodeNum: 1,
      unreadyNodeNum: 1,
      nodes: ['a', 'b'],
      leaderEndpoints: [{ nodeName: 'a', address: '10.0.0.1' }],
      leaderNum: 1,
      leaderLastElectedTime: '2026-01-02T03:04:05Z',
      conditions: [
        { type: 'Ready', status: 'True', reason: 'PoolSynced', message: 'all', observedGeneration: 1 },
      ],
    };
    await client.patch(nodePools, { name }, { type: 'merge', body: { status } }, { subresource: 'status' });
    for (const version of versions) {
      const read = await client.get(version, { name });
      await client.update(version, {
        ...read,
        metadata: { ...read.metadata, labels: { by: version.version } },
      });
      await client.update(version, await client.get(version, { name }), { subresource: 'status' });
    }
    for (const version of versions) {
      const read = await client.get(version, { name });
      expect(read.apiVersion).toBe(`apps.openyurt.io/${version.version}`);
      expect(read.spec).toEqual(fullPoolSpec());
      expect(read.status).toEqual(status);
    }
    await client.delete(nodePools, { name });
  });
});

function fullPoolSpec(): Loose {
  return {
    type: 'Edge',
    selector: { matchLabels: { 'apps.openyurt.io/nodepool': 'round-trip' } },
    labels: { 'example.com/site': 'hz', tier: 'a' },
    annotations: { 'example.com/owner': 'somebody, somewhere' },
    taints: [
      { key: 'edge', value: 'x', effect: 'NoSchedule' },
      { key: 'edge', value: 'x', effect: 'NoExecute' },
    ],
    hostNetwork: true,
    interConnectivity: true,
    leaderElectionStrategy: 'mark',
    leaderNodeLabelSelector: { leader: 'yes' },
    enableLeaderElection: true,
    poolScopeMetadata: [{ group: 'apps', version: 'v1', resource: 'deployments' }],
    leaderReplicas: 3,
  };
}
