// Why a workload does not move, as `kubectl describe` says it: every cause at the same time, found by few lists, and quiet.
import { setTimeout as delay } from 'node:timers/promises';
import {
  daemonSetUpdate,
  extendedDaemonSets,
  nodePools,
  unitedDaemonSets,
  unitedDeployments,
  yurtAppDaemons,
} from '@atoll/api';
import {
  daemonSets,
  events,
  groupResourceOf,
  namespaces,
  pods,
  resourceQuotas,
  validatingAdmissionPolicies,
  validatingAdmissionPolicyBindings,
  type Event,
  type KubeObject,
  type Resource,
  type Stored,
  type StreamingClient,
} from '@atoll/kube';
import { AuditLog, writesOf, type AuditEntry, type RecordedEvent } from '@atoll/testbed';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apply, pool } from './set-up/objects.ts';
import { operatorUser, withoutElection, type OperatorControlPlane } from './set-up/operator-control-plane.ts';
import { sharedOperatorControlPlane } from './set-up/shared-operator-control-plane.ts';
import { enforcedQuota } from './set-up/enforced-quota.ts';
import { eventually } from './set-up/standing.ts';

/** How a template is broken, and how that is said. */
interface Row {
  readonly cause: string;
  /** What is said of a request of the operator itself that is refused. */
  readonly ownRequest?: RegExp;
  readonly reason: string;
  readonly message: RegExp;
  readonly image?: string;
  readonly podSpec?: object;
  /** An event about the pod, as a kubelet records it. */
  readonly event?: { readonly reason: string; readonly note: string };
}

const probe = 'Readiness probe failed: HTTP probe failed with statuscode: 503';
const mount = 'MountVolume.SetUp failed for volume "keys" : secret "keys" not found';

const rows: readonly Row[] = [
  {
    cause: 'pull',
    reason: 'ImagePullBackOff',
    message:
      /pod \S+ on node site-node-\d( and 1 more pod)?: container web cannot pull its image nginx:bad-pull/,
    image: 'nginx:bad-pull',
  },
  {
    cause: 'crash',
    reason: 'CrashLoopBackOff',
    message:
      /pod \S+ on node site-node-\d( and 1 more pod)?: container web ends with exit code 1, and was restarted/,
    image: 'nginx:bad-crash',
  },
  {
    cause: 'config',
    reason: 'CreateContainerConfigError',
    message: /container web cannot be configured: configmap "settings" not found/,
    image: 'nginx:bad-config',
  },
  {
    cause: 'mount',
    reason: 'FailedMount',
    message: /cannot be started: MountVolume\.SetUp failed for volume "keys" : secret "keys" not found/,
    image: 'nginx:bad-mount',
    event: { reason: 'FailedMount', note: mount },
  },
  {
    cause: 'probe',
    reason: 'ProbeFailed',
    message:
      /container web runs and is not ready: Readiness probe failed: HTTP probe failed with statuscode: 503/,
    image: 'nginx:bad-never-ready',
    event: { reason: 'Unhealthy', note: probe },
  },
  {
    cause: 'room',
    reason: 'PodsUnschedulable',
    message: /no node can take it: 0\/2 nodes are available: .*Insufficient cpu/,
    podSpec: { containers: [{ name: 'web', image: 'nginx:1.27', resources: { requests: { cpu: '999' } } }] },
  },
  {
    cause: 'quota',
    reason: 'QuotaExceeded',
    message: /pods cannot be created: pods is forbidden: exceeded quota: small, requested: pods=1/,
    ownRequest: /create pods \S+: .* is forbidden: exceeded quota: small, requested: pods=1/,
  },
  {
    cause: 'security',
    reason: 'PodSecurityViolation',
    message:
      /pods cannot be created: they violate PodSecurity "restricted:latest": allowPrivilegeEscalation != false, /,
    ownRequest:
      /create pods \S+: .* violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false/,
  },
  {
    cause: 'policy',
    reason: 'FailedCreate',
    message: /pods cannot be created: pods is forbidden: .*only images of this company are allowed/,
    ownRequest: /create pods \S+: .*only images of this company are allowed/,
  },
];

type Template = 'deploymentTemplate' | 'statefulSetTemplate';

interface Kind {
  readonly kind: string;
  readonly resource: Resource<KubeObject>;
  readonly spec: (app: Readonly<Record<string, string>>, podSpec: object) => object;
  readonly annotations?: Readonly<Record<string, string>>;
  /** The condition that says why. Default Ready. */
  readonly says?: string;
  /** How many pods it has. Default 1. */
  readonly pods?: number;
  /** The operator makes its pods, and says which request is refused. */
  readonly refused?: true;
}

function template(kind: Template, app: Readonly<Record<string, string>>, podSpec: object): object {
  const service = kind === 'statefulSetTemplate' ? { serviceName: 'web' } : {};
  const spec = {
    selector: { matchLabels: app },
    template: { metadata: { labels: app }, spec: podSpec },
    ...service,
  };
  return { [kind]: { metadata: { labels: app }, spec } };
}

function perPool(kind: Template): Kind['spec'] {
  return (app, podSpec) => ({
    selector: { matchLabels: app },
    nodepoolSelector: { matchLabels: { causes: 'yes' } },
    workloadTemplate: template(kind, app, podSpec),
  });
}

function perSubset(kind: Template): Kind['spec'] {
  return (app, podSpec) => ({
    replicas: 1,
    selector: { matchLabels: app },
    template: template(kind, app, podSpec),
    topology: { subsets: [{ name: 'site' }] },
  });
}

const extended: Kind['spec'] = (app, podSpec) => ({
  template: { metadata: { labels: app }, spec: podSpec },
  strategy: {},
});

const native: Kind['spec'] = (app, podSpec) => ({
  selector: { matchLabels: app },
  template: { metadata: { labels: app }, spec: podSpec },
  updateStrategy: { type: 'OnDelete' },
});

const kinds: readonly Kind[] = [
  { kind: 'daemon', resource: unitedDaemonSets, spec: perPool('deploymentTemplate') },
  { kind: 'app-daemon', resource: yurtAppDaemons, spec: perPool('statefulSetTemplate') },
  { kind: 'united', resource: unitedDeployments, spec: perSubset('deploymentTemplate') },
  { kind: 'united-ordered', resource: unitedDeployments, spec: perSubset('statefulSetTemplate') },
  { kind: 'extended', resource: extendedDaemonSets, spec: extended, pods: 2, refused: true },
  {
    kind: 'native',
    resource: daemonSets,
    spec: native,
    annotations: { [daemonSetUpdate.annotations.updateStrategy]: 'AdvancedRollingUpdate' },
    says: 'atoll.dev/UpToDate',
    pods: 2,
  },
] as readonly Kind[];

function said({ reason, message, ownRequest }: Row, { refused }: Kind): Pick<Row, 'reason' | 'message'> {
  return refused === true && ownRequest !== undefined
    ? { reason: 'ChildRefused', message: ownRequest }
    : { reason, message };
}

/** Each kind with each cause, where it is not the same twice: the two daemons are one controller. */
const table = rows
  .flatMap((row) =>
    kinds.map((kind) => ({ ...row, ...kind, ...said(row, kind), name: `${row.cause}-${kind.kind}` })),
  )
  .filter(({ kind, cause }) => kind !== 'app-daemon' || ['pull', 'quota', 'policy'].includes(cause));
type Case = (typeof table)[number];

interface Conditioned extends KubeObject {
  readonly status?: {
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason: string;
      readonly message: string;
    }[];
  };
}

/** Longer than any interval between two lists of one workload but the last, and than several restarts of a container. */
const quietMs = 35_000;

let world: OperatorControlPlane;
let client: StreamingClient;
let log: AuditLog;
/** When the last cause was there to be found. */
let begunAt: number;

beforeAll(async () => {
  world = await sharedOperatorControlPlane({ fleet: { pools: ['site'], nodesPerPool: 2 } });
  ({ client } = world);
  await world.start({ args: [...withoutElection, '--controllers=*,daemon-set-upgrade'] });
  log = new AuditLog(world.controlPlane.auditLog ?? '');
  await apply(client, nodePools, pool('site', { causes: 'yes' }));
  for (const { cause } of rows) {
    const labels = cause === 'security' ? { 'pod-security.kubernetes.io/enforce': 'restricted' } : {};
    await client.create(namespaces, { metadata: { name: cause, labels } });
  }
  await enforcedQuota(client, { namespace: 'quota', name: 'small' }, { pods: '0' });
  await refusePods();
  await Promise.all(table.map(async (each) => client.create(each.resource, objectOf(each))));
  await tellAsKubelets();
  begunAt = Date.now();
});

afterAll(async () => {
  await log?.close();
  await world?.[Symbol.asyncDispose]();
});

function objectOf({
  cause,
  name,
  spec,
  annotations: asked = {},
  image = 'nginx:1.27',
  podSpec,
}: Case): KubeObject {
  const pod = podSpec ?? { containers: [{ name: 'web', image }] };
  const metadata = { namespace: cause, name, annotations: asked };
  return { metadata, spec: spec({ app: name }, pod) } as KubeObject;
}

/** A real policy, which has taken effect. */
async function refusePods(): Promise<void> {
  const metadata = { name: 'images' };
  const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] };
  await client.create(validatingAdmissionPolicies, {
    metadata,
    spec: {
      matchConstraints: { resourceRules: [rule] },
      validations: [{ expression: 'false', message: 'only images of this company are allowed' }],
    },
  });
  const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': 'policy' } };
  await client.create(validatingAdmissionPolicyBindings, {
    metadata,
    spec: { policyName: 'images', validationActions: ['Deny'], matchResources: { namespaceSelector } },
  });
  const spec = { containers: [{ name: 'web', image: 'nginx:1.27' }] };
  await eventually(async () =>
    expect(
      client.create(pods, { metadata: { namespace: 'policy', name: 'x' }, spec }, { dryRun: true }),
    ).rejects.toThrow(/only images/),
  );
}

/** The simulated kubelets record no events: the spec does, for each pod that needs one. */
async function tellAsKubelets(): Promise<void> {
  const withEvents = rows.filter((row) => row.event !== undefined);
  await Promise.all(
    withEvents.map(async ({ cause: namespace, event = { reason: '', note: '' } }) => {
      const found = await eventually(async () => {
        const { items } = await client.list(pods, { namespace });
        const counts = table.filter(({ cause: other }) => other === namespace).map((each) => each.pods ?? 1);
        expect(items).toHaveLength(counts.reduce((sum, each) => sum + each, 0));
        return items;
      });
      for (const { metadata } of found) {
        const { name, uid } = metadata;
        const regarding = { kind: 'Pod', apiVersion: 'v1', namespace, name, uid };
        await client.create(events, {
          metadata: { namespace, name: `${name}.event` },
          eventTime: `${new Date().toISOString().slice(0, -1)}000Z`,
          type: 'Warning',
          action: 'Starting',
          regarding,
          reportingController: 'kubelet',
          reportingInstance: 'site-node-1',
          ...event,
        } as Event);
      }
    }),
  );
}

async function found({ resource, cause, name }: Case): Promise<Stored<Conditioned>> {
  return client.get(resource as Resource<Conditioned>, { namespace: cause, name });
}

/** The operator's lists of one namespace; those of its caches are of all. */
async function lists(): Promise<readonly AuditEntry[]> {
  await log.readOn();
  const inspected = ['pods', 'events.events.k8s.io'];
  return log.entries
    .filter(({ user, verb }) => user === operatorUser && verb === 'list')
    .filter(({ resource, namespace }) => namespace !== undefined && inspected.includes(resource));
}

/** The first version of the workload that says why it is not Ready. */
function firstNamed({ name, reason, message, says = 'Ready' }: Case): RecordedEvent | undefined {
  return world.recording.events.find(({ object }) => {
    if (object.metadata.name !== name) return false;
    const ready = (object as Conditioned).status?.conditions?.find(({ type }) => type === says);
    return ready?.reason === reason && message.test(ready.message);
  });
}

/** When the API server answered the writes that named the causes, by the name of the workload. */
async function namedAt(): Promise<ReadonlyMap<string, number>> {
  return eventually(async () => {
    const writes = writesOf(await world.recording.history());
    const answered = new Map<string, number>(
      writes.flatMap(({ audit, effects }) =>
        effects.map(({ event }) => [`${event.uid} ${event.version}`, audit.at] as const),
      ),
    );
    return new Map(
      table.map((each) => {
        const named = firstNamed(each);
        const at = answered.get(`${named?.uid} ${named?.version}`);
        // The API server writes a line of its audit log after the answer.
        if (at === undefined)
          throw new Error(`the audit log does not show yet who named the cause of ${each.name}`);
        return [each.name, at];
      }),
    );
  });
}

/** As recorded last: nobody has to ask the API server for every object ten times a second. */
function lastConditions({ name, resource }: Case) {
  const ofResource = groupResourceOf(resource);
  const last = world.recording.events.findLast(
    (event) => event.name === name && event.resource === ofResource,
  );
  return (last?.object as Conditioned | undefined)?.status?.conditions;
}

function isReady(each: Case): boolean {
  const { says = 'Ready' } = each;
  return lastConditions(each)?.some(({ type, status }) => type === says && status === 'True') === true;
}

describe('the cause of a workload that does not move', () => {
  it('is named in its condition within 30 s, or when its turn has come', async () => {
    await eventually(async () => {
      const open = table.filter((each) => firstNamed(each) === undefined);
      expect(open.map((each) => [each.name, lastConditions(each)])).toEqual([]);
    });
    const named = await namedAt();
    const seconds = [...named].map(([name, at]) => [name, Math.round((at - begunAt) / 1000)] as const);
    // So many that break at the same moment wait for their turn: three lists a second, one or two for each.
    const turnsSeconds = table.length / 3;
    expect(seconds.filter(([, after]) => after > 30 + turnsSeconds)).toEqual([]);
    expect(seconds.filter(([, after]) => after <= 30).length).toBeGreaterThan(table.length / 2);
  }, 200_000);

  it.each(table)(
    'is in one event: $name',
    async ({ reason, message, cause, name, pods: count = 1, refused }) => {
      await eventually(async () => {
        const { items } = await client.list(events, { namespace: cause });
        // The DaemonSet controller has events of its own about the same, in other words.
        const said = items.filter(
          ({ regarding, reason: word, note }) =>
            regarding?.name === name && word === reason && message.test(note ?? ''),
        );
        // A request for each node is refused, and each is another one.
        expect(said.length).toBeGreaterThan(0);
        expect(said.length).toBeLessThanOrEqual(refused === true ? count : 1);
      });
    },
  );

  it('leaves the status alone while it stays the same, until it has lasted long enough to be Degraded', async () => {
    const versions = async () =>
      Promise.all(
        table.map(async (each) => {
          const { metadata, status } = await found(each);
          const degraded = status?.conditions?.find(({ type }) => type === 'Degraded');
          // Restarts are counted in powers of ten.
          const restarts = /restarted.*$/.exec(degraded?.message ?? '')?.[0];
          return { name: each.name, version: metadata.resourceVersion, says: [degraded?.status, restarts] };
        }),
      );
    // What the second pod of two shows may be found later, once.
    await eventually(async () => {
      const before = await versions();
      await delay(quietMs);
      const after = await versions();
      const written = after.filter(({ version }, index) => version !== before[index]?.version);
      const turned = after.filter(({ says }, index) => String(says) !== String(before[index]?.says));
      expect(written).toEqual(turned);
    }, 3 * quietMs);
  }, 170_000);

  it('was found by at most three lists a second', async () => {
    const moments = (await lists()).map(({ receivedAt }) => receivedAt);
    expect(moments.length).toBeGreaterThan(table.length);
    // Ten seconds, because requests do not arrive as evenly as they are sent.
    const windows = moments.map((from) => moments.filter((at) => at >= from && at < from + 10_000).length);
    expect(Math.max(...windows)).toBeLessThanOrEqual(30);
  });

  it('is not looked for any more once all is well', async () => {
    await client.delete(validatingAdmissionPolicyBindings, { name: 'images' });
    await client.delete(resourceQuotas, { namespace: 'quota', name: 'small' });
    const labels = { 'pod-security.kubernetes.io/enforce': null };
    await client.patch(namespaces, { name: 'security' }, { type: 'merge', body: { metadata: { labels } } });
    const healthy = { containers: [{ name: 'web', image: 'nginx:1.27' }] };
    await Promise.all(
      table.map(async (each) => {
        const { metadata, ...body } = objectOf({ ...each, podSpec: healthy });
        await client.patch(each.resource, metadata, { type: 'merge', body });
      }),
    );
    await eventually(async () => {
      const open = table.filter((each) => !isReady(each));
      expect(open.map((each) => [each.name, lastConditions(each)])).toEqual([]);
      // The controller of ReplicaSets waits the longer, the longer its pods were refused.
    }, 300_000);
    // What was under way then may be in the log later.
    const since = Date.now();
    await delay(quietMs);
    expect((await lists()).filter(({ receivedAt }) => receivedAt > since)).toEqual([]);
  }, 400_000);
});
