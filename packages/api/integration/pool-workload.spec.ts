import { namespaces, type StreamingClient } from '@atoll/kube';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { unitedDaemonSets, yurtAppDaemons, type PoolWorkload } from '../src/index.ts';
import { install } from '../src/install/index.ts';
import { connect, refusalOf } from './connect.ts';
import { deploymentTemplate, statefulWorkload, workload, type Loose } from './samples.ts';

let client: StreamingClient;
const namespace = 'api-pool-workload';
const dryRun = { dryRun: true };

beforeAll(async () => {
  client = await connect(inject('kubeconfig'));
  await install(client);
  await client.apply(
    namespaces,
    { metadata: { name: namespace } },
    { fieldManager: 'api-specs', force: true },
  );
});

describe.each([
  ['UnitedDaemonSet', unitedDaemonSets],
  ['YurtAppDaemon', yurtAppDaemons],
] as const)('a %s', (_, resource) => {
  it('keeps ten revisions where its spec has no number', async () => {
    const created = await client.create(resource, workload(namespace, 'defaults'), dryRun);
    expect(created.spec.revisionHistoryLimit).toBe(10);
  });

  it('keeps everything in a template that the schema does not know', async () => {
    const template = deploymentTemplate({
      strategy: { rollingUpdate: { maxSurge: '25%' } },
      template: {
        metadata: { creationTimestamp: null, labels: { app: 'web' }, annotations: { a: 'b' } },
        spec: {
          containers: [{ name: 'c', image: 'i', resources: { limits: { 'example.com/gpu': 1 } } }],
          hostAliases: [],
        },
      },
    });
    const created = await client.create(
      resource,
      workload(namespace, 'kept', { workloadTemplate: { deploymentTemplate: template } }),
      dryRun,
    );
    expect(created.spec.workloadTemplate).toEqual({ deploymentTemplate: template });
  });

  const expressions = [
    { key: 'app', operator: 'In', values: ['web', 'shop'] },
    { key: 'app', operator: 'NotIn', values: ['db'] },
    { key: 'app', operator: 'Exists' },
    { key: 'legacy', operator: 'DoesNotExist' },
    { key: 'legacy', operator: 'NotIn', values: ['yes'] },
  ];

  it.each<readonly [string, Loose]>([
    ['a selector of matchExpressions that its labels match', { selector: { matchExpressions: expressions } }],
    ['a selector of both', { selector: { matchLabels: { app: 'web' }, matchExpressions: expressions } }],
    ['a revisionHistoryLimit of 0', { revisionHistoryLimit: 0 }],
    ['replicas 0', { workloadTemplate: { deploymentTemplate: deploymentTemplate({ replicas: 0 }) } }],
    [
      'a StatefulSet template',
      { workloadTemplate: { statefulSetTemplate: deploymentTemplate({ serviceName: 'web' }) } },
    ],
    [
      'partition 0',
      {
        workloadTemplate: {
          statefulSetTemplate: deploymentTemplate({ updateStrategy: { rollingUpdate: { partition: 0 } } }),
        },
      },
    ],
    [
      'a pool selector of expressions',
      { nodepoolSelector: { matchExpressions: [{ key: 'a', operator: 'Exists' }] } },
    ],
  ])('may have %s', async (_what, spec) => {
    const created = await client.create(resource, workload(namespace, 'good', spec), dryRun);
    expect(created.spec).toMatchObject(spec);
  });

  const unmatched = { metadata: { labels: { app: 'other' } }, spec: {} };
  const deployment = deploymentTemplate();

  it.each<readonly [string, Loose, readonly string[]]>([
    ['no selector', { selector: undefined }, ['spec.selector', 'Required']],
    ['an empty selector', { selector: {} }, ['spec.selector', 'must not be empty']],
    [
      'a selector of empty lists',
      { selector: { matchLabels: {}, matchExpressions: [] } },
      ['spec.selector', 'must not be empty'],
    ],
    ['no nodepoolSelector', { nodepoolSelector: undefined }, ['spec.nodepoolSelector', 'Required']],
    ['no template', { workloadTemplate: undefined }, ['spec.workloadTemplate', 'Required']],
    ['an empty template', { workloadTemplate: {} }, ['spec.workloadTemplate', 'exactly one of']],
    [
      'two templates',
      { workloadTemplate: { deploymentTemplate: deployment, statefulSetTemplate: deployment } },
      ['spec.workloadTemplate', 'exactly one of'],
    ],
    [
      'a template without a spec',
      { workloadTemplate: { deploymentTemplate: { metadata: { labels: { app: 'web' } } } } },
      ['spec.workloadTemplate.deploymentTemplate.spec', 'Required'],
    ],
    [
      'a template without pods',
      { workloadTemplate: { deploymentTemplate: { metadata: { labels: { app: 'web' } }, spec: {} } } },
      ['spec.workloadTemplate.deploymentTemplate.spec.template', 'Required'],
    ],
    [
      'other labels on the Deployment',
      { workloadTemplate: { deploymentTemplate: { ...deployment, metadata: { labels: { app: 'db' } } } } },
      ['spec.workloadTemplate.deploymentTemplate.metadata.labels', 'must match spec.selector'],
    ],
    [
      'no labels on the Deployment',
      { workloadTemplate: { deploymentTemplate: { spec: deployment['spec'] } } },
      ['spec.workloadTemplate.deploymentTemplate', 'must match spec.selector'],
    ],
    [
      'other labels on the pods',
      { workloadTemplate: { deploymentTemplate: deploymentTemplate({ template: unmatched }) } },
      ['spec.workloadTemplate.deploymentTemplate.spec.template.metadata.labels', 'must match spec.selector'],
    ],
    [
      'no labels on the pods of a StatefulSet',
      { workloadTemplate: { statefulSetTemplate: deploymentTemplate({ template: { spec: {} } }) } },
      ['spec.workloadTemplate.statefulSetTemplate.spec.template', 'must match spec.selector'],
    ],
    ...[
      { key: 'app', operator: 'In', values: ['shop'] },
      { key: 'app', operator: 'NotIn', values: ['web'] },
      { key: 'app', operator: 'DoesNotExist' },
      { key: 'other', operator: 'Exists' },
      { key: 'other', operator: 'In', values: ['web'] },
    ].map(
      (expression) =>
        [
          `labels that do not fulfil ${expression.key} ${expression.operator}`,
          { selector: { matchExpressions: [expression] } },
          ['deploymentTemplate.metadata.labels', 'template.metadata.labels', 'must match spec.selector'],
        ] as const,
    ),
    [
      'the operator In without values',
      { selector: { matchExpressions: [{ key: 'app', operator: 'In' }] } },
      ['spec.selector.matchExpressions[0].values', 'for the operators In and NotIn'],
    ],
    [
      'the operator Exists with values',
      { nodepoolSelector: { matchExpressions: [{ key: 'app', operator: 'Exists', values: ['x'] }] } },
      ['spec.nodepoolSelector.matchExpressions[0].values', 'for the operators In and NotIn'],
    ],
    [
      'an unknown operator',
      { nodepoolSelector: { matchExpressions: [{ key: 'app', operator: 'Gt', values: ['1'] }] } },
      ['spec.nodepoolSelector.matchExpressions[0].operator', '"DoesNotExist"'],
    ],
    [
      'a pool label that is no label value',
      { nodepoolSelector: { matchLabels: { tier: 'a b' } } },
      ['spec.nodepoolSelector.matchLabels[tier]', 'must be a label value'],
    ],
    [
      'a negative revisionHistoryLimit',
      { revisionHistoryLimit: -1 },
      ['spec.revisionHistoryLimit', 'greater than or equal to 0'],
    ],
    [
      'negative replicas',
      { workloadTemplate: { deploymentTemplate: deploymentTemplate({ replicas: -1 }) } },
      ['spec.workloadTemplate.deploymentTemplate.spec.replicas', 'greater than or equal to 0'],
    ],
    [
      'replicas as a word',
      { workloadTemplate: { deploymentTemplate: deploymentTemplate({ replicas: 'two' }) } },
      ['spec.workloadTemplate.deploymentTemplate.spec.replicas', 'must be of type integer'],
    ],
    [
      'a partition',
      {
        workloadTemplate: {
          statefulSetTemplate: deploymentTemplate({ updateStrategy: { rollingUpdate: { partition: 1 } } }),
        },
      },
      ['statefulSetTemplate.spec.updateStrategy.rollingUpdate.partition', 'must be 0 or left out'],
    ],
    ['a misspelt field', { nodePoolSelector: {} }, ['unknown field "spec.nodePoolSelector"']],
  ])('must not have %s', async (_what, spec, message) => {
    const refusal = await refusalOf(client.create(resource, workload(namespace, 'bad', spec), dryRun));
    for (const part of message) expect(refusal).toContain(part);
  });

  const claims = (storage: string): Loose => ({
    volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: { resources: { requests: { storage } } } }],
  });

  it.each<readonly [string, PoolWorkload, Loose, string]>([
    [
      'selector',
      workload(namespace, 'fixed'),
      { selector: { matchLabels: { app: 'shop' } } },
      'spec.selector',
    ],
    [
      'serviceName',
      statefulWorkload(namespace, 'fixed', { serviceName: 'a' }),
      { serviceName: 'b' },
      'spec.serviceName',
    ],
    [
      'serviceName by leaving it out',
      statefulWorkload(namespace, 'fixed', { serviceName: 'a' }),
      { serviceName: null },
      'spec.serviceName',
    ],
    [
      'podManagementPolicy',
      statefulWorkload(namespace, 'fixed'),
      { podManagementPolicy: 'Parallel' },
      'spec.podManagementPolicy',
    ],
    [
      'volumeClaimTemplates',
      statefulWorkload(namespace, 'fixed', claims('1Gi')),
      claims('2Gi'),
      'spec.volumeClaimTemplates',
    ],
    [
      'volumeClaimTemplates by adding one',
      statefulWorkload(namespace, 'fixed'),
      claims('1Gi'),
      'spec.volumeClaimTemplates',
    ],
  ])('cannot change its %s', async (_what, before, change, field) => {
    await client.create(resource, before);
    try {
      const spec =
        'selector' in change ? change : { workloadTemplate: { statefulSetTemplate: { spec: change } } };
      const patch = client.patch(
        resource,
        { namespace, name: 'fixed' },
        { type: 'merge', body: { spec } },
        dryRun,
      );
      const refusal = await refusalOf(patch);
      expect(refusal).toContain(field);
      expect(refusal).toContain('immutable');
    } finally {
      await client.delete(resource, { namespace, name: 'fixed' });
    }
  });

  it('cannot change its labels to what its selector does not match', async () => {
    const key = { namespace, name: 'matching' };
    await client.create(resource, workload(namespace, key.name));
    const other = { metadata: { labels: { app: 'other' } } };
    for (const change of [other, { spec: { template: other } }]) {
      const body = { spec: { workloadTemplate: { deploymentTemplate: change } } };
      const refusal = await refusalOf(client.patch(resource, key, { type: 'merge', body }, dryRun));
      expect(refusal).toContain('metadata.labels');
      expect(refusal).toContain('must match spec.selector');
    }
    await client.delete(resource, key);
  });

  it('can change its kind of workload, its pods and its replicas', async () => {
    const key = { namespace, name: 'switched' };
    const before = statefulWorkload(namespace, 'switched', {
      serviceName: 'a',
      replicas: 1,
      ...claims('1Gi'),
    });
    await client.create(resource, before);
    const explicit = { podManagementPolicy: 'OrderedReady', replicas: 3, minReadySeconds: 5 };
    const changed = { spec: { workloadTemplate: { statefulSetTemplate: { spec: explicit } } } };
    await client.patch(resource, key, { type: 'merge', body: changed });
    const toDeployment = { statefulSetTemplate: null, deploymentTemplate: deploymentTemplate() };
    await client.patch(resource, key, { type: 'merge', body: { spec: { workloadTemplate: toDeployment } } });
    const back = { deploymentTemplate: null, statefulSetTemplate: deploymentTemplate({ serviceName: 'b' }) };
    const after = await client.patch(resource, key, {
      type: 'merge',
      body: { spec: { workloadTemplate: back } },
    });
    expect(after.spec.workloadTemplate).toEqual({
      statefulSetTemplate: deploymentTemplate({ serviceName: 'b' }),
    });
    await client.delete(resource, key);
  });
});
