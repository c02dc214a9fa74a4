// What people do to workloads and their templates now and then, on a real control plane.
import { conditionTypes, labels, nodePools, yurtAppDaemons, type PoolWorkload } from '@atoll/api';
import {
  controllerOf,
  controllerRevisions,
  deployments,
  pods,
  statefulSets,
  type Deployment,
  type Stored,
  type StreamingClient,
} from '@atoll/kube';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { apply, childrenOf, daemon, imageOf, pool, setImage } from '../set-up/objects.ts';
import { withoutElection, type OperatorControlPlane } from '../set-up/operator-control-plane.ts';
import { sharedOperatorControlPlane } from '../set-up/shared-operator-control-plane.ts';
import { conditionsOf, eventually } from '../set-up/standing.ts';

let world: OperatorControlPlane;
let client: StreamingClient;
const namespace = 'default';
const pools = { tier: 'a' };
const names = ['east', 'west'];

beforeAll(async () => {
  world = await sharedOperatorControlPlane({ fleet: { pools: names, nodesPerPool: 1 } });
  ({ client } = world);
  for (const name of names) await apply(client, nodePools, pool(name, pools));
  await world.start({ args: withoutElection });
});

afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
});

it('a template with characters that Go escapes is rolled back to, and its revision is used again', async () => {
  const name = 'escaped';
  const container = { args: ['a && b < c > d', '\u2028'] };
  await apply(client, yurtAppDaemons, daemon({ name, pools, container }));
  await isReady(name);
  const first = (await statusOf(name)).currentRevision;
  await setImage(client, yurtAppDaemons, name, 'nginx:1.28');
  await isReady(name);
  expect((await statusOf(name)).currentRevision).not.toBe(first);
  await setImage(client, yurtAppDaemons, name, 'nginx:1.27');
  await isReady(name);
  expect((await statusOf(name)).currentRevision).toBe(first);
  expect((await live(name)).map(imageOf)).toEqual(['nginx:1.27', 'nginx:1.27']);
});

it('a workload that is deleted without its children leaves them and its history behind, and has them back when it is made again', async () => {
  const name = 'orphaned';
  const workload = daemon({ name, pools, container: { args: ['a && b'] } });
  const template = workload.spec.workloadTemplate.deploymentTemplate;
  // Not in the order of their names.
  const metadata = { labels: { app: name }, annotations: { z: '1', a: '2' } };
  const workloadTemplate = { deploymentTemplate: { spec: template?.spec, metadata } };
  await apply(client, yurtAppDaemons, {
    ...workload,
    spec: { ...workload.spec, workloadTemplate },
  } as PoolWorkload);
  await isReady(name);
  const { metadata: found } = await client.get(yurtAppDaemons, { namespace, name });
  const before = (await live(name)).map((child) => child.metadata.uid);
  await client.delete(yurtAppDaemons, { namespace, name }, { uid: found.uid, propagationPolicy: 'Orphan' });
  await eventually(async () => {
    const { items } = await client.list(yurtAppDaemons, { namespace });
    expect(items.map((each) => each.metadata.name)).not.toContain(name);
  });
  const children = await live(name);
  expect(children.map((child) => child.metadata.uid)).toEqual(before);
  const { items } = await client.list(controllerRevisions, { namespace, labelSelector: `app=${name}` });
  for (const { metadata: left } of [...children, ...items]) expect(left.ownerReferences ?? []).toEqual([]);
  expect(items).toHaveLength(1);
  const podsBefore = await podUids(name);
  const [restored, kept] = children;
  if (restored === undefined) throw new Error('there is no child');
  // The operator's watch of Deployments may be some milliseconds behind the workload that comes after it.
  const { uid: restoredUid } = await restoreWithoutOwner(restored);
  expect(podsBefore.length).toBeGreaterThan(0);
  await apply(client, yurtAppDaemons, {
    ...workload,
    spec: { ...workload.spec, workloadTemplate },
  } as PoolWorkload);
  await isReady(name);
  const { uid } = (await client.get(yurtAppDaemons, { namespace, name })).metadata;
  await eventually(async () => {
    const { items: history } = await client.list(controllerRevisions, {
      namespace,
      labelSelector: `app=${name}`,
    });
    expect([...(await live(name)), ...history].map((each) => controllerOf(each)?.uid)).toEqual(
      [...before, 'the revision'].map(() => uid),
    );
  });
  expect((await live(name)).map((child) => child.metadata.uid)).toEqual([restoredUid, kept?.metadata.uid]);
  expect(await podUids(name)).toEqual(podsBefore);
  expect((await statusOf(name)).currentRevision).toBe(items[0]?.metadata.name);
});

it('a template that was copied from a live Deployment is written once, and the Deployment controller keeps its notes', async () => {
  const name = 'copied';
  const workload = daemon({ name, pools });
  const note = 'deployment.kubernetes.io/revision';
  const metadata = { labels: { app: name }, annotations: { [note]: '7', 'example.com/mine': 'yes' } };
  const deploymentTemplate = { ...workload.spec.workloadTemplate.deploymentTemplate, metadata };
  const spec = { ...workload.spec, workloadTemplate: { deploymentTemplate } } as PoolWorkload['spec'];
  await apply(client, yurtAppDaemons, { ...workload, spec });
  await isReady(name);
  await setImage(client, yurtAppDaemons, name, 'nginx:1.28');
  await isReady(name);
  for (const { metadata: child } of await live(name)) {
    expect(child.annotations).toMatchObject({ [note]: '2', 'example.com/mine': 'yes' });
    // Its making, the image, and what followed of the two.
    expect(child.generation).toBeLessThan(8);
  }
});

it('a paused template shows that somebody has to resume it', async () => {
  const name = 'paused';
  await apply(client, yurtAppDaemons, daemon({ name, pools, replicas: 1, deployment: { paused: true } }));
  await eventually(async () => {
    expect(await conditionsOf(client, yurtAppDaemons, name, namespace)).toMatchObject({
      Ready: {
        status: 'False',
        reason: 'Paused',
        message: expect.stringMatching(/the rollout of .* is paused\. Resume it/),
      },
      Progressing: { status: 'False', reason: 'Paused' },
      Degraded: { status: 'False' },
      Paused: { status: 'True' },
    });
  });
  await apply(client, yurtAppDaemons, daemon({ name, pools, replicas: 1 }));
  await isReady(name);
  expect(await conditionsOf(client, yurtAppDaemons, name, namespace)).not.toHaveProperty(
    conditionTypes.paused,
  );
});

it('a child of another kind takes over as many replicas as its predecessor was scaled to', async () => {
  const name = 'switched';
  await apply(client, yurtAppDaemons, daemon({ name, pools }));
  await isReady(name);
  for (const { metadata } of await live(name)) await client.scale(deployments, metadata, 3);
  // The operator has seen it: this is no change of the workload, so Ready may be of before.
  await runs(name, 3);
  await isReady(name);
  const { spec } = await client.get(yurtAppDaemons, { namespace, name });
  const statefulSetTemplate = spec.workloadTemplate.deploymentTemplate;
  const body = { spec: { workloadTemplate: { deploymentTemplate: null, statefulSetTemplate } } };
  await client.patch(yurtAppDaemons, { namespace, name }, { type: 'merge', body });
  await eventually(async () => expect(await live(name)).toEqual([]));
  await isReady(name);
  const sets = async () =>
    (await client.list(statefulSets, { namespace, labelSelector: `${labels.workload}=${name}` })).items;
  expect((await sets()).map((set) => set.spec?.replicas)).toEqual([3, 3]);
  // They are nobody's of ours: who scales finds them so, and they stay so.
  for (const { metadata } of await sets()) await client.scale(statefulSets, metadata, 2);
  await runs(name, 2);
  await isReady(name);
  expect((await sets()).map((set) => set.spec?.replicas)).toEqual([2, 2]);
});

async function isReady(name: string): Promise<void> {
  await eventually(async () => {
    const { metadata, status } = await client.get(yurtAppDaemons, { namespace, name });
    expect(status?.observedGeneration).toBe(metadata.generation);
    expect(await conditionsOf(client, yurtAppDaemons, name, namespace)).toMatchObject({
      Ready: { status: 'True', reason: 'RolloutComplete' },
    });
  });
}

/** Waits until the status shows so many pods in each pool. */
async function runs(name: string, replicas: number): Promise<void> {
  await eventually(async () => {
    const counts = { replicas, readyReplicas: replicas, availableReplicas: replicas };
    expect((await statusOf(name)).pools).toMatchObject(names.map((pool) => ({ name: pool, ...counts })));
  });
}

async function statusOf(name: string): Promise<NonNullable<PoolWorkload['status']>> {
  return (await client.get(yurtAppDaemons, { namespace, name })).status ?? {};
}

async function podUids(name: string): Promise<readonly string[]> {
  const { items } = await client.list(pods, { namespace, labelSelector: `app=${name}` });
  return items.map(({ metadata }) => metadata.uid).toSorted();
}

/** As a tool for backups does it: labels, annotations and spec come back, uid, owners and the owners of fields do not. */
async function restoreWithoutOwner(child: Stored<Deployment>): Promise<Stored<Deployment>['metadata']> {
  const { name, labels: labelled, annotations, uid } = child.metadata;
  await client.delete(deployments, { namespace, name }, { uid, propagationPolicy: 'Orphan' });
  await eventually(async () => {
    const { items } = await client.list(deployments, { namespace });
    expect(items.map(({ metadata }) => metadata.name)).not.toContain(name);
  });
  const metadata = { namespace, name, labels: labelled, annotations };
  const made = await client.create(deployments, { metadata, spec: child.spec } as Deployment, {
    fieldManager: 'velero-server',
  });
  return made.metadata;
}

async function live(name: string): Promise<readonly Stored<Deployment>[]> {
  return [...(await childrenOf(client, name)).values()].toSorted((a, b) =>
    a.metadata.name < b.metadata.name ? -1 : 1,
  );
}
