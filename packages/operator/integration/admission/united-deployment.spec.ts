// The webhooks of UnitedDeployment on a real API server that calls them in an operator beside it.
import { cloneSets, type UnitedDeployment, unitedDeployments } from '@atoll/api';
import { operatorRoleOf } from '@atoll/api/install';
import {
  clusterRoles,
  createClient,
  isApiError,
  loadKubeconfig,
  subjectAccessReviews,
  type KubeObject,
  type Resource,
  type StreamingClient,
} from '@atoll/kube';
import { installKruiseKinds, removeKruiseKinds } from '@atoll/testbed/kruise';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  operatorUser,
  startOperatorControlPlane,
  withoutElection,
  type OperatorControlPlane,
} from '../set-up/operator-control-plane.ts';
import { eventually } from '../set-up/standing.ts';

type Fields = Readonly<Record<string, unknown>>;

const args = [
  ...withoutElection,
  '--webhook-bind-address',
  '127.0.0.1:0',
  '--webhook-url',
  'https://127.0.0.1:0',
];
const resource = unitedDeployments;
const newer: Resource<UnitedDeployment> = { ...resource, version: 'v1beta1' };
const namespace = 'default';
const mark = 'atoll.dev/total-of-subsets';

let world: OperatorControlPlane;
let client: StreamingClient;
let warned: string[] = [];

beforeAll(async () => {
  world = await startOperatorControlPlane({ components: [] });
  const access = await loadKubeconfig({ path: world.controlPlane.kubeconfig });
  client = createClient(access, { userAgent: 'user', onWarning: (text) => void warned.push(text) });
  for (const object of stored) await client.create(resource, object);
  await world.start({ args });
  await eventually(areAsked);
});

afterAll(async () => {
  await client?.close();
  await world?.[Symbol.asyncDispose]();
});

/** Whether the API server asks the webhooks: it sees a registration through a watch. */
async function areAsked(): Promise<void> {
  const { refusal } = await attempt(united({ template: templateOf('deploymentTemplate', { image: '' }) }));
  expect(refusal).toContain('validate.atoll.dev');
  // Of the webhook that fills in what is left out it learns by another watch.
  expect((await attempt(united({ replicas: undefined }))).object?.spec.replicas).toBe(1);
}

interface Attempt {
  /** Of each cause its field and message; and the whole message behind them. */
  readonly refusal: string;
  readonly warnings: readonly string[];
  readonly object: UnitedDeployment | undefined;
}

async function judged(request: () => Promise<KubeObject>): Promise<Attempt> {
  warned = [];
  try {
    const object = (await request()) as UnitedDeployment;
    return { refusal: '', warnings: warned, object };
  } catch (error) {
    if (!isApiError(error) || error.fate !== 'refused') throw error;
    return { refusal: error.message, warnings: warned, object: undefined };
  }
}

/** A dry run of a person's create. */
async function attempt(
  object: UnitedDeployment,
  as: Resource<UnitedDeployment> = resource,
): Promise<Attempt> {
  return judged(async () => client.create(as, object, { dryRun: true }));
}

const labels = { app: 'web' };

function templateOf(member: string, container: Fields = {}, spec: Fields = {}): Fields {
  const pods = {
    metadata: { labels },
    spec: { containers: [{ name: 'web', image: 'nginx', ...container }] },
  };
  return { [member]: { metadata: { labels }, spec: { template: pods, ...spec } } };
}

function subsets(...list: readonly Fields[]): Fields {
  return { topology: { subsets: list } };
}

function united(spec: Fields = {}, name = 'web'): UnitedDeployment {
  return {
    metadata: { namespace, name },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: templateOf('deploymentTemplate'),
      ...subsets({ name: 'a' }, { name: 'b' }),
      ...spec,
    },
  } as unknown as UnitedDeployment;
}

/** A patch of one label; subsets that came past us hold some that are refused today. */
function labelled(label: string, value: string | null): Fields {
  return { patch: { metadata: { labels: { [label]: value } } } };
}

const subsetName = 'apps.kruise.io/subset-name';
const otherSubset = labelled(subsetName, 'a');
const noNode = { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['Node_1'] }] };
const noTaint = [{ key: 'k', operator: 'Gt', value: '05' }];
const stored: readonly UnitedDeployment[] = [
  united(subsets({ name: 'a' }, { name: 'b', ...otherSubset }), 'mislabelled'),
  united(subsets({ name: 'a' }, { name: 'b', nodeSelectorTerm: noNode, tolerations: noTaint }), 'misplaced'),
];

describe('a UnitedDeployment is refused with the path of the field', () => {
  const pods = 'spec.template.deploymentTemplate.spec.template.spec';
  it.each<readonly [string, Fields, readonly string[]]>([
    [
      'no image',
      { template: templateOf('deploymentTemplate', { image: '' }) },
      [`${pods}.containers[0].image: Required value`],
    ],
    [
      'a typo in a container',
      { template: templateOf('deploymentTemplate', { imagePulPolicy: 'Always' }) },
      [`${pods}.containers[0].imagePulPolicy: unknown field`],
    ],
    [
      'a typo in the Deployment',
      { template: templateOf('deploymentTemplate', {}, { minReadySecond: 3 }) },
      ['spec.template.deploymentTemplate.spec.minReadySecond: unknown field'],
    ],
    [
      'a StatefulSet policy that does not exist',
      { template: templateOf('statefulSetTemplate', {}, { podManagementPolicy: 'Soon' }) },
      ['spec.template.statefulSetTemplate.spec.podManagementPolicy: Invalid value'],
    ],
    [
      'a label value of a node that cannot be',
      subsets(
        { name: 'a' },
        {
          name: 'b',
          nodeSelectorTerm: { matchExpressions: [{ key: 'k', operator: 'In', values: ['x y'] }] },
        },
      ),
      ['spec.topology.subsets[1].nodeSelectorTerm.matchExpressions[0].values[0]: subset b: "x y" must be'],
    ],
    [
      'a node name that cannot be',
      subsets({ name: 'a' }, { name: 'b', nodeSelectorTerm: noNode }),
      [
        'spec.topology.subsets[1].nodeSelectorTerm.matchFields[0].values[0]: subset b: "Node_1" must consist of lower case letters',
      ],
    ],
    [
      'a taint that cannot be',
      subsets({ name: 'a' }, { name: 'b', tolerations: noTaint }),
      ['spec.topology.subsets[1].tolerations[0].value: subset b: "05" must be a whole number of 64 bits'],
    ],
    [
      'a taint that this cluster does not compare',
      subsets({ name: 'a' }, { name: 'b', tolerations: [{ key: 'k', operator: 'Gt', value: '5' }] }),
      ['spec.topology.subsets[1].tolerations[0].operator: subset b: Unsupported value: "Gt"'],
    ],
    [
      'a patch with a typo',
      subsets({ name: 'a' }, { name: 'b', patch: { spec: { containers: [{ name: 'web', imagee: 'x' }] } } }),
      [
        `spec.topology.subsets[1].patch: subset b: with this patch, ${pods}.containers[0].imagee: unknown field`,
      ],
    ],
    [
      'a patch with a quantity that is none',
      subsets({
        name: 'a',
        patch: { spec: { containers: [{ name: 'web', resources: { requests: { cpu: '5kk' } } }] } },
      }),
      [
        `spec.topology.subsets[0].patch: subset a: with this patch, ${pods}.containers[0].resources.requests.cpu: "5kk" is not a quantity; allowed is a number with an optional suffix`,
      ],
    ],
    [
      'a patch that takes away what is selected by',
      subsets({ name: 'a', ...labelled('app', null) }),
      [
        'spec.topology.subsets[0].patch: subset a: the label app cannot be removed: spec.selector selects the pods by app=web',
      ],
    ],
    [
      'a patch that gives the pods to another subset',
      subsets({ name: 'a' }, { name: 'b', ...otherSubset }),
      [
        `spec.topology.subsets[1].patch: subset b: the label ${subsetName} cannot be set to "a": it names the subset of a pod, and is always "b" here`,
      ],
    ],
    [
      'a patch of the revision',
      subsets({ name: 'a', ...labelled('apps.kruise.io/controller-revision-hash', 'v1') }),
      [
        'spec.topology.subsets[0].patch: subset a: the label apps.kruise.io/controller-revision-hash cannot be set to "v1": it names the revision of a pod, and is set with each',
      ],
    ],
    [
      'a patch of a container without a name',
      subsets({ name: 'a', patch: { spec: { containers: [{ image: 'x' }] } } }),
      ['spec.topology.subsets[0].patch: subset a: the patch: '],
    ],
    [
      'bounds that contradict each other',
      subsets({ name: 'a', minReplicas: '60%', maxReplicas: '50%' }, { name: 'b' }),
      [
        'spec.topology.subsets[0].minReplicas: subset a: minReplicas 60% must not be greater than maxReplicas 50%',
      ],
    ],
  ])('where it has %s', async (_, spec, messages) => {
    for (const as of [resource, newer]) {
      const { refusal } = await attempt(united(spec), as);
      expect(refusal).toContain('UnitedDeployment.apps.kruise.io "web" is invalid: ');
      for (const message of messages) expect(refusal).toContain(message);
    }
  });

  it('and by the schema where that has it', async () => {
    const { refusal } = await attempt(united(subsets({ name: 'a', replicas: '12.5%' })));
    expect(refusal).toContain('subset a: replicas must be an integer of at least 0');
    expect(refusal).not.toContain('atoll.dev" denied');
    const misspelt = subsets({ name: 'a', tolerations: [{ key: 'k', operator: 'exists' }] });
    expect((await attempt(united(misspelt))).refusal).toContain(
      'subset a: tolerations must have the operator Exists, Equal, Lt, Gt or none',
    );
  });
});

describe('a UnitedDeployment that is stored with what is refused today', () => {
  async function changed(name: string, body: object): Promise<string> {
    const key = { namespace, name };
    const request = async (): Promise<KubeObject> =>
      client.patch(resource, key, { type: 'merge', body }, { dryRun: true });
    return (await judged(request)).refusal;
  }

  it.each(stored.map((object) => [object.metadata.name, object] as const))(
    'can be scaled, counted otherwise and rolled out: %s',
    async (name, { spec }) => {
      const list = spec.topology?.subsets ?? [];
      const counted = list.map((subset) => ({ ...subset, replicas: 3 }));
      for (const change of [
        { replicas: 9 },
        subsets(...counted),
        { template: templateOf('deploymentTemplate', { image: 'nginx:2' }) },
      ]) {
        expect(await changed(name, { spec: change })).toBe('');
      }
      await client.scale(resource, { namespace, name }, 5);
    },
  );

  it('cannot be given more of it', async () => {
    const more = { patch: { metadata: { labels: { [subsetName]: 'a', tier: 'x' } } } };
    expect(await changed('mislabelled', { spec: subsets({ name: 'a' }, { name: 'b', ...more }) })).toContain(
      `subset b: the label ${subsetName} cannot be set to "a"`,
    );
  });
});

describe('a UnitedDeployment is allowed', () => {
  it.each<readonly [string, Fields, readonly RegExp[]]>([
    ['without a word where all is well', {}, []],
    [
      'with numbers that do not add up',
      subsets({ name: 'a', replicas: 3 }, { name: 'b', replicas: 4 }),
      [/add up to 7 .*more than spec\.replicas 2/],
    ],
    [
      'where OpenKruise is not installed',
      { template: templateOf('cloneSetTemplate') },
      [/^nothing runs and the template was not checked: this cluster has no CloneSet/],
    ],
    [
      'with more patches than are checked',
      subsets(
        ...Array.from({ length: 21 }, (_, each) => ({ name: `s${each}`, ...labelled('tier', `t${each}`) })),
      ),
      [/^1 patch was not checked, that of subset s20: /],
    ],
    ['with names at their longest', subsets({ name: 's'.repeat(63), nodeSelectorTerm: {} }), []],
  ])('%s', async (_, spec, warnings) => {
    const attempted = await attempt(united(spec, 'n'.repeat(253)));
    expect(attempted.refusal).toBe('');
    expect(attempted.warnings).toEqual(warnings.map((warning) => expect.stringMatching(warning)));
  });
});

// Their definitions are ours: what is shown is that the API server is asked, and not what OpenKruise refuses.
describe('a template of a kind that may be installed later', { timeout: 120_000 }, () => {
  const missing = (kind: string) =>
    expect.stringMatching(`^nothing runs and the template was not checked: this cluster has no ${kind}`);
  const rows = [
    ['CloneSet', 'cloneSetTemplate'],
    ['AdvancedStatefulSet', 'advancedStatefulSetTemplate'],
  ] as const;

  it('is admitted with a warning while it is not', async () => {
    for (const [kind, member] of rows) {
      const { refusal, warnings } = await attempt(united({ template: templateOf(member) }));
      expect([refusal, warnings]).toEqual(['', [missing(kind)]]);
    }
  });

  it('is tried as soon as it is, and a typo is refused with the path of the field', async () => {
    await installKruiseKinds(world.client);
    for (const [, member] of rows) {
      await eventually(async () => {
        const { refusal, warnings } = await attempt(united({ template: templateOf(member) }));
        expect([refusal, warnings]).toEqual(['', []]);
      });
      // What is mounted is made from claims that only the kind itself has.
      const claims = [{ metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'] } }];
      const mounting = templateOf(
        member,
        { volumeMounts: [{ name: 'data', mountPath: '/data' }] },
        { volumeClaimTemplates: claims },
      );
      expect(await attempt(united({ template: mounting }))).toMatchObject({ refusal: '', warnings: [] });
      const refused = async (spec: Fields): Promise<string> =>
        (await attempt(united({ template: templateOf(member, {}, spec) }))).refusal;
      const at = `spec.template.${member}.spec`;
      const typo = united({ template: templateOf(member, { imagePulPolicy: 'Always' }) });
      expect((await attempt(typo)).refusal).toContain(
        `${at}.template.spec.containers[0].imagePulPolicy: unknown field`,
      );
      expect(await refused({ revisionHistoryLimits: 3 })).toContain(
        `${at}.revisionHistoryLimits: unknown field`,
      );
      expect(await refused({ updateStrategy: { typ: 'OnDelete' } })).toContain(
        `${at}.updateStrategy.typ: unknown field`,
      );
      expect(await refused({ revisionHistoryLimit: 'three' })).toContain(
        `${at}.revisionHistoryLimit: Invalid value`,
      );
    }
  });

  it('is admitted with a warning again when the kind has gone', async () => {
    await removeKruiseKinds(world.client);
    for (const [kind, member] of rows) {
      await eventually(async () => {
        const { refusal, warnings } = await attempt(united({ template: templateOf(member) }));
        expect([refusal, warnings]).toEqual(['', [missing(kind)]]);
      });
    }
  });
});

describe('a kind that is installed and that the operator may not read', { timeout: 120_000 }, () => {
  const name = 'unread';
  const key = { namespace, name };

  /** Without the rights to CloneSets, until the caller gives them back. */
  async function withoutRights(): Promise<() => Promise<unknown>> {
    const role = { name: operatorRoleOf('united-deployment') };
    const { rules = [] } = await world.client.get(clusterRoles, role);
    const write = async (body: object): Promise<unknown> =>
      world.client.patch(clusterRoles, role, { type: 'merge', body });
    await write({ rules: rules.filter(({ resources }) => resources?.includes('clonesets') !== true) });
    await eventually(async () => expect(await mayWatch()).toBe(false));
    return async () => write({ rules });
  }

  /** The API server sees rights through a watch of its own. */
  async function mayWatch(): Promise<boolean | undefined> {
    const { group, plural } = cloneSets;
    const asked = { user: operatorUser, resourceAttributes: { group, resource: plural, verb: 'watch' } };
    const { status } = await world.client.create(subjectAccessReviews, {
      metadata: { name: '' },
      spec: asked,
    });
    return status?.allowed;
  }

  it('is reported with the reason, by the webhook and in the status, and goes on when it may', async () => {
    const giveBack = await withoutRights();
    await installKruiseKinds(world.client);
    await eventually(async () => {
      const { warnings } = await attempt(united({ template: templateOf('cloneSetTemplate') }, name));
      expect(warnings).toEqual([
        expect.stringMatching(/^the template was not checked: CloneSets cannot be read: .*is forbidden/),
      ]);
    });
    await client.create(resource, united({ template: templateOf('cloneSetTemplate') }, name));
    const ready = async () => {
      const { status } = await client.get(resource, key);
      return status?.conditions?.find(({ type }) => type === 'Ready');
    };
    await eventually(async () => {
      const { status, reason, message } = (await ready()) ?? {};
      expect([status, reason]).toEqual(['False', 'KindUnreadable']);
      expect(message).toMatch(
        /^the kind CloneSet cannot be read since 20\S+Z: .*clonesets.* is forbidden: User/,
      );
    });
    await giveBack();
    await eventually(async () => {
      expect((await client.list(cloneSets, { namespace })).items).toHaveLength(2);
      expect((await ready())?.reason).not.toBe('KindUnreadable');
    });
    await client.delete(resource, key);
  });
});

describe('a total that is left out', () => {
  const left = (name: string, ...list: readonly Fields[]): UnitedDeployment =>
    united({ ...subsets(...list), replicas: undefined }, name);

  async function read(name: string): Promise<readonly [number | undefined, string | undefined]> {
    const { spec, metadata } = await client.get(resource, { namespace, name });
    return [spec.replicas, metadata.annotations?.[mark]];
  }

  it('is 1 with the very write, in both versions', async () => {
    for (const as of [resource, newer]) {
      const { object } = await attempt(left('one', { name: 'a' }, { name: 'b', replicas: '50%' }), as);
      expect(object?.spec.replicas).toBe(1);
    }
  });

  it('is what the subsets say, and follows them until somebody scales', async () => {
    const name = 'follows';
    const key = { namespace, name };
    await client.create(resource, left(name, { name: 'a', replicas: 2 }, { name: 'b', replicas: 3 }));
    expect(await read(name)).toEqual([5, '5']);
    expect((await client.getScale(resource, key)).spec?.replicas).toBe(5);
    const change = async (replicas: number): Promise<unknown> =>
      client.patch(resource, key, {
        type: 'merge',
        body: { spec: subsets({ name: 'a', replicas }, { name: 'b', replicas: 3 }) },
      });
    await change(4);
    expect(await read(name)).toEqual([7, '7']);
    await client.scale(resource, key, 9);
    await change(5);
    expect(await read(name)).toEqual([9, undefined]);
    await client.delete(resource, key);
  });

  it('is left to the one who scales when the manifest is applied again', async () => {
    const name = 'applied';
    const key = { namespace, name };
    const options = { fieldManager: 'gitops', force: true };
    const manifest = (image: string): UnitedDeployment => {
      const { metadata, spec } = left(name, { name: 'a' });
      return {
        metadata,
        spec: { ...spec, template: templateOf('deploymentTemplate', { image }) },
      } as UnitedDeployment;
    };
    await client.apply(resource, manifest('nginx:1'), options);
    expect(await read(name)).toEqual([1, undefined]);
    await client.scale(resource, key, 6);
    await client.apply(resource, manifest('nginx:2'), options);
    expect(await read(name)).toEqual([6, undefined]);
    await client.delete(resource, key);
  });

  it('is reported where it was more before', async () => {
    const name = 'dropped';
    const key = { namespace, name };
    await client.create(resource, united({ replicas: 50 }, name));
    const { warnings, object } = await judged(async () =>
      client.patch(resource, key, { type: 'merge', body: { spec: { replicas: null } } }, { dryRun: true }),
    );
    expect(object?.spec.replicas).toBe(1);
    expect(warnings).toEqual(['spec.replicas is left out and becomes 1; it was 50']);
    await client.delete(resource, key);
  });
});
