import {
  deployments,
  isApiError,
  mergePodTemplate,
  podTemplatePatchSchema,
  StrategicMergeError,
  type Deployment,
  type PatchField,
  type PatchSchema,
  type PodTemplateSpec,
  type StreamingClient,
} from '@atoll/kube';
import { kubernetesMinorOf } from '@atoll/testbed';
import { describe, expect, it } from 'vitest';
import { connect, newNamespace } from './control-plane.ts';

const labels = { app: 'web' };

const template: PodTemplateSpec = {
  metadata: { labels, annotations: { note: 'one' }, finalizers: ['example.com/x', 'example.com/y'] },
  spec: {
    containers: [
      {
        name: 'main',
        image: 'main:1',
        args: ['-a', '-b'],
        env: [
          { name: 'A', value: '1' },
          { name: 'B', value: '2' },
          { name: 'C', value: '3' },
        ],
        ports: [{ containerPort: 80, name: 'http' }, { containerPort: 443 }],
        resources: { requests: { cpu: '1', memory: '1Gi' }, limits: { memory: '2Gi' } },
        volumeMounts: [
          { name: 'data', mountPath: '/data' },
          { name: 'tmp', mountPath: '/tmp' },
        ],
      },
      { name: 'side', image: 'side:1' },
    ],
    initContainers: [{ name: 'init', image: 'init:1' }],
    volumes: [
      { name: 'data', emptyDir: { sizeLimit: '1Gi' } },
      { name: 'tmp', configMap: { name: 'tmp', items: [{ key: 'k', path: 'p' }] } },
    ],
    tolerations: [{ key: 'a', operator: 'Exists' }],
    hostAliases: [{ ip: '10.0.0.1', hostnames: ['one', 'two'] }],
    imagePullSecrets: [{ name: 'first' }],
    topologySpreadConstraints: [
      {
        topologyKey: 'zone',
        maxSkew: 1,
        whenUnsatisfiable: 'DoNotSchedule',
        labelSelector: { matchLabels: labels },
      },
    ],
    nodeSelector: { disk: 'ssd' },
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] }],
        },
      },
    },
  },
};

function main(fields: object): object {
  return { spec: { containers: [{ name: 'main', ...fields }] } };
}

const patches: readonly (readonly [string, object])[] = [
  [
    'a label, an annotation, and one less',
    { metadata: { labels: { pool: 'x' }, annotations: { note: null, other: '2' } } },
  ],
  ['an image', main({ image: 'main:2' })],
  [
    'a variable changed, one new, one gone',
    main({
      env: [
        { name: 'B', value: '9' },
        { name: 'D', value: '4' },
        { name: 'A', $patch: 'delete' },
      ],
    }),
  ],
  [
    'a variable without its value',
    main({ env: [{ name: 'A', value: null, valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }] }),
  ],
  ['all variables replaced', main({ env: [{ $patch: 'replace' }, { name: 'Z', value: '0' }] })],
  ['no variables', main({ env: null })],
  ['variables in an order', main({ '$setElementOrder/env': [{ name: 'C' }, { name: 'A' }, { name: 'B' }] })],
  [
    'a new variable in its place',
    main({
      '$setElementOrder/env': [{ name: 'A' }, { name: 'N' }, { name: 'C' }],
      env: [{ name: 'N', value: 'n' }],
    }),
  ],
  [
    'ports by their number',
    main({ ports: [{ containerPort: 443, name: 'https' }, { containerPort: 8080 }] }),
  ],
  ['arguments as a whole', main({ args: ['-c'] })],
  [
    'requests and limits',
    main({ resources: { requests: { cpu: '2', memory: null }, limits: { cpu: '3' } } }),
  ],
  [
    'mounts by their path',
    main({
      volumeMounts: [
        { mountPath: '/data', name: 'data', readOnly: true },
        { mountPath: '/new', name: 'data' },
      ],
    }),
  ],
  [
    'a container more and one less',
    {
      spec: {
        containers: [
          { name: 'side', $patch: 'delete' },
          { name: 'new', image: 'new:1', env: [{ name: 'A', value: '1' }] },
        ],
      },
    },
  ],
  [
    'containers in an order',
    {
      spec: {
        '$setElementOrder/containers': [{ name: 'side' }, { name: 'main' }],
        containers: [{ name: 'main', image: 'main:3' }],
      },
    },
  ],
  [
    'only one container',
    {
      spec: { containers: [{ $patch: 'replace' }, { name: 'only', image: 'only:1' }], initContainers: null },
    },
  ],
  [
    'a volume of another kind',
    { spec: { volumes: [{ name: 'tmp', $retainKeys: ['name', 'emptyDir'], emptyDir: {} }] } },
  ],
  [
    'a volume more, with items as a whole',
    {
      spec: {
        volumes: [
          { name: 'tmp', configMap: { items: [{ key: 'q', path: 'r' }] } },
          { name: 'more', emptyDir: {} },
        ],
      },
    },
  ],
  [
    'tolerations as a whole',
    { spec: { tolerations: [{ key: 'b', operator: 'Equal', value: 'v', effect: 'NoSchedule' }] } },
  ],
  [
    'aliases by their address',
    {
      spec: {
        hostAliases: [
          { ip: '10.0.0.1', hostnames: ['three'] },
          { ip: '10.0.0.2', hostnames: ['four'] },
        ],
      },
    },
  ],
  ['secrets by their name', { spec: { imagePullSecrets: [{ name: 'second' }] } }],
  [
    'constraints by their topology',
    {
      spec: {
        topologySpreadConstraints: [
          { topologyKey: 'zone', maxSkew: 2 },
          {
            topologyKey: 'host',
            maxSkew: 1,
            whenUnsatisfiable: 'ScheduleAnyway',
            labelSelector: { matchLabels: labels },
          },
        ],
      },
    },
  ],
  [
    'terms of an affinity as a whole',
    {
      spec: {
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: 'disk', operator: 'Exists' }] }],
            },
          },
        },
      },
    },
  ],
  [
    'another affinity',
    {
      spec: {
        affinity: {
          $patch: 'replace',
          podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] },
        },
      },
    },
  ],
  ['no affinity', { spec: { affinity: { $patch: 'delete' } } }],
  [
    'a replacement of what is not there',
    {
      spec: {
        securityContext: { $patch: 'replace', runAsUser: 1 },
        dnsConfig: { $patch: 'replace', nameservers: ['1.1.1.1'] },
      },
    },
  ],
  [
    'null for what is not there',
    { spec: { runtimeClassName: null, securityContext: { runAsUser: 5, runAsGroup: null } } },
  ],
  ['a node selector with one key more and one less', { spec: { nodeSelector: { disk: null, cpu: 'fast' } } }],
  ['a finalizer less', { metadata: { '$deleteFromPrimitiveList/finalizers': ['example.com/x'] } }],
  [
    'finalizers in an order, with one more',
    {
      metadata: {
        '$setElementOrder/finalizers': ['example.com/z', 'example.com/y', 'example.com/x'],
        finalizers: ['example.com/z'],
      },
    },
  ],
  [
    'only what is retained of the annotations',
    { metadata: { annotations: { $retainKeys: ['new'], new: '1' } } },
  ],
  [
    'a list that is new',
    {
      spec: {
        initContainers: [{ name: 'second', image: 'second:1' }],
        schedulingGates: [{ name: 'example.com/wait' }],
      },
    },
  ],
  ['an empty list', { spec: { containers: [], tolerations: [] } }],
  ['nothing', {}],
];

const refused: readonly (readonly [string, object])[] = [
  ['an element without its key', { spec: { containers: [{ image: 'x' }] } }],
  ['an unknown directive', { spec: { affinity: { $patch: 'merge' } } }],
  ['an unknown directive in a list', { spec: { containers: [{ name: 'main', $patch: 'merge' }] } }],
  ['a list that is none', { spec: { containers: { name: 'main' } } }],
  [
    'an order that leaves out',
    main({ '$setElementOrder/env': [{ name: 'A' }], env: [{ name: 'B', value: 'x' }] }),
  ],
  ['keys that are set and not retained', { spec: { nodeSelector: { $retainKeys: ['disk'], cpu: 'fast' } } }],
];

function deployment(namespace: string, name: string, pods: PodTemplateSpec): Deployment {
  return {
    metadata: { namespace, name },
    spec: { replicas: 0, selector: { matchLabels: labels }, template: pods },
  };
}

/** The template as the server keeps it, with its defaults. */
async function stored(client: StreamingClient, object: Deployment): Promise<PodTemplateSpec | undefined> {
  return (await client.create(deployments, object)).spec?.template;
}

describe('a strategic merge patch of a pod template', () => {
  it('gives what the API server makes of the same patch', async () => {
    await using client = await connect();
    const namespace = await newNamespace(client, 'merge');
    const differences = await Promise.all(
      patches.map(async ([name, patch], i) => {
        const key = { namespace, name: `patched-${i}` };
        const before = await stored(client, deployment(namespace, key.name, template));
        const body = { spec: { template: patch } };
        const patched = await client.patch(deployments, key, { type: 'strategic', body });
        const merged = mergePodTemplate(before ?? {}, patch);
        // What is new gets its defaults from the server, as what it patched itself did.
        const ours = await stored(client, deployment(namespace, `merged-${i}`, merged));
        return { name, ours, theirs: patched.spec?.template };
      }),
    );
    for (const { name, ours, theirs } of differences) expect(ours, name).toEqual(theirs);
  });

  it.each(refused)('is refused as the API server refuses it: %s', async (_title, patch) => {
    await using client = await connect();
    const namespace = await newNamespace(client, 'merge');
    await client.create(deployments, deployment(namespace, 'web', template));
    const key = { namespace, name: 'web' };
    const answer = await client
      .patch(deployments, key, { type: 'strategic', body: { spec: { template: patch } } })
      .catch((error: unknown) => error);
    expect(isApiError(answer)).toBe(true);
    expect(() => mergePodTemplate(template, patch)).toThrow(StrategicMergeError);
  });

  it('merges by the keys that the OpenAPI document of the API server names', async () => {
    await using client = await connect();
    const { body } = await client.raw({ path: '/openapi/v3/api/v1' });
    const document = JSON.parse(body.toString('utf8')) as OpenApi;
    const theirs = keysInDocument(document, 'io.k8s.api.core.v1.PodTemplateSpec');
    expect(theirs.length).toBeGreaterThan(20);
    expect(keysInSchema(podTemplatePatchSchema)).toEqual([...theirs, ...newer].sort());
  });
});

/** What older versions do not have. */
const newer = kubernetesMinorOf(process.env) < 37 ? ['.spec.evictionResponders by name'] : [];

interface OpenApi {
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

interface JsonSchema {
  readonly $ref?: string;
  readonly allOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly 'x-kubernetes-patch-strategy'?: string;
  readonly 'x-kubernetes-patch-merge-key'?: string;
}

/** Every list that is merged, as `path by key`. */
function keysInDocument({ components }: OpenApi, root: string): readonly string[] {
  const found: string[] = [];
  function visit(schema: JsonSchema, path: string): void {
    const reference = schema.$ref ?? schema.allOf?.[0]?.$ref;
    const target =
      reference === undefined ? schema : (components.schemas[reference.split('/').at(-1) ?? ''] ?? {});
    for (const [name, property] of Object.entries(target.properties ?? {})) {
      const at = `${path}.${name}`;
      const merges = property['x-kubernetes-patch-strategy']?.split(',').includes('merge') === true;
      if (merges) found.push(`${at} by ${property['x-kubernetes-patch-merge-key'] ?? 'value'}`);
      // Below a list that is replaced as a whole nothing is merged.
      if (property.items === undefined) visit(property, at);
      else if (merges) visit(property.items, at);
    }
  }
  visit({ $ref: root }, '');
  return found.toSorted();
}

function keysInSchema(schema: PatchSchema, path = ''): readonly string[] {
  function keysOf(field: PatchField, at: string): readonly string[] {
    if (field.type === 'object') return keysInSchema(field.schema, at);
    if (field.type === 'set') return [`${at} by value`];
    return [`${at} by ${field.mergeKey}`, ...keysInSchema(field.element, at)];
  }
  return Object.entries(schema.fields ?? {})
    .flatMap(([name, field]) => keysOf(field, `${path}.${name}`))
    .toSorted();
}
