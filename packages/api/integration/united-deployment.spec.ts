import { namespaces, type Resource, type StreamingClient } from '@atoll/kube';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { unitedDeployments, type UnitedDeployment } from '../src/index.ts';
import { install } from '../src/install/index.ts';
import { connect, refusalOf } from './connect.ts';
import type { Loose } from './samples.ts';
import { adaptive, inZone, partitions, subset, subsets, template, united } from './united-samples.ts';

let client: StreamingClient;
const namespace = 'api-united-deployment';
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

describe('a UnitedDeployment', () => {
  it('is updated manually and keeps ten revisions where its spec has no number', async () => {
    const created = await client.create(resource, united(namespace, 'defaults'), dryRun);
    expect(created.spec).toMatchObject({
      revisionHistoryLimit: 10,
      updateStrategy: { type: 'Manual', manualUpdate: {} },
    });
  });

  it('has no total of its own where it is left out', async () => {
    const spec = subsets(subset('a', { replicas: 2 }), subset('b', { replicas: 3 }));
    const object = united(namespace, 'total', { ...spec, replicas: undefined });
    const created = await client.create(resource, object, dryRun);
    expect(created.spec.replicas).toBeUndefined();
  });

  it.each(['statefulSetTemplate', 'advancedStatefulSetTemplate', 'cloneSetTemplate', 'deploymentTemplate'])(
    'keeps everything in a %s that the schema does not know',
    async (member) => {
      const more = {
        minReadySeconds: 5,
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%' } },
        lifecycle: { inPlaceUpdate: { labelsHandler: { hold: 'true' } } },
      };
      const spec = { template: template(member, more) };
      const created = await client.create(resource, united(namespace, 'kept', spec), dryRun);
      expect(created.spec.template).toEqual(spec.template);
    },
  );

  it('keeps all of a patch', async () => {
    const patch = {
      metadata: { annotations: { a: 'b' } },
      spec: { containers: [{ name: 'web', $patch: 'delete' }], $setElementOrder: 1 },
    };
    const spec = subsets(subset('a', { patch }));
    const created = await client.create(resource, united(namespace, 'patched', spec), dryRun);
    expect(created.spec.topology?.subsets?.[0]?.patch).toEqual(patch);
  });

  const manual = [
    subset('subset-a', { replicas: 1, nodeSelectorTerm: {} }),
    subset('subset-b', { replicas: '50%', tolerations: [] }),
    subset('subset-c', { maxReplicas: null, nodeSelectorTerm: null, patch: null }),
  ];
  const clones = {
    old: { updateStrategy: { type: 'InPlaceIfPossible', partition: '20%', maxUnavailable: 2 } },
    new: {
      updateStrategy: {
        rollingUpdate: { partition: 3, podUpdatePolicy: { type: 'InPlaceOnly' } },
      },
    },
  };

  it('may be written by clients that fill in what is empty, as those in Go do', async () => {
    const { metadata, spec } = united(namespace, 'typed', {
      topology: {
        subsets: [{ name: 'a', nodeSelectorTerm: {}, patch: null }],
        scheduleStrategy: { type: '' },
      },
      updateStrategy: {},
      template: template('statefulSetTemplate', {
        serviceName: '',
        updateStrategy: {},
        selector: null,
        template: {
          metadata: { creationTimestamp: null, labels: { app: 'web' } },
          spec: { containers: [{ name: 'web', image: 'nginx', resources: {} }] },
        },
      }),
    });
    const status = { currentRevision: '', replicas: 0, updatedReplicas: 0, subsetReplicas: null };
    const object = { metadata: { ...metadata, creationTimestamp: null }, spec, status };
    const created = await client.create(resource, object as unknown as UnitedDeployment, dryRun);
    expect(created.spec.topology?.subsets).toEqual([{ name: 'a', nodeSelectorTerm: {}, patch: null }]);
    expect(created.spec.updateStrategy).toEqual({ type: 'Manual', manualUpdate: {} });
  });

  it.each<readonly [string, Loose]>([
    ['the subsets of the manual', subsets(...manual)],
    ['numbers that do not add up', subsets(subset('a', { replicas: 3 }), subset('b', { replicas: 9 }))],
    [
      'percentages that add up to more than all',
      subsets(subset('a', { replicas: '60%' }), subset('b', { replicas: '60%' })),
    ],
    [
      'a total that its only subset does not want',
      { replicas: 0, ...subsets(subset('a', { replicas: '100%' })) },
    ],
    [
      'one subset that gives a number and no total',
      { replicas: undefined, ...subsets(subset('a', { replicas: 3 }), subset('b')) },
    ],
    [
      'bounds',
      subsets(
        subset('a', { minReplicas: 1, maxReplicas: 3 }),
        subset('b', { minReplicas: '10%', maxReplicas: 1 }),
        subset('c'),
      ),
    ],
    [
      'the adaptive strategy',
      adaptive({ adaptive: { rescheduleCriticalSeconds: 0, unschedulableDuration: 300 } }),
    ],
    [
      'the name that a duration had in older releases',
      adaptive({ adaptive: { unschedulableLastSeconds: 60 } }),
    ],
    ['reserved pods', adaptive({ adaptive: { reserveUnschedulablePods: true } })],
    [
      'reserved pods of CloneSets',
      {
        ...adaptive({ adaptive: { reserveUnschedulablePods: true } }),
        template: template('cloneSetTemplate'),
      },
    ],
    ['a strategy without a type', { topology: { scheduleStrategy: { type: '' }, subsets: manual } }],
    ['partitions', partitions({ 'zone-a': 0, 'zone-b': 7 })],
    ['an update strategy without a type', { updateStrategy: { type: '' } }],
    ['a CloneSet in the shape of v1alpha1', { template: template('cloneSetTemplate', clones.old) }],
    ['a CloneSet in the shape of v1beta1', { template: template('cloneSetTemplate', clones.new) }],
    [
      'a partition in a template of StatefulSets that are updated by hand',
      {
        template: template('statefulSetTemplate', {
          updateStrategy: { type: 'OnDelete', rollingUpdate: { partition: 1 } },
        }),
      },
    ],
    [
      'every operator of node labels, and a node by its name',
      subsets(
        subset('a', {
          nodeSelectorTerm: {
            matchExpressions: [
              { key: 'a', operator: 'In', values: ['x', 'y'] },
              { key: 'b', operator: 'NotIn', values: ['x'] },
              { key: 'c', operator: 'Exists' },
              { key: 'd', operator: 'DoesNotExist', values: [] },
              { key: 'e', operator: 'Gt', values: ['1'] },
              { key: 'f', operator: 'Lt', values: ['0'] },
            ],
            matchFields: [{ key: 'metadata.name', operator: 'In', values: ['node-1'] }],
          },
        }),
      ),
    ],
    [
      'every kind of toleration',
      subsets(
        subset('a', {
          tolerations: [
            { operator: 'Exists' },
            { key: 'k', operator: 'Exists', effect: 'NoSchedule' },
            { key: 'k', value: 'v' },
            { key: 'k', operator: 'Equal', value: 'v', effect: 'NoExecute', tolerationSeconds: 30 },
            { key: 'k', operator: 'Gt', value: '5' },
            { key: 'k', operator: 'Lt', value: '-5', effect: 'NoSchedule' },
            { key: 'k', operator: '', value: '', effect: '' },
          ],
        }),
      ),
    ],
    ['a selector of expressions', { selector: { matchExpressions: [{ key: 'app', operator: 'Exists' }] } }],
    ['a revisionHistoryLimit of 0', { revisionHistoryLimit: 0 }],
    ['256 subsets', subsets(...Array.from({ length: 256 }, (_, index) => subset(`s${index}`)))],
  ])('may have %s', async (_what, spec) => {
    const object = united(namespace, 'good', spec);
    const created = await client.create(resource, object, dryRun);
    const newerToo = await client.create(newer, object, dryRun);
    expect(created.spec).toMatchObject(withoutNull(spec) as Loose);
    expect(newerToo.spec).toEqual(created.spec);
  });

  const number = 'must be an integer of at least 0, or a whole percentage from 0% to 100%';
  const term = (requirement: Loose, list = 'matchExpressions'): Loose =>
    subsets(inZone('zone-a', 'a'), subset('zone-b', { nodeSelectorTerm: { [list]: [requirement] } }));
  const tolerating = (toleration: Loose): Loose => subsets(subset('zone-b', { tolerations: [toleration] }));
  const values =
    'spec.topology.subsets: Invalid value: subset zone-b: nodeSelectorTerm.matchExpressions must have values for the operators In and NotIn, one integer without a sign for Gt and Lt, none for Exists and DoesNotExist, and no other operator';
  const fields =
    'spec.topology.subsets: Invalid value: subset zone-b: nodeSelectorTerm.matchFields must have the key metadata.name, the operator In or NotIn, and one value';
  const spelling =
    'spec.topology.subsets: Invalid value: subset zone-b: tolerations must have the operator Exists, Equal, Lt, Gt or none, and the effect NoSchedule, PreferNoSchedule, NoExecute or none';
  const tolerations =
    'spec.topology.subsets: Invalid value: subset zone-b: tolerations must have the operator Exists where the key is empty, no value for the operator Exists, and the effect NoExecute where tolerationSeconds is given';
  const noReplicas = 'replicas must be left out: the total is spec.replicas, and the subsets spread it';
  const noPartition =
    'partition must be left out: partitions are in spec.updateStrategy.manualUpdate.partitions, by subset';
  const unmatched = { metadata: { labels: { app: 'other' } }, spec: {} };

  it.each<readonly [string, Loose, string]>([
    [
      'a negative total',
      { replicas: -1 },
      'spec.replicas: Invalid value: -1: spec.replicas in body should be greater than or equal to 0',
    ],
    ['no selector', { selector: undefined }, 'spec.selector: Required value'],
    [
      'an empty selector',
      { selector: {} },
      'spec.selector: Invalid value: selector must not be empty: give at least one entry in matchLabels or matchExpressions',
    ],
    ['no template', { template: undefined }, 'spec.template: Required value'],
    [
      'an empty template',
      { template: {} },
      'spec.template: Invalid value: exactly one of statefulSetTemplate, advancedStatefulSetTemplate, cloneSetTemplate and deploymentTemplate must be given',
    ],
    [
      'two templates',
      { template: { ...template(), ...template('cloneSetTemplate') } },
      'spec.template: Invalid value: exactly one of statefulSetTemplate, advancedStatefulSetTemplate, cloneSetTemplate and deploymentTemplate must be given, and cloneSetTemplate and deploymentTemplate are',
    ],
    [
      'a template without pods',
      { template: { cloneSetTemplate: { spec: {} } } },
      'spec.template.cloneSetTemplate.spec.template: Required value',
    ],
    ...['statefulSetTemplate', 'advancedStatefulSetTemplate', 'deploymentTemplate'].flatMap((member) => [
      [
        `other labels on a ${member}`,
        { template: { [member]: { ...(template(member)[member] as Loose), metadata: unmatched.metadata } } },
        `spec.template.${member}.metadata.labels: Invalid value: the labels must match spec.selector`,
      ] as const,
      [
        `replicas in a ${member}`,
        { template: template(member, { replicas: 3 }) },
        `spec.template.${member}.spec.replicas: Invalid value: ${noReplicas}`,
      ] as const,
    ]),
    ...['statefulSetTemplate', 'advancedStatefulSetTemplate', 'cloneSetTemplate', 'deploymentTemplate'].map(
      (member) =>
        [
          `other labels on the pods of a ${member}`,
          { template: template(member, { template: unmatched }) },
          `spec.template.${member}.spec.template.metadata.labels: Invalid value: the labels must match spec.selector`,
        ] as const,
    ),
    ...['statefulSetTemplate', 'advancedStatefulSetTemplate'].map(
      (member) =>
        [
          `a partition in a ${member}`,
          { template: template(member, { updateStrategy: { rollingUpdate: { partition: 1 } } }) },
          `spec.template.${member}.spec.updateStrategy.rollingUpdate.partition: Invalid value: ${noPartition}`,
        ] as const,
    ),
    [
      'no topology',
      { topology: undefined },
      'spec.topology.subsets: Invalid value: topology.subsets must hold at least one subset: set replicas to 0 where nothing is to run',
    ],
    [
      'no subsets',
      subsets(),
      'spec.topology.subsets: Invalid value: topology.subsets must hold at least one subset: set replicas to 0 where nothing is to run',
    ],
    ['a subset without a name', subsets({ replicas: 1 }), 'spec.topology.subsets[0].name: Required value'],
    [
      'a subset name that is no DNS label',
      subsets(subset('zone_a')),
      'spec.topology.subsets: Invalid value: subset zone_a: the name must be a DNS label: 1 to 63 lower case letters, digits or "-", beginning and ending with a letter or digit',
    ],
    [
      'a subset without a name worth it',
      subsets(subset('')),
      'spec.topology.subsets: Invalid value: subset : the name must be a DNS label: 1 to 63 lower case letters, digits or "-", beginning and ending with a letter or digit',
    ],
    [
      'a subset name that is too long',
      subsets(subset('s'.repeat(64))),
      `spec.topology.subsets: Invalid value: subset ${'s'.repeat(64)}: the name must be a DNS label: 1 to 63 lower case letters, digits or "-", beginning and ending with a letter or digit`,
    ],
    [
      'a subset name that nobody would write',
      subsets(subset('s'.repeat(254))),
      'spec.topology.subsets[0].name: Too long: may not be more than 253 bytes',
    ],
    [
      'two subsets of one name',
      subsets(subset('a'), subset('b'), subset('a')),
      'spec.topology.subsets[2]: Duplicate value: {"name":"a"}',
    ],
    [
      '257 subsets',
      subsets(...Array.from({ length: 257 }, (_, index) => subset(`s${index}`))),
      'spec.topology.subsets: Too many: 257: must have at most 256 items',
    ],
    ...(['replicas', 'minReplicas', 'maxReplicas'] as const).flatMap((field) =>
      [-1, '5', '101%', '-1%', '12.5%', 'abc%', '%', ''].map(
        (value) =>
          [
            `${field} ${JSON.stringify(value)} in a subset`,
            subsets(subset('zone-a'), subset('zone-b', { [field]: value })),
            `spec.topology.subsets: Invalid value: subset zone-b: ${field} ${number}`,
          ] as const,
      ),
    ),
    [
      'minReplicas above maxReplicas',
      subsets(subset('zone-a', { minReplicas: 5, maxReplicas: 3 }), subset('zone-b')),
      'spec.topology.subsets: Invalid value: subset zone-a: minReplicas must not be greater than maxReplicas',
    ],
    [
      'replicas beside bounds',
      subsets(subset('zone-a', { minReplicas: 1 }), subset('zone-b', { replicas: 1 })),
      'spec.topology.subsets: Invalid value: subset zone-b: replicas cannot be given where minReplicas or maxReplicas is given, here or in another subset',
    ],
    [
      'a limit on every subset',
      subsets(subset('zone-a', { maxReplicas: 1 }), subset('zone-b', { maxReplicas: '50%' })),
      'spec.topology.subsets: Invalid value: at least one subset must have no maxReplicas, so that there is room for every total',
    ],
    [
      'replicas in an adaptive subset',
      adaptive({}, subset('zone-a'), subset('zone-b', { replicas: 1 })),
      'spec.topology.subsets: Invalid value: subset zone-b: replicas must be left out where scheduleStrategy.type is Adaptive: give minReplicas and maxReplicas',
    ],
    [
      'an unknown strategy',
      { topology: { scheduleStrategy: { type: 'Clever' }, subsets: [subset('a')] } },
      'spec.topology.scheduleStrategy.type: Invalid value: "Clever" is not supported; it must be one of "Adaptive", "Fixed", ""',
    ],
    ...['rescheduleCriticalSeconds', 'unschedulableDuration', 'unschedulableLastSeconds'].map(
      (field) =>
        [
          `a negative ${field}`,
          adaptive({ adaptive: { [field]: -1 } }),
          `spec.topology.scheduleStrategy.adaptive.${field}: Invalid value: -1: spec.topology.scheduleStrategy.adaptive.${field} in body should be greater than or equal to 0`,
        ] as const,
    ),
    ...['statefulSetTemplate', 'advancedStatefulSetTemplate'].map(
      (member) =>
        [
          `reserved pods of a ${member}`,
          { ...adaptive({ adaptive: { reserveUnschedulablePods: true } }), template: template(member) },
          'spec.topology.scheduleStrategy: Invalid value: reserveUnschedulablePods must not be true for the two StatefulSet templates, only for Deployments and CloneSets',
        ] as const,
    ),
    ['In without values', term({ key: 'k', operator: 'In' }), values],
    ['Exists with values', term({ key: 'k', operator: 'Exists', values: ['v'] }), values],
    ['Gt with two values', term({ key: 'k', operator: 'Gt', values: ['1', '2'] }), values],
    ['Gt with a sign', term({ key: 'k', operator: 'Gt', values: ['-1'] }), values],
    ['Lt with a word', term({ key: 'k', operator: 'Lt', values: ['one'] }), values],
    ['an unknown operator', term({ key: 'k', operator: 'Near', values: ['v'] }), values],
    ['an unknown operator without values', term({ key: 'k', operator: 'in' }), values],
    [
      'a field of a node that cannot be asked for',
      term({ key: 'metadata.uid', operator: 'In', values: ['v'] }, 'matchFields'),
      fields,
    ],
    [
      'a field with two values',
      term({ key: 'metadata.name', operator: 'In', values: ['v', 'w'] }, 'matchFields'),
      fields,
    ],
    [
      'a field by another operator',
      term({ key: 'metadata.name', operator: 'Exists' }, 'matchFields'),
      fields,
    ],
    [
      'an unknown operator of a toleration',
      tolerating({ key: 'k', operator: 'Equals', value: 'v' }),
      spelling,
    ],
    ['an operator of a toleration in small letters', tolerating({ key: 'k', operator: 'exists' }), spelling],
    ['an unknown effect of a toleration', tolerating({ key: 'k', effect: 'NoRun' }), spelling],
    ['a toleration by comparison of nothing', tolerating({ operator: 'Gt', value: '1' }), tolerations],
    ['a toleration of nothing', tolerating({ value: 'v' }), tolerations],
    [
      'a toleration with a value for Exists',
      tolerating({ key: 'k', operator: 'Exists', value: 'v' }),
      tolerations,
    ],
    [
      'a toleration in seconds of another effect',
      tolerating({ key: 'k', effect: 'NoSchedule', tolerationSeconds: 1 }),
      tolerations,
    ],
    [
      'a partition of no subset',
      partitions({ 'zone-a': 1, 'zone-c': 0 }),
      'spec.updateStrategy.manualUpdate.partitions: Invalid value: there is no subset zone-c: every partition must be that of a subset of spec.topology.subsets',
    ],
    [
      'a negative partition',
      partitions({ 'zone-a': 1, 'zone-b': -1 }),
      'spec.updateStrategy.manualUpdate.partitions: Invalid value: subset zone-b: the partition must be at least 0',
    ],
    [
      'an unknown update strategy',
      { updateStrategy: { type: 'Automatic' } },
      'spec.updateStrategy.type: Unsupported value: "Automatic": supported values: "", "Manual"',
    ],
    [
      'a negative revisionHistoryLimit',
      { revisionHistoryLimit: -1 },
      'spec.revisionHistoryLimit: Invalid value: -1: spec.revisionHistoryLimit in body should be greater than or equal to 0',
    ],
    [
      'a misspelt field',
      subsets(subset('a', { nodeSelector: {} })),
      'unknown field "spec.topology.subsets[0].nodeSelector"',
    ],
  ])('must not have %s', async (_what, spec, message) => {
    const refusal = await refusalOf(client.create(resource, united(namespace, 'bad', spec), dryRun));
    expect(withoutType(refusal)).toContain(message);
  });
});

/** What the API server answers holds no null, and no field that is undefined. */
function withoutNull(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNull);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, field]) => field !== null && field !== undefined);
  return Object.fromEntries(entries.map(([key, field]) => [key, withoutNull(field)]));
}

/** Rules of CEL show the value that carries them: the type alone where it is no scalar, otherwise the value in quotes. */
function withoutType(refusal: string): string {
  return (
    refusal
      .replaceAll(/Invalid value: (?:"[^"]*"|\{[^\n]*?\}): /g, 'Invalid value: ')
      // As Kubernetes 1.30 writes it.
      .replaceAll(/may not be longer than (\d+)/g, 'may not be more than $1 bytes')
      .replaceAll('Duplicate value: map[string]interface {}', 'Duplicate value: ')
  );
}
