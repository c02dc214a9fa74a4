// UnitedDeployments whose subsets have other numbers than their spec gives them, and Kruise left them so: that no pod of them goes as Atoll takes over.
import { annotations, unitedDeployments, type Subset, type UnitedDeployment } from '@atoll/api';
import { deployments, pods, type KubeObject, type Resource, type StreamingClient } from '@atoll/kube';
import { startRecording, type Recording } from '@atoll/testbed';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { withoutElection, type OperatorControlPlane } from '../set-up/operator-control-plane.ts';
import { sharedOperatorControlPlane } from '../set-up/shared-operator-control-plane.ts';
import { conditionsOf } from '../set-up/standing.ts';
import { eventually } from '../united-deployment/standing.ts';
import { createByKruise, suffix, writeKruiseStatus } from './left-by-kruise.ts';

interface Left {
  readonly subsets: readonly Subset[];
  readonly standing: Readonly<Record<string, number>>;
}

const namespace = 'default';

const objects: Readonly<Record<string, Left>> = {
  // Kruise keeps ready pods of an earlier subset before the minimum of a later one.
  'ready-first': {
    subsets: [
      { name: 'a', minReplicas: 1, maxReplicas: 4 },
      { name: 'b', minReplicas: 2 },
    ],
    standing: { a: 4, b: 0 },
  },
  // Before 1.9, a subset without room needs no minimum.
  'no-minimum': {
    subsets: [{ name: 'a', minReplicas: 2, maxReplicas: 3 }, { name: 'b' }],
    standing: { a: 0, b: 4 },
  },
};
const names = Object.keys(objects);

/** As `ready-first`, with an image that somebody changed when Kruise was stopped and Atoll was not there. */
const changedBefore = 'changed-before';
const changedLeft: Left = objects['ready-first'] ?? { subsets: [], standing: {} };

function united(name: string, { subsets }: Left): UnitedDeployment {
  const labels = { app: name };
  const template = {
    metadata: { labels },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web:1' }] } },
    },
  };
  return {
    metadata: { namespace, name },
    spec: {
      replicas: 4,
      selector: { matchLabels: labels },
      template: { deploymentTemplate: template },
      topology: { scheduleStrategy: { type: 'Adaptive' }, subsets },
    },
  } as UnitedDeployment;
}

let world: OperatorControlPlane;
let client: StreamingClient;
let recording: Recording;
let before: Readonly<Record<string, readonly string[]>>;

const childIn = (name: string, subset: string) =>
  client.get(deployments, { namespace, name: `${name}-${subset}-${suffix}` });

async function numbersOf(name: string): Promise<Readonly<Record<string, number | undefined>>> {
  const [a, b] = [await childIn(name, 'a'), await childIn(name, 'b')];
  return { a: a.spec?.replicas, b: b.spec?.replicas };
}

async function podUids(name: string): Promise<readonly string[]> {
  const { items } = await client.list(pods, { namespace, labelSelector: `app=${name}` });
  return items.map(({ metadata }) => metadata.uid).toSorted();
}

/** Pods of it that ended, or began to. */
function goneOf(name: string): readonly string[] {
  return recording.events.flatMap(({ type, object: { metadata } }) => {
    const isGoing = type === 'DELETED' || metadata.deletionTimestamp !== undefined;
    return isGoing && metadata.labels?.['app'] === name ? [metadata.name] : [];
  });
}

async function areReady(name: string, { standing }: Left): Promise<void> {
  await eventually(async () => {
    for (const [subset, replicas] of Object.entries(standing))
      expect((await childIn(name, subset)).status?.readyReplicas ?? 0).toBe(replicas);
  });
}

async function effectiveOf(name: string) {
  const { SubsetReplicasEffective } = await conditionsOf(client, unitedDeployments, name, namespace);
  return SubsetReplicasEffective;
}

async function setImage(name: string, left: Left): Promise<void> {
  const { spec } = united(name, left);
  const template = JSON.parse(JSON.stringify(spec.template).replace('web:1', 'web:2')) as object;
  await client.patch(unitedDeployments, { namespace, name }, { type: 'merge', body: { spec: { template } } });
}

beforeAll(async () => {
  world = await sharedOperatorControlPlane({ fleet: { pools: ['hz'], nodesPerPool: 2 } });
  ({ client } = world);
  for (const [name, left] of Object.entries({ ...objects, [changedBefore]: changedLeft })) {
    const standing = Object.entries(left.standing).map(([subset, replicas]) => ({ subset, replicas }));
    const { owner, revision } = await createByKruise(
      client,
      united(name, left),
      deployments as Resource<KubeObject>,
      standing,
    );
    await areReady(name, left);
    await writeKruiseStatus(client, {
      owner,
      subsets: standing.map(({ subset, replicas }) => ({ name: subset, replicas })),
      currentRevision: revision.metadata.name,
      updatedRevision: revision.metadata.name,
      updatedReplicas: 4,
    });
  }
  await setImage(changedBefore, changedLeft);
  const { kubeconfig, auditLog = '' } = world.controlPlane;
  recording = await startRecording({
    kubeconfig,
    auditLog,
    resources: [pods as Resource<KubeObject>],
    namespace,
  });
  before = Object.fromEntries(await Promise.all(names.map(async (name) => [name, await podUids(name)])));
  await world.start({ args: withoutElection });
}, 180_000);

afterAll(async () => {
  await recording?.stop();
  await world?.[Symbol.asyncDispose]();
});

it.each(names)('no pod of %s goes, and the condition shows the numbers that stay', async (name) => {
  await eventually(async () => {
    for (const subset of ['a', 'b'])
      expect((await childIn(name, subset)).metadata.annotations).toHaveProperty([annotations.keptNumber]);
    expect(await effectiveOf(name)).toMatchObject({ status: 'False', reason: 'SubsetReplicasKept' });
  });
  expect(await numbersOf(name)).toEqual(objects[name]?.standing);
  expect(await podUids(name)).toEqual(before[name]);
  expect(before[name]).toHaveLength(4);
  expect(goneOf(name)).toEqual([]);
});

it.each(names)('another image leaves the numbers of %s, and another total ends it', async (name) => {
  const left = objects[name] ?? { subsets: [], standing: {} };
  await setImage(name, left);
  await eventually(async () => {
    expect(JSON.stringify((await childIn(name, 'a')).spec?.template)).toContain('web:2');
    expect(JSON.stringify((await childIn(name, 'b')).spec?.template)).toContain('web:2');
  });
  expect(await numbersOf(name)).toEqual(left.standing);
  await client.patch(
    unitedDeployments,
    { namespace, name },
    { type: 'merge', body: { spec: { replicas: 5 } } },
  );
  await eventually(async () => {
    expect(await effectiveOf(name)).toMatchObject({ status: 'True', reason: 'SubsetReplicasMet' });
    for (const subset of ['a', 'b'])
      expect((await childIn(name, subset)).metadata.annotations).not.toHaveProperty([annotations.keptNumber]);
  });
  await eventually(async () => {
    const { a = 0, b = 0 } = await numbersOf(name);
    expect(a + b).toBe(5);
  });
});

it('another image before Atoll looked leaves the numbers, and a scale ends it', async () => {
  await eventually(async () => {
    for (const subset of ['a', 'b']) {
      const { metadata, spec } = await childIn(changedBefore, subset);
      expect(metadata.annotations).toHaveProperty([annotations.keptNumber]);
      expect(JSON.stringify(spec?.template)).toContain('web:2');
    }
    expect(await effectiveOf(changedBefore)).toMatchObject({ reason: 'SubsetReplicasKept' });
  });
  expect(await numbersOf(changedBefore)).toEqual(changedLeft.standing);
  const scale = { type: 'merge', body: { spec: { replicas: 5 } } } as const;
  const key = { namespace, name: changedBefore };
  await client.patch(unitedDeployments, key, scale, { subresource: 'scale' });
  await eventually(async () => {
    const { a = 0, b = 0 } = await numbersOf(changedBefore);
    expect(a + b).toBe(5);
    expect(b).toBeGreaterThan(0);
    expect(await effectiveOf(changedBefore)).toMatchObject({ reason: 'SubsetReplicasMet' });
  });
});
