// The webhooks on a real API server that calls them in an operator beside it.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import {
  labels,
  nodePools,
  operatorNames,
  unitedDaemonSets,
  yurtAppDaemons,
  type NodePool,
  type PoolWorkload,
} from '@atoll/api';
import {
  createClient,
  isApiError,
  loadKubeconfig,
  mutatingWebhookConfigurations,
  secrets,
  validatingWebhookConfigurations,
  type ApiStatus,
  type KubeObject,
  type StreamingClient,
} from '@atoll/kube';
import { createCertificateAuthority, issueCertificate } from '@atoll/kube/certificates';
import { AuditLog, type RunningOperator } from '@atoll/testbed';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kindDefinitions } from '../../src/definitions/kind-definitions.ts';
import { apply, childrenOf, daemon, imageOf, pool, setImage, type DaemonShape } from '../set-up/objects.ts';
import { withoutElection, type OperatorControlPlane } from '../set-up/operator-control-plane.ts';
import { sharedOperatorControlPlane } from '../set-up/shared-operator-control-plane.ts';
import { conditionsOf, eventsAbout, eventually } from '../set-up/standing.ts';

const served = ['--webhook-bind-address', '127.0.0.1:0', '--webhook-url', 'https://127.0.0.1:0'];
const everywhere = { group: 'everywhere' };

let world: OperatorControlPlane;
let client: StreamingClient;
let operator: RunningOperator;
let warned: string[] = [];

beforeAll(async () => {
  world = await sharedOperatorControlPlane({ fleet: { pools: ['north', 'south'], nodesPerPool: 1 } });
  const access = await loadKubeconfig({ path: world.controlPlane.kubeconfig });
  client = createClient(access, { userAgent: 'user', onWarning: (text) => void warned.push(text) });
  operator = await world.start({ args: [...withoutElection, ...served] });
  await apply(client, nodePools, pool('north', everywhere));
  await apply(
    client,
    nodePools,
    pool('south', everywhere, { taints: [{ key: 'far', effect: 'NoSchedule' }] }),
  );
  await eventually(areAsked);
  await eventually(areAskedForDefaults);
});

afterAll(async () => {
  await client?.close();
  await world?.[Symbol.asyncDispose]();
});

/** Whether the API server asks the webhooks: it sees a registration through a watch. */
async function areAsked(): Promise<void> {
  const { refused } = await attempt(daemon({ name: 'asked', pools: everywhere, image: '' }));
  expect(refused?.message).toContain('validate.atoll.dev');
}

/** Of these it learns by another watch. */
async function areAskedForDefaults(): Promise<void> {
  const { object } = await attempt(workload(good));
  const { deploymentTemplate } = (object as PoolWorkload).spec.workloadTemplate;
  expect(deploymentTemplate?.spec?.selector).toBeDefined();
}

interface Attempt {
  readonly refused: ApiStatus | undefined;
  readonly warnings: readonly string[];
  readonly object: KubeObject | undefined;
}

/** A dry run of a person's create. */
async function attempt(object: object, resource: typeof yurtAppDaemons = yurtAppDaemons): Promise<Attempt> {
  return judged(async () => client.create(resource, object as PoolWorkload, { dryRun: true }));
}

async function judged(request: () => Promise<KubeObject>): Promise<Attempt> {
  warned = [];
  try {
    const object = await request();
    return { refused: undefined, warnings: warned, object };
  } catch (error) {
    if (!isApiError(error) || error.fate !== 'refused') throw error;
    return { refused: error.status, warnings: warned, object: undefined };
  }
}

type Fields = Readonly<Record<string, unknown>>;

/** A workload with this pod spec; `spec` replaces fields of the child's spec. */
function workload(podSpec: Fields, spec: Fields = {}, member = 'deploymentTemplate'): object {
  const app = { app: 'web' };
  const template = { metadata: { labels: app }, spec: podSpec };
  return {
    metadata: { namespace: 'default', name: 'web' },
    spec: {
      selector: { matchLabels: app },
      nodepoolSelector: { matchLabels: everywhere },
      workloadTemplate: { [member]: { metadata: { labels: app }, spec: { template, ...spec } } },
    },
  };
}

function container(fields: Fields): Fields {
  return { containers: [{ name: 'web', image: 'nginx:1.27', ...fields }] };
}

const good = container({});
const pods = 'spec.workloadTemplate.deploymentTemplate.spec.template.spec';

describe.each([
  ['UnitedDaemonSet', unitedDaemonSets],
  ['YurtAppDaemon', yurtAppDaemons],
] as const)('a %s is refused with the path of the field', (kind, resource) => {
  it.each<readonly [string, object, string, string]>([
    ['no containers', workload({}), `${pods}.containers`, 'Required value'],
    ['an empty image', workload(container({ image: '' })), `${pods}.containers[0].image`, 'Required value'],
    [
      'a bad name of a container',
      workload(container({ name: 'Web_1' })),
      `${pods}.containers[0].name`,
      'lowercase RFC 1123 label',
    ],
    [
      'two containers of one name',
      workload({
        containers: [
          { name: 'a', image: 'i' },
          { name: 'a', image: 'i' },
        ],
      }),
      `${pods}.containers[1].name`,
      'Duplicate value',
    ],
    [
      'a port out of range',
      workload(container({ ports: [{ containerPort: 70_000 }] })),
      `${pods}.containers[0].ports[0].containerPort`,
      'must be between 1 and 65535',
    ],
    [
      'a mount of no volume',
      workload(container({ volumeMounts: [{ name: 'data', mountPath: '/data' }] })),
      `${pods}.containers[0].volumeMounts[0].name`,
      'Not found',
    ],
    [
      'a volume of two sources',
      workload({ ...good, volumes: [{ name: 'v', emptyDir: {}, hostPath: { path: '/x' } }] }),
      `${pods}.volumes[0].hostPath`,
      'may not specify more than 1 volume type',
    ],
    [
      'more requested than allowed',
      workload(container({ resources: { requests: { cpu: '2' }, limits: { cpu: '1' } } })),
      `${pods}.containers[0].resources.requests`,
      'must be less than or equal to cpu limit',
    ],
    [
      'a restart policy of jobs',
      workload({ ...good, restartPolicy: 'Never' }),
      `${pods}.restartPolicy`,
      'supported values: "Always"',
    ],
    [
      'a probe of two kinds',
      workload(container({ livenessProbe: { exec: { command: ['x'] }, tcpSocket: { port: 1 } } })),
      `${pods}.containers[0].livenessProbe.tcpSocket`,
      'may not specify more than 1 handler type',
    ],
    [
      'an environment variable without a name',
      workload(container({ env: [{ name: '', value: 'x' }] })),
      `${pods}.containers[0].env[0].name`,
      'Required value',
    ],
    [
      'a toleration without an operator that fits',
      workload({ ...good, tolerations: [{ operator: 'Exists', value: 'x', key: 'k' }] }),
      `${pods}.tolerations[0].operator`,
      'value must be empty',
    ],
    [
      'a node affinity of no terms',
      workload({
        ...good,
        affinity: {
          nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } },
        },
      }),
      `${pods}.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms`,
      'Required value',
    ],
    [
      'a typo in a container',
      workload(container({ imagePulPolicy: 'Always' })),
      `${pods}.containers[0].imagePulPolicy`,
      'unknown field',
    ],
    [
      'a typo in the Deployment',
      workload(good, { minReadySecond: 3 }),
      'spec.workloadTemplate.deploymentTemplate.spec.minReadySecond',
      'unknown field',
    ],
    [
      'a number where a text belongs',
      workload(container({ image: 17 })),
      `${pods}.containers.image`,
      'is a number, but must be a string',
    ],
    [
      'a quantity that is none',
      workload(container({ resources: { limits: { memory: '1 GB' } } })),
      `${pods}.containers[0].resources.limits.memory`,
      '"1 GB" is not a quantity; allowed is a number with an optional suffix',
    ],
    [
      'a quantity with a suffix that does not exist',
      workload(container({ resources: { requests: { cpu: '5kk' } } })),
      `${pods}.containers[0].resources.requests.cpu`,
      '"5kk" is not a quantity; allowed is a number with an optional suffix',
    ],
    [
      'a Deployment strategy that does not exist',
      workload(good, { strategy: { type: 'Blue' } }),
      'spec.workloadTemplate.deploymentTemplate.spec.strategy',
      'Unsupported value',
    ],
    [
      'a bad annotation of the Deployments',
      {
        ...workload(good),
        spec: {
          ...(workload(good) as PoolWorkload).spec,
          workloadTemplate: {
            deploymentTemplate: {
              metadata: { labels: { app: 'web' }, annotations: { 'a b': 'c' } },
              spec: { template: { metadata: { labels: { app: 'web' } }, spec: good } },
            },
          },
        },
      },
      'spec.workloadTemplate.deploymentTemplate.metadata.annotations',
      'name part must consist of alphanumeric characters',
    ],
    [
      'a StatefulSet policy that does not exist',
      workload(good, { serviceName: 'web', podManagementPolicy: 'Soon' }, 'statefulSetTemplate'),
      'spec.workloadTemplate.statefulSetTemplate.spec.podManagementPolicy',
      'Invalid value',
    ],
  ])('where it has %s', async (_, object, field, message) => {
    const { refused } = await attempt(object, resource);
    expect(refused).toMatchObject({ code: 422, reason: 'Invalid', details: { kind, name: 'web' } });
    expect(refused?.details?.causes?.map((cause) => cause.field)).toContain(field);
    expect(refused?.message).toContain(message);
    expect(refused?.message).toContain(`${kind}.apps.openyurt.io "web" is invalid: `);
  });

  it('and all its faults together', async () => {
    const object = workload(container({ image: '', ports: [{ containerPort: 0 }] }));
    const { refused } = await attempt(object, resource);
    expect(refused?.details?.causes?.map((cause) => cause.field).sort()).toEqual([
      `${pods}.containers[0].image`,
      `${pods}.containers[0].ports[0].containerPort`,
    ]);
  });

  it('even where no pool is selected yet', async () => {
    const nowhere = workload(container({ image: '' })) as PoolWorkload;
    const { refused } = await attempt(
      { ...nowhere, spec: { ...nowhere.spec, nodepoolSelector: { matchLabels: { no: 'pool' } } } },
      resource,
    );
    expect(refused?.details?.causes?.map((cause) => cause.field)).toEqual([`${pods}.containers[0].image`]);
  });
});

describe('what the schema refuses', () => {
  const fields = (spec: Fields): object => {
    const base = workload(good) as PoolWorkload;
    return { ...base, spec: { ...base.spec, ...spec } };
  };
  it.each<readonly [string, object, string]>([
    ['no selector', fields({ selector: undefined }), 'spec.selector: Required value'],
    ['an empty selector', fields({ selector: {} }), 'selector must not be empty'],
    [
      'no template',
      fields({ workloadTemplate: {} }),
      'exactly one of deploymentTemplate and statefulSetTemplate',
    ],
    [
      'other labels on the template',
      fields({ selector: { matchLabels: { app: 'other' } } }),
      'the labels must match spec.selector',
    ],
    [
      'a partition',
      workload(good, { updateStrategy: { rollingUpdate: { partition: 1 } } }, 'statefulSetTemplate'),
      'partition must be 0 or left out',
    ],
    ['negative replicas', workload(good, { replicas: -1 }), 'spec.replicas'],
    ['a negative history', fields({ revisionHistoryLimit: -1 }), 'spec.revisionHistoryLimit'],
  ])('is refused by it and not by the webhook: %s', async (_, object, message) => {
    const { refused } = await attempt(object);
    expect(refused).toMatchObject({ code: 422 });
    expect(refused?.message).toContain(message);
    expect(refused?.message).not.toContain('atoll.dev" denied');
  });

  it.each<readonly [string, Fields, string]>([
    ['an unknown type', { type: 'Sky' }, 'spec.type: Unsupported value'],
    ['a host network in the cloud', { type: 'Cloud', hostNetwork: true }, 'only for type Edge'],
    [
      'an unknown election',
      { leaderElectionStrategy: 'vote' },
      'spec.leaderElectionStrategy: Unsupported value',
    ],
    ['a bad annotation', { annotations: { 'a b': 'c' } }, 'every key must be a qualified name'],
    ['a bad label', { labels: { a: 'b c' } }, 'must be a label value'],
    ['a bad taint', { taints: [{ key: 'a b', effect: 'NoSchedule' }] }, 'must be a qualified name'],
  ])('of a NodePool: %s', async (_, spec, message) => {
    const object = { metadata: { name: 'bad' }, spec } as NodePool;
    const { refused } = await judged(async () => client.create(nodePools, object, { dryRun: true }));
    expect(refused?.message).toContain(message);
  });

  it.each<readonly [string, Fields, string]>([
    ['type', { type: 'Cloud' }, 'type is immutable'],
    ['hostNetwork', { hostNetwork: true }, 'hostNetwork is immutable'],
    ['interConnectivity', { interConnectivity: true }, 'interConnectivity is immutable'],
  ])('of a change of a NodePool: %s', async (_, spec, message) => {
    const body = { spec };
    const change = { type: 'merge', body } as const;
    const { refused } = await judged(async () =>
      client.patch(nodePools, { name: 'north' }, change, { dryRun: true }),
    );
    expect(refused?.message).toContain(message);
  });
});

describe('defaults', () => {
  it('fill the selector of a template, and nothing of the pods', async () => {
    const { object } = await attempt(workload(good));
    expect((object as PoolWorkload).spec.workloadTemplate?.deploymentTemplate?.spec).toEqual({
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: good },
    });
  });

  it('give a pool the labels of its type, under both keys', async () => {
    // Where the pool came before the webhook did, the operator gives them a moment later.
    await eventually(async () => {
      const { metadata } = await client.get(nodePools, { name: 'north' });
      expect(metadata.labels).toMatchObject({
        [labels.poolType]: 'edge',
        [labels.oldPoolType]: 'edge',
        ...everywhere,
      });
    });
  });

  it('read the host network that clients of the old versions ask for by an annotation', async () => {
    const old = { ...nodePools, version: 'v1alpha1' };
    const object = { metadata: { name: 'old', annotations: { 'nodepool.openyurt.io/hostnetwork': 'True' } } };
    const created = await client.create(old, object, { dryRun: true });
    expect(created.spec?.hostNetwork).toBe(true);
  });
});

async function rolledOut(shape: DaemonShape): Promise<void> {
  await apply(client, yurtAppDaemons, daemon(shape));
  await eventually(async () => {
    const conditions = await conditionsOf(client, yurtAppDaemons, shape.name, 'default');
    expect(conditions).toMatchObject({ Ready: { status: 'True', reason: 'RolloutComplete' } });
  });
}

describe('a warning', () => {
  it('warns of a selector that matches no pool', async () => {
    const { warnings } = await attempt(daemon({ name: 'lost', pools: { no: 'pool' } }));
    expect(warnings).toEqual([
      'spec.nodepoolSelector matches no NodePool: nothing runs until a pool carries these labels',
    ]);
  });

  it('is not given where all is well', async () => {
    const { warnings, refused } = await attempt(daemon({ name: 'well', pools: everywhere }));
    expect([warnings, refused]).toEqual([[], undefined]);
  });

  it('warns of a change that restarts everything, and of pools that are left, and changes nothing by itself', async () => {
    await rolledOut({ name: 'busy', pools: everywhere, replicas: 2 });
    const key = { namespace: 'default', name: 'busy' };
    const image = '/spec/workloadTemplate/deploymentTemplate/spec/template/spec/containers/0/image';
    const warned = async (path: string, value: unknown): Promise<readonly string[]> => {
      const body = [{ op: 'replace', path, value }] as const;
      const change = { type: 'json', body } as const;
      return (await judged(async () => client.patch(yurtAppDaemons, key, change, { dryRun: true }))).warnings;
    };
    await eventually(async () => {
      expect(await warned(image, 'nginx:1.28')).toEqual([
        'this change of the template replaces every pod: 4 pods in 2 pools, all pools at once',
      ]);
    });
    expect(await warned('/spec/workloadTemplate/deploymentTemplate/spec/replicas', 3)).toEqual([]);
    expect(
      await warned('/spec/nodepoolSelector', { matchLabels: { ...everywhere, [labels.poolType]: 'cloud' } }),
    ).toEqual([
      'spec.nodepoolSelector matches no NodePool: nothing runs until a pool carries these labels',
      'what runs in 2 pools is deleted, because they are not selected: north, south',
    ]);
    expect(imageOf((await childrenOf(client, 'busy')).get('north'))).toBe('nginx:1.27');
  });

  it('warns of a quota that has no room, and does not refuse', async () => {
    const quota = {
      group: '',
      version: 'v1',
      kind: 'ResourceQuota',
      plural: 'resourcequotas',
      namespaced: true,
    };
    const metadata = { namespace: 'kube-public', name: 'none' };
    await client.create(quota, { metadata, spec: { hard: { 'count/deployments.apps': '0' } } } as KubeObject);
    const object = daemon({ name: 'poor', pools: everywhere });
    await eventually(async () => {
      const { warnings, refused } = await attempt({
        ...object,
        metadata: { namespace: 'kube-public', name: 'poor' },
      });
      expect(refused).toBeUndefined();
      expect(warnings.join()).toMatch(/would be refused: .*exceeded quota/);
    });
  });
});

describe('a change', () => {
  it('that has a typo is refused, and everything else of the object can still be written', async () => {
    await rolledOut({ name: 'careful', pools: everywhere, replicas: 0 });
    const wrong = daemon({
      name: 'careful',
      pools: everywhere,
      replicas: 0,
      container: { imagePulPolicy: 'Never' },
    });
    const { refused } = await judged(async () => apply(client, yurtAppDaemons, wrong));
    expect(refused?.details?.causes).toMatchObject([{ field: `${pods}.containers[0].imagePulPolicy` }]);
    const body = { metadata: { annotations: { note: 'mine' }, finalizers: ['spec.example/held'] } };
    const key = { namespace: 'default', name: 'careful' };
    await client.patch(yurtAppDaemons, key, { type: 'merge', body });
    await client.delete(yurtAppDaemons, key);
    await client.patch(yurtAppDaemons, key, { type: 'merge', body: { metadata: { finalizers: null } } });
    await eventually(async () => {
      await expect(client.get(yurtAppDaemons, key)).rejects.toMatchObject({ reason: 'NotFound' });
    });
  });
});

/** Without Kubernetes' own kinds, for which Atoll serves no webhooks. */
const ours = kindDefinitions.filter(({ webhooks, onByDefault }) => webhooks !== undefined && onByDefault);
const defaulting = ours.filter(({ webhooks }) => webhooks?.defaults !== undefined);

describe('the registration', () => {
  it('is for our kinds only, and lets everything pass when nobody answers', async () => {
    const name = { name: operatorNames.webhookConfiguration };
    const [mutating, validating] = await Promise.all([
      client.get(mutatingWebhookConfigurations, name),
      client.get(validatingWebhookConfigurations, name),
    ]);
    const webhooks = [...(mutating.webhooks ?? []), ...(validating.webhooks ?? [])];
    expect(mutating.webhooks).toHaveLength(defaulting.length);
    expect(validating.webhooks).toHaveLength(ours.length);
    for (const webhook of webhooks) {
      expect(webhook).toMatchObject({
        failurePolicy: 'Ignore',
        sideEffects: 'NoneOnDryRun',
        matchPolicy: 'Equivalent',
        timeoutSeconds: 5,
        rules: [{ operations: ['CREATE', 'UPDATE'] }],
      });
    }
    const kinds = webhooks.flatMap(({ rules = [] }) =>
      rules.map(({ apiGroups, resources }) => `${resources?.join()}.${apiGroups?.join()}`),
    );
    expect(new Set(kinds)).toEqual(
      new Set(ours.map(({ resource: { plural, group } }) => `${plural}.${group}`)),
    );
  });

  it(
    'follows the authority: a person who deletes the Secret gets new certificates',
    { timeout: 300_000 },
    async () => {
      const key = { namespace: operatorNames.namespace, name: operatorNames.webhookSecret };
      const before = await client.get(secrets, key);
      await client.delete(secrets, key);
      await eventually(async () => {
        const after = await client.get(secrets, key);
        expect(after.data?.['ca.crt']).not.toBe(before.data?.['ca.crt']);
        const { webhooks } = await client.get(validatingWebhookConfigurations, {
          name: operatorNames.webhookConfiguration,
        });
        expect(webhooks?.map(({ clientConfig }) => clientConfig.caBundle)).toEqual(
          ours.map(() => after.data?.['ca.crt']),
        );
      });
      await eventually(areAsked);
      await eventually(areAskedForDefaults);
    },
  );

  it('asks for what it is needed for, and for nothing else', async () => {
    const counted = async (verb: string): Promise<number> => {
      const text = await (await fetch(`${operator.url}/metrics`)).text();
      const series = `controller_runtime_webhook_requests_total{webhook="/${verb}-apps-openyurt-io-v1alpha1-yurtappdaemon",code="200"} `;
      return Number(
        text
          .split('\n')
          .find((line) => line.startsWith(series))
          ?.slice(series.length) ?? 0,
      );
    };
    let before = [await counted('mutate'), await counted('validate')];
    // Which of the two were asked; a patch that another write overtakes is tried, and asked for, again.
    const isAsked = async (
      write: () => Promise<unknown>,
      expected: readonly [mutate: boolean, validate: boolean],
    ): Promise<void> => {
      await write();
      // A request is counted after its answer was sent.
      before = await eventually(async () => {
        const now = [await counted('mutate'), await counted('validate')];
        expect(now.map((count, index) => count > (before[index] ?? 0))).toEqual(expected);
        return now;
      });
    };
    const object = { ...workload(good), metadata: { namespace: 'default', name: 'sparing' } } as PoolWorkload;
    const key = { namespace: 'default', name: 'sparing' };
    await isAsked(async () => client.create(yurtAppDaemons, object), [true, true]);
    // The selector is filled in by now, so nothing is lacking.
    await isAsked(async () => setImage(client, yurtAppDaemons, 'sparing', 'nginx:1.28'), [false, true]);
    const note = { metadata: { annotations: { note: 'mine' } } };
    await isAsked(
      async () => client.patch(yurtAppDaemons, key, { type: 'merge', body: note }),
      [false, false],
    );
    for (const [value, isWrong] of [
      ['True', true],
      ['true', false],
    ] as const) {
      const body = { metadata: { annotations: { 'atoll.dev/apply-template': value } } };
      await isAsked(async () => client.patch(yurtAppDaemons, key, { type: 'merge', body }), [false, isWrong]);
    }
    const bare = [{ op: 'remove', path: '/spec/workloadTemplate/deploymentTemplate/spec/selector' }] as const;
    await isAsked(async () => client.patch(yurtAppDaemons, key, { type: 'json', body: bare }), [true, false]);
    await isAsked(async () => client.delete(yurtAppDaemons, key), [false, false]);
  });

  it('is measured, and part of being ready', async () => {
    const text = await (await fetch(`${operator.url}/metrics`)).text();
    const path = '/validate-apps-openyurt-io-v1alpha1-yurtappdaemon';
    expect(text).toContain(`controller_runtime_webhook_requests_total{webhook="${path}",code="200"}`);
    expect(text).toContain(`controller_runtime_webhook_latency_seconds_count{webhook="${path}"}`);
    expect(text).toContain(`controller_runtime_webhook_requests_in_flight{webhook="${path}"}`);
    expect(await (await fetch(`${operator.url}/readyz?verbose`)).text()).toContain('[+]webhooks ok');
  });
});

describe('without the webhook', () => {
  it('everything goes on: the schema refuses, a typo passes and is reported by condition and event', async () => {
    await operator.kill('SIGTERM');
    const since = Date.now();
    const { refused } = await attempt(workload(good, { replicas: -1 }));
    expect(refused?.message).toContain('spec.replicas');
    expect(await answeredWithin(since)).toBeLessThan(5_000);
    await apply(
      client,
      yurtAppDaemons,
      daemon({ name: 'typo', pools: everywhere, container: { imagee: 'x' } }),
    );
    const resources = { limits: { memory: '5kk' } };
    await apply(
      client,
      yurtAppDaemons,
      daemon({ name: 'quantity', pools: everywhere, container: { resources } }),
    );
    operator = await world.start({ name: 'operator-without', args: withoutElection });
    await eventually(async () => {
      const { Ready, Stalled } = await conditionsOf(client, yurtAppDaemons, 'quantity', 'default');
      expect(Ready).toMatchObject({ status: 'False', reason: 'ChildRefused' });
      expect(Ready?.message).toContain(
        'spec.workloadTemplate.deploymentTemplate.spec.template.spec.containers[0].resources.limits.memory: "5kk" is not a quantity',
      );
      expect(Stalled).toMatchObject({ status: 'True' });
    });
    await eventually(async () => {
      const { Ready } = await conditionsOf(client, yurtAppDaemons, 'typo', 'default');
      expect(Ready).toMatchObject({ status: 'False', reason: 'ChildRefused' });
      expect(Ready?.message).toContain('imagee');
      const about = await eventsAbout(client, 'typo');
      expect(about.some(({ type, note }) => type === 'Warning' && note?.includes('imagee'))).toBe(true);
    });
    await setImage(client, yurtAppDaemons, 'busy', 'nginx:1.28');
    await eventually(async () => {
      expect(imageOf((await childrenOf(client, 'busy')).get('south'))).toBe('nginx:1.28');
    });
  });
});

/** In how many milliseconds the API server has answered what it refused since then: its own time, without what the client took. */
async function answeredWithin(since: number): Promise<number> {
  const log = new AuditLog(world.controlPlane.auditLog ?? '');
  try {
    return await eventually(async () => {
      await log.readOn();
      const answered = log.entries.find(
        ({ resource, verb, code, receivedAt }) =>
          resource.startsWith('yurtappdaemons') && verb === 'create' && code === 422 && receivedAt >= since,
      );
      if (answered === undefined) throw new Error('the audit log has no such request yet');
      return answered.at - answered.receivedAt;
    });
  } finally {
    await log.close();
  }
}

describe('two replicas', () => {
  it(
    'serve with one certificate, and who leads next is the one that is asked',
    { timeout: 300_000 },
    async () => {
      await operator.kill('SIGTERM');
      // With the times of users: who waits for the processor for seconds does not lose the Lease.
      const first = await world.start({ name: 'first', args: served });
      const port = await registeredPort(await portOf(first));
      const second = await world.start({ name: 'second', args: served });
      const other = await portOf(second);
      const [mine, theirs] = await Promise.all([shownBy(port), shownBy(other)]);
      expect(theirs).toBe(mine);
      await first.kill('SIGKILL');
      await registeredPort(other);
      await eventually(areAsked);
      operator = second;
    },
  );

  /** Resolves when the API server asks at this port. */
  async function registeredPort(port: number): Promise<number> {
    await eventually(async () => {
      const { webhooks } = await client.get(validatingWebhookConfigurations, {
        name: operatorNames.webhookConfiguration,
      });
      expect(webhooks?.[0]?.clientConfig.url).toContain(`https://127.0.0.1:${port}/`);
    });
    return port;
  }
});

describe('certificates of somebody else', () => {
  it('are served from their files, and the trust in them is left to who fills it in', async () => {
    await operator.kill('SIGTERM');
    const directory = await mkdtemp(join(tmpdir(), 'atoll-webhook-'));
    const authority = await createCertificateAuthority('cert-manager');
    const hosts = ['127.0.0.1'];
    const pair = await issueCertificate(authority, { commonName: 'webhook', hosts, usage: 'server' });
    await writeFile(join(directory, 'tls.crt'), pair.certificatePem);
    await writeFile(join(directory, 'tls.key'), pair.keyPem);
    const files = ['--webhook-cert-dir', directory, '--webhook-inject-ca-from', 'atoll-system/webhook'];
    operator = await world.start({ name: 'cert-manager', args: [...withoutElection, ...served, ...files] });
    await eventually(async () => {
      const { metadata } = await client.get(validatingWebhookConfigurations, {
        name: operatorNames.webhookConfiguration,
      });
      expect(metadata.annotations).toEqual({ 'cert-manager.io/inject-ca-from': 'atoll-system/webhook' });
    });
    await inject(Buffer.from(authority.certificatePem).toString('base64'));
    await eventually(areAsked);
    await rm(directory, { recursive: true });
  });

  /** As cert-manager's injector does. */
  async function inject(caBundle: string): Promise<void> {
    const name = { name: operatorNames.webhookConfiguration };
    const { webhooks = [] } = await client.get(validatingWebhookConfigurations, name);
    const body = webhooks.map((_, index) => ({
      op: 'add' as const,
      path: `/webhooks/${index}/clientConfig/caBundle`,
      value: caBundle,
    }));
    await client.patch(validatingWebhookConfigurations, name, { type: 'json', body });
  }
});

/** Where an operator serves its webhooks, as its log says. */
async function portOf({ logFile }: RunningOperator): Promise<number> {
  return eventually(async () => {
    const found = /"port":(\d+),"msg":"serving webhooks"/.exec(await readFile(logFile, 'utf8'));
    expect(found).not.toBeNull();
    return Number(found?.[1]);
  });
}

/** The serial number of the certificate that is shown at a port. */
async function shownBy(port: number): Promise<string> {
  const { data } = await client.get(secrets, {
    namespace: operatorNames.namespace,
    name: operatorNames.webhookSecret,
  });
  const ca = Buffer.from(data?.['ca.crt'] ?? '', 'base64').toString();
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, ca }, () => {
      resolve(socket.getPeerCertificate().serialNumber);
      socket.destroy();
    });
    socket.on('error', reject);
  });
}
