// Somebody's mutating webhook writes a null into a UnitedDeployment: OpenKruise's does, for a subset without a patch.
import {
  namespaces,
  type JsonPatchOperation,
  type JSONSchemaProps,
  type KubeObject,
  type Resource,
  type StreamingClient,
} from '@atoll/kube';
import { startForeignWebhook } from '@atoll/testbed';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import {
  nodePools,
  unitedDaemonSets,
  unitedDeployments,
  yurtAppDaemons,
  type UnitedDeployment,
} from '../src/index.ts';
import { install } from '../src/install/index.ts';
import { customResourceDefinition } from '../src/schema/index.ts';
import { unitedDeploymentKind } from '../src/schema/united-deployment.ts';
import { connect } from './connect.ts';
import { pool, workload, type Loose } from './samples.ts';
import { template, united } from './united-samples.ts';

const namespace = 'api-absent';
const members = [
  'deploymentTemplate',
  'statefulSetTemplate',
  'advancedStatefulSetTemplate',
  'cloneSetTemplate',
];

let client: StreamingClient;
let webhook: AsyncDisposable;
/** What the webhook does to each object of the namespace. */
let patch: readonly JsonPatchOperation[] = [];

beforeAll(async () => {
  client = await connect(inject('kubeconfig'));
  await install(client);
  await client.apply(
    namespaces,
    { metadata: { name: namespace } },
    { fieldManager: 'api-specs', force: true },
  );
  webhook = await startForeignWebhook({
    client,
    name: 'absent.example.com',
    rules: [
      {
        apiGroups: ['apps.kruise.io', 'apps.openyurt.io'],
        apiVersions: ['*'],
        resources: ['uniteddeployments', 'nodepools', 'yurtappdaemons', 'uniteddaemonsets'],
        operations: ['CREATE', 'UPDATE'],
      },
    ],
    answer: async (request) =>
      request.namespace === namespace || request.name === 'of-go'
        ? { allowed: true, patch }
        : { allowed: true },
  });
});

afterAll(async () => {
  await webhook?.[Symbol.asyncDispose]();
  await client?.close();
});

/** Every field of the schema, given at least once. */
function full(member: string): UnitedDeployment {
  const isAdaptive = member === 'cloneSetTemplate';
  const numbers = isAdaptive ? { minReplicas: 1, maxReplicas: 2 } : { replicas: 1 };
  const term = { key: 'zone', operator: 'In', values: ['a'] };
  const toleration = { key: 'a', operator: 'Equal', value: 'b', effect: 'NoExecute', tolerationSeconds: 3 };
  return united(namespace, 'absent', {
    template: template(member, { updateStrategy: { type: 'RollingUpdate', rollingUpdate: {} } }),
    topology: {
      subsets: [
        {
          name: 'a',
          ...numbers,
          nodeSelectorTerm: {
            matchExpressions: [term],
            matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n'] }],
          },
          tolerations: [toleration],
          patch: {},
        },
        { name: 'b' },
      ],
      scheduleStrategy: isAdaptive ? { type: 'Adaptive', adaptive: {} } : {},
    },
    updateStrategy: { manualUpdate: { partitions: { a: 0 } } },
  });
}

function withoutNulls(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (_, below: unknown) => below ?? undefined));
}

/** JSON pointers of all fields that may be left out, as far as the object has what they are fields of. */
function optionalFields(schema: JSONSchemaProps, value: unknown, at = ''): readonly string[] {
  if (Array.isArray(value)) {
    // A field that is only described does not define what it holds.
    if (schema.items === undefined) return [];
    return value.flatMap((item, index) =>
      optionalFields(schema.items as JSONSchemaProps, item, `${at}/${index}`),
    );
  }
  if (typeof value !== 'object' || value === null) return [];
  const { properties = {}, required = [] } = schema;
  return Object.entries(properties).flatMap(([name, field]) => {
    const pointer = `${at}/${name}`;
    // The total is what `scale` reads: it cannot be null, and OpenKruise leaves it out.
    const mayBeNull = !required.includes(name) && pointer !== '/replicas';
    return [...(mayBeNull ? [pointer] : []), ...optionalFields(field, (value as Loose)[name], pointer)];
  });
}

/** What Go writes beside what a user gives: fields that its types do not leave out when they are empty. */
const ofGo = { creationTimestamp: null };
const podsOfGo = {
  metadata: { ...ofGo, labels: { app: 'web' } },
  spec: { containers: [{ name: 'web', image: 'nginx:1.27', resources: {} }] },
};
const deploymentOfGo = {
  metadata: { ...ofGo, labels: { app: 'web' } },
  spec: { selector: null, template: podsOfGo, strategy: {} },
};
const statefulSetOfGo = {
  metadata: { ...ofGo, labels: { app: 'web' } },
  spec: {
    selector: null,
    serviceName: '',
    template: podsOfGo,
    updateStrategy: {},
    volumeClaimTemplates: [
      {
        metadata: { ...ofGo, name: 'data' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
        status: {},
      },
    ],
  },
};

const [version] = customResourceDefinition(unitedDeploymentKind).spec.versions;
const schema = version?.schema?.openAPIV3Schema?.properties?.['spec'] ?? {};
/** Each field once, in one of the objects that have it. */
const cases = [
  ...new Map(
    members.flatMap((member) =>
      optionalFields(schema, full(member).spec).map((field) => [field, member] as const),
    ),
  ),
];

describe.each(['v1alpha1', 'v1beta1'])('a webhook that adds a null to a UnitedDeployment of %s', (served) => {
  const resource: Resource<UnitedDeployment> = { ...unitedDeployments, version: served };

  it('is met in all optional fields', () => {
    const fields = cases.map(([field]) => field);
    for (const field of ['/topology', '/topology/subsets/0/patch', '/topology/subsets/1/patch']) {
      expect(fields).toContain(field);
    }
    expect(fields.length).toBeGreaterThan(60);
  });

  /** What the API server makes of it, nulls left out, or why it refuses. */
  async function answer(member: string, ...operations: readonly JsonPatchOperation[]): Promise<unknown> {
    patch = operations;
    try {
      const { spec } = await client.create(resource, full(member), { dryRun: true });
      return withoutNulls(spec);
    } catch (error) {
      return error instanceof Error ? error.message : error;
    }
  }

  it.each(cases)('is answered as if it had left out %s of a %s', async (field, member) => {
    const path = `/spec${field}`;
    const add = { op: 'add', path, value: null } as const;
    const answered = await answer(member, add);
    expect(answered).toEqual(await answer(member, add, { op: 'remove', path }));
    expect(JSON.stringify(answered)).not.toMatch(/null|nil|webhook failed/);
  });
});

describe('a webhook that writes an object as Go does', () => {
  const statusOfPools = { readyNodeNum: 0, unreadyNodeNum: 0, nodes: null, conditions: null };
  const statusOfWorkloads = { nodepools: null, conditions: null, currentRevision: '' };
  const kinds = [
    ['a NodePool', nodePools, pool('of-go', { type: 'Edge' }), statusOfPools],
    ...[deploymentOfGo, statefulSetOfGo].flatMap((given) => {
      const member = given === deploymentOfGo ? 'deploymentTemplate' : 'statefulSetTemplate';
      const workloadTemplate = { [member]: given };
      const asWorkload = workload(namespace, 'of-go', { workloadTemplate });
      const asUnited = united(namespace, 'of-go', { template: workloadTemplate });
      return [
        [`a YurtAppDaemon, ${member}`, yurtAppDaemons, asWorkload, statusOfWorkloads],
        [`a UnitedDaemonSet, ${member}`, unitedDaemonSets, asWorkload, statusOfWorkloads],
        [`a UnitedDeployment, ${member}`, unitedDeployments, asUnited, { replicas: 0, conditions: null }],
      ] as const;
    }),
  ] as const;

  it.each(kinds)('is accepted: %s', async (_, resource, object, status) => {
    const { spec } = object as { readonly spec: object };
    patch = [
      { op: 'replace', path: '/spec', value: spec },
      { op: 'add', path: '/status', value: status },
    ];
    const created = await client.create(resource as Resource<KubeObject>, object, { dryRun: true });
    expect(created).toMatchObject({ spec });
  });
});
