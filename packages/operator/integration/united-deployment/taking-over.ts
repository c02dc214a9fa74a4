// A cluster in the state that Kruise leaves, with pods that really run, and what becomes of it when Atoll starts.
import {
  annotations,
  conditionTypes,
  labels,
  unitedDeployments,
  type Subset,
  type UnitedDeployment,
} from '@atoll/api';
import {
  controllerRevisions,
  pods,
  replicaSets,
  type KubeObject,
  type ManagedFieldsEntry,
  type Pod,
  type Resource,
  type Stored,
  type StreamingClient,
} from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import { toTimestamp } from '../../src/engine/status/conditions.ts';
import {
  kruiseChild,
  kruiseRevision,
  type KruiseSubset,
  type PodTemplate,
} from '../../src/united-deployment/kruise/kruise.fixture.ts';
import {
  childResources,
  inZone,
  namespace,
  podsOf,
  readyIn,
  replicasOf,
  setImage,
  type Child,
  type TemplateKind,
} from './objects.ts';
import { createByKruise, kruiseManager, suffix, writeKruiseStatus } from '../take-over/left-by-kruise.ts';
import { eventually, isReady, statusOf } from './standing.ts';

interface Left {
  readonly name: string;
  readonly kind: TemplateKind;
  readonly spec: Omit<UnitedDeployment['spec'], 'selector' | 'template'>;
  readonly standing: readonly KruiseSubset[];
  /** Fields of the template's spec. */
  readonly workload?: object;
  readonly pods?: object;
  readonly patched?: Readonly<Record<string, (template: PodTemplate) => PodTemplate>>;
}

/** What the webhook writes into a StatefulSet's template before it is stored. */
const podDefaults = {
  restartPolicy: 'Always',
  dnsPolicy: 'ClusterFirst',
  schedulerName: 'default-scheduler',
  terminationGracePeriodSeconds: 30,
  securityContext: {},
};
const containerDefaults = {
  imagePullPolicy: 'IfNotPresent',
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
};

const burstPatch = {
  metadata: { annotations: { 'example.com/place': 'burst' } },
  spec: { containers: [{ name: 'web', env: [{ name: 'POOL', value: 'burst' }] }] },
} satisfies NonNullable<Subset['patch']>;

/** The patch of the subset merged by hand, so that the fixture does not agree with us by construction. */
function withBurst({ metadata, spec }: PodTemplate): PodTemplate {
  return {
    metadata: { ...metadata, annotations: { 'example.com/place': 'burst' } } as PodTemplate['metadata'],
    spec: {
      ...spec,
      containers: [
        {
          ...spec.containers?.[0],
          env: [
            { name: 'POOL', value: 'burst' },
            { name: 'LEVEL', value: 'info' },
          ],
        },
      ],
    },
  };
}

/** No window of an hour that began then is over while these tests run. */
const justNow = toTimestamp(Date.now());

const left: readonly Left[] = [
  {
    name: 'kruise-web',
    kind: 'deploymentTemplate',
    spec: {
      replicas: 6,
      topology: {
        subsets: [
          inZone('a', 'zone-a', { replicas: 1 }),
          inZone('b', 'zone-b', { replicas: '50%' }),
          inZone('d', 'zone-d'),
        ],
      },
    },
    standing: [
      { name: 'a', replicas: 1 },
      { name: 'b', replicas: 3 },
      { name: 'd', replicas: 2 },
    ],
    workload: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '50%' } }, minReadySeconds: 1 },
    pods: {
      tolerations: [{ key: 'example.com/any', operator: 'Exists' }],
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [
              { matchExpressions: [{ key: 'kubernetes.io/os', operator: 'In', values: ['linux'] }] },
              { matchExpressions: [{ key: 'kubernetes.io/arch', operator: 'Exists' }] },
            ],
          },
        },
      },
    },
  },
  {
    name: 'kruise-db',
    kind: 'statefulSetTemplate',
    spec: {
      replicas: 4,
      topology: {
        subsets: [inZone('a', 'zone-a', { replicas: 2 }), inZone('b', 'zone-b', { replicas: 2 })],
      },
      updateStrategy: { type: 'Manual', manualUpdate: { partitions: { a: 1 } } },
    },
    standing: [
      { name: 'a', replicas: 2, partition: 1 },
      { name: 'b', replicas: 2 },
    ],
    workload: { podManagementPolicy: 'Parallel' },
    pods: podDefaults,
  },
  {
    name: 'kruise-elastic',
    kind: 'deploymentTemplate',
    spec: {
      replicas: 4,
      topology: {
        scheduleStrategy: { type: 'Adaptive', adaptive: { unschedulableDuration: 120 } },
        subsets: [
          inZone('owned', 'zone-a', { minReplicas: 1, maxReplicas: 3 }),
          inZone('burst', 'zone-d', { patch: burstPatch }),
        ],
      },
    },
    standing: [
      { name: 'owned', replicas: 3, schedulable: true },
      { name: 'burst', replicas: 1, schedulable: true },
    ],
    patched: { burst: withBurst },
  },
  {
    name: 'kruise-kept',
    kind: 'deploymentTemplate',
    spec: {
      replicas: 3,
      topology: {
        scheduleStrategy: {
          type: 'Adaptive',
          adaptive: { rescheduleCriticalSeconds: 600, reserveUnschedulablePods: true },
        },
        subsets: [inZone('a', 'zone-a', { maxReplicas: 2 }), inZone('b', 'zone-b')],
      },
    },
    standing: [
      { name: 'a', replicas: 2, schedulable: true },
      { name: 'b', replicas: 1, schedulable: true },
    ],
  },
  {
    name: 'kruise-reserving',
    kind: 'deploymentTemplate',
    spec: {
      replicas: 3,
      topology: {
        scheduleStrategy: {
          type: 'Adaptive',
          adaptive: {
            rescheduleCriticalSeconds: 1,
            unschedulableDuration: 2,
            reserveUnschedulablePods: true,
          },
        },
        // No node is there; one comes when all has been compared (`scheduling.ts`).
        subsets: [
          inZone('first', 'zone-of-kruise-reserving', { maxReplicas: 2 }),
          inZone('second', 'zone-b'),
        ],
      },
    },
    standing: [
      { name: 'first', replicas: 2, readyReplicas: 0, schedulable: false, reservedPods: 2 },
      { name: 'second', replicas: 3, schedulable: true },
    ],
  },
  {
    name: 'kruise-moved',
    kind: 'deploymentTemplate',
    spec: {
      replicas: 4,
      topology: {
        scheduleStrategy: {
          type: 'Adaptive',
          adaptive: { rescheduleCriticalSeconds: 1, unschedulableDuration: 3600 },
        },
        // Its nodes have room again, which nobody is to try before the window is over.
        subsets: [inZone('full', 'zone-a', { maxReplicas: 3 }), inZone('rest', 'zone-c')],
      },
    },
    standing: [
      { name: 'full', replicas: 1, schedulable: false, since: justNow },
      { name: 'rest', replicas: 3 },
    ],
  },
  {
    name: 'kruise-bare',
    kind: 'deploymentTemplate',
    spec: {
      topology: {
        subsets: [inZone('a', 'zone-a', { replicas: 2 }), inZone('b', 'zone-b', { replicas: 1 })],
      },
    },
    standing: [
      { name: 'a', replicas: 2 },
      { name: 'b', replicas: 1 },
    ],
  },
  {
    name: 'kruise-cloned',
    kind: 'cloneSetTemplate',
    spec: { replicas: 3, topology: { subsets: [inZone('a', 'zone-a'), inZone('b', 'zone-b')] } },
    standing: [
      { name: 'a', replicas: 1 },
      { name: 'b', replicas: 2 },
    ],
  },
  {
    name: 'kruise-ordered',
    kind: 'advancedStatefulSetTemplate',
    spec: { replicas: 2, topology: { subsets: [inZone('a', 'zone-a'), inZone('b', 'zone-b')] } },
    standing: [
      { name: 'a', replicas: 1 },
      { name: 'b', replicas: 1 },
    ],
  },
];

const before = new Map<string, unknown>();

/** Makes all that Kruise would have made, and waits until its pods run. To be called before Atoll starts. */
export async function leaveAsKruise(client: StreamingClient): Promise<void> {
  for (const each of left) await leave(client, each);
  await rollHalfWay(client);
  for (const { name, kind } of left) before.set(name, await running(client, name, kind));
}

export function takingOver(client: () => StreamingClient): void {
  describe('when Atoll starts where Kruise was', () => {
    it.each(left.map(({ name, kind }) => [name, kind] as const))(
      '%s (%s): no pod is touched, no name changes, no second child appears',
      async (name, kind) => {
        await eventually(async () => {
          expect((await statusOf(client(), name)).updatedRevision).toBeDefined();
          for (const child of await listed(client(), name, kind))
            expect(ownersOf(child)).toContain('atoll Apply');
        });
        if (name !== 'kruise-db') await isReady(client(), name);
        expect(await running(client(), name, kind)).toEqual(before.get(name));
      },
    );

    it('the history goes on under the old names', async () => {
      for (const { name, spec, standing } of left) {
        const { items } = await client().list(controllerRevisions, { namespace });
        const ours = items.filter(
          ({ metadata }) =>
            metadata.ownerReferences?.some(
              (owner) => owner.kind === 'UnitedDeployment' && owner.name === name,
            ) === true,
        );
        const { items: all } = await client().list(unitedDeployments, { namespace });
        const status = all.find(({ metadata }) => metadata.name === name)?.status;
        expect(ours).toHaveLength(name === 'kruise-db' ? 2 : 1);
        expect(ours.map(({ metadata }) => metadata.name)).toContain(status?.updatedRevision);
        const reserved = sumOf(standing, ({ reservedPods = 0 }) => reservedPods);
        expect(status).toMatchObject({
          subsetReplicas: Object.fromEntries(standing.map((each) => [each.name, each.replicas])),
          replicas: sumOf(standing, ({ replicas }) => replicas) - reserved,
        });
        expect(status?.reservedPods ?? 0).toBe(reserved);
        expect(spec.replicas ?? 3).toBe(status?.replicas);
      }
    });

    it('an update that was half way stays there, as its partition asks, and goes on when that goes', async () => {
      const name = 'kruise-db';
      expect(await readyIn(client(), name, 'nginx:1.28')).toEqual({ a: 1, b: 2 });
      const kept = (await podsOf(client(), name))
        .filter(({ spec }) => spec?.containers[0]?.image === 'nginx:1.28')
        .map(({ metadata }) => metadata.uid);
      const body = { spec: { updateStrategy: { manualUpdate: { partitions: { a: 0 } } } } };
      await client().patch(unitedDeployments, { namespace, name }, { type: 'merge', body });
      await isReady(client(), name);
      expect(await readyIn(client(), name, 'nginx:1.28')).toEqual({ a: 2, b: 2 });
      const now = (await podsOf(client(), name)).map(({ metadata }) => metadata.uid);
      expect(now).toEqual(expect.arrayContaining(kept));
    });

    it('a scale starts what is missing and restarts nothing, and a new image rolls under the old names', async () => {
      const name = 'kruise-web';
      const old = (await podsOf(client(), name)).map(({ metadata }) => metadata.uid);
      const names = (await listed(client(), name, 'deploymentTemplate')).map(({ metadata }) => metadata.name);
      await client().scale(unitedDeployments, { namespace, name }, 8);
      await isReady(client(), name);
      expect(await readyIn(client(), name)).toEqual({ a: 1, b: 4, d: 3 });
      const uids = (await podsOf(client(), name)).map(({ metadata }) => metadata.uid);
      expect(uids).toEqual(expect.arrayContaining(old));
      await setImage(client(), name, 'nginx:1.28');
      await eventually(async () => {
        expect(await readyIn(client(), name, 'nginx:1.28')).toEqual({ a: 1, b: 4, d: 3 });
      });
      await isReady(client(), name);
      const after = await listed(client(), name, 'deploymentTemplate');
      expect(after.map(({ metadata }) => metadata.name)).toEqual(names);
      expect(names).toEqual(['a', 'b', 'd'].map((subset) => `${name}-${subset}-${suffix}`));
    });

    it('a subset that had no room gets nothing more until the window is over that Kruise began', async () => {
      const name = 'kruise-moved';
      await client().scale(unitedDeployments, { namespace, name }, 6);
      const { subsetStatuses } = await isReady(client(), name);
      expect(await replicasOf(client(), name)).toEqual({ full: 1, rest: 5 });
      expect(subsetStatuses?.find((each) => each.name === 'full')?.conditions).toMatchObject([
        { type: conditionTypes.schedulable, status: 'False', lastTransitionTime: justNow },
      ]);
    });

    it('a pod patch is recognised, no matter who wrote it and how', async () => {
      const [burst] = (await listed(client(), 'kruise-elastic', 'deploymentTemplate')).filter(
        ({ metadata }) => metadata.labels?.[labels.subsetName] === 'burst',
      );
      expect(JSON.parse(burst?.metadata.annotations?.[annotations.subsetPatch] ?? '')).toEqual(burstPatch);
    });
  });
}

async function leave(client: StreamingClient, { name, kind, spec, standing, ...rest }: Left): Promise<void> {
  const { workload, pods: podSpec, patched = {} } = rest;
  const app = { app: name };
  const container = { name: 'web', image: 'nginx:1.27', env: [{ name: 'LEVEL', value: 'info' }] };
  const defaults = kind === 'statefulSetTemplate' ? containerDefaults : {};
  const template = {
    metadata: { labels: app, annotations: { 'example.com/note': 'of the template' } },
    spec: {
      selector: { matchLabels: app },
      template: {
        metadata: { labels: app },
        spec: { containers: [{ ...container, ...defaults }], ...podSpec },
      },
      ...workload,
    },
  };
  const object = {
    metadata: { namespace, name },
    spec: { ...spec, selector: { matchLabels: app }, template: { [kind]: template } },
  } as UnitedDeployment;
  const children = standing.map(({ name: subset, replicas, partition = 0 }) => {
    const merge = patched[subset];
    return { subset, replicas, partition, ...(merge === undefined ? {} : { patched: merge }) };
  });
  const resource = childResources[kind] as Resource<KubeObject>;
  const { owner, revision } = await createByKruise(client, object, resource, children);
  await runs(client, name, standing);
  const { adaptive } = spec.topology?.scheduleStrategy ?? {};
  if (adaptive?.reserveUnschedulablePods === true) await reserve(client, name);
  const count = sumOf(standing, ({ replicas }) => replicas);
  const { name: made } = revision.metadata;
  const revisions = { currentRevision: made, updatedRevision: made, updatedReplicas: count };
  await writeKruiseStatus(client, { owner, subsets: standing, ...revisions });
}

/** A new image for the StatefulSets, of which the partition holds one pod back. */
async function rollHalfWay(client: StreamingClient): Promise<void> {
  const found = left.find(({ kind }) => kind === 'statefulSetTemplate');
  if (found === undefined) throw new Error('nothing to roll');
  const { name, kind, standing } = found;
  const { status } = await client.get(unitedDeployments, { namespace, name });
  await setImage(client, name, 'nginx:1.28', kind);
  const owner = await client.get(unitedDeployments, { namespace, name });
  const revision = await client.create(controllerRevisions, kruiseRevision(owner, 2), {
    fieldManager: kruiseManager,
  });
  for (const { name: subset, replicas, partition = 0 } of standing) {
    const live = await client.get(childResources[kind], { namespace, name: `${name}-${subset}-${suffix}` });
    const wanted = kruiseChild({
      owner,
      subset,
      suffix,
      revision: revision.metadata.name,
      replicas,
      partition,
    });
    // As Kruise updates: what is there, with its own parts put in.
    const { spec, metadata } = wanted as Child;
    const labelled = { ...live.metadata, labels: { ...live.metadata.labels, ...metadata.labels } };
    const { template, updateStrategy } = spec;
    const body = { ...live, metadata: labelled, spec: { ...live.spec, template, updateStrategy } };
    await client.update(childResources[kind], body as Stored<Child>, {
      fieldManager: kruiseManager,
      fieldValidation: 'Ignore',
    });
  }
  await eventually(async () => expect(await readyIn(client, name, 'nginx:1.28')).toEqual({ a: 1, b: 2 }));
  const revisions = {
    currentRevision: status?.currentRevision ?? '',
    updatedRevision: revision.metadata.name,
  };
  await writeKruiseStatus(client, { owner, subsets: standing, ...revisions, updatedReplicas: 3 });
}

/** Waits until each subset has this many Ready pods, and the scheduler has found no node for the others. */
async function runs(client: StreamingClient, name: string, standing: readonly KruiseSubset[]): Promise<void> {
  await eventually(async () => {
    const ready = await readyIn(client, name);
    const unschedulable = (await podsOf(client, name)).filter(isUnschedulable);
    for (const { name: subset, replicas, readyReplicas = replicas } of standing) {
      expect(ready[subset] ?? 0).toBe(readyReplicas);
      const here = unschedulable.filter(({ metadata }) => metadata.labels?.[labels.subsetName] === subset);
      expect(here).toHaveLength(replicas - readyReplicas);
    }
  });
}

/** As Kruise reserves pods: each gets the label, whether it is reserved or counts. */
async function reserve(client: StreamingClient, name: string): Promise<void> {
  for (const pod of await podsOf(client, name)) {
    const body = { metadata: { labels: { [labels.reservedPod]: String(isUnschedulable(pod)) } } };
    await client.patch(pods, pod.metadata, { type: 'strategic', body }, { fieldManager: kruiseManager });
  }
}

function isUnschedulable({ status }: Pod): boolean {
  return status?.conditions?.some(({ reason }) => reason === 'Unschedulable') === true;
}

function sumOf(standing: readonly KruiseSubset[], count: (subset: KruiseSubset) => number): number {
  return standing.reduce((sum, subset) => sum + count(subset), 0);
}

async function listed(
  client: StreamingClient,
  name: string,
  kind: TemplateKind,
): Promise<readonly Stored<Child>[]> {
  const { items } = await client.list(childResources[kind], { namespace, labelSelector: `app=${name}` });
  return items.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
}

/** Everything that a restart of a pod would change, and what the pods are labelled. */
async function running(client: StreamingClient, name: string, kind: TemplateKind): Promise<unknown> {
  const sets = await client.list(replicaSets, { namespace, labelSelector: `app=${name}` });
  const live = await podsOf(client, name);
  return {
    children: (await listed(client, name, kind)).map(({ metadata, spec }) => [
      metadata.name,
      metadata.uid,
      spec.replicas,
      spec.template,
    ]),
    replicaSets: sets.items.map(({ metadata }) => metadata.name).toSorted(),
    pods: Object.fromEntries(
      live.map(({ metadata, status }) => [
        metadata.uid,
        { labels: metadata.labels, restarts: status?.containerStatuses?.[0]?.restartCount },
      ]),
    ),
  };
}

function ownersOf(child: Stored<Child>): readonly string[] {
  const entries: readonly ManagedFieldsEntry[] = child.metadata.managedFields ?? [];
  return entries
    .filter(({ subresource }) => subresource === undefined)
    .map(({ manager: who, operation }) => `${who} ${operation}`);
}
