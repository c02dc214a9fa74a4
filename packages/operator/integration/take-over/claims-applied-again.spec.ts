// A UnitedDeployment whose pods have claims, as Kruise stored it, gets the manifest again that its user has in git.
import { unitedDeployments, type UnitedDeployment } from '@atoll/api';
import { controllerRevisions, pods, statefulSets, type KubeObject, type Resource } from '@atoll/kube';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  startOperatorControlPlane,
  withoutElection,
  type OperatorControlPlane,
} from '../set-up/operator-control-plane.ts';
import { rolloutControllers } from '../set-up/rollout-controllers.ts';
import { eventually, isReady } from '../united-deployment/standing.ts';
import { createByKruise, suffix, writeKruiseStatus } from './left-by-kruise.ts';

const key = { namespace: 'default', name: 'kruise-db' };
const persistentVolumes: Resource<KubeObject & { readonly spec: object }> = {
  group: '',
  version: 'v1',
  plural: 'persistentvolumes',
  kind: 'PersistentVolume',
  namespaced: false,
};

const claim = {
  metadata: { name: 'data' },
  spec: {
    accessModes: ['ReadWriteOnce'],
    storageClassName: '',
    resources: { requests: { storage: '1Gi' } },
  },
};
/** With what Go writes of a claim, and what the webhook fills in (`SetDefaults_PersistentVolumeClaim`). */
const storedClaim = {
  metadata: { ...claim.metadata, creationTimestamp: null },
  spec: { ...claim.spec, volumeMode: 'Filesystem' },
  status: { phase: 'Pending' },
};

function united(...volumeClaimTemplates: readonly object[]): UnitedDeployment {
  const app = { app: key.name };
  const template = {
    metadata: { labels: app },
    spec: {
      serviceName: 'db',
      podManagementPolicy: 'Parallel',
      selector: { matchLabels: app },
      template: { metadata: { labels: app }, spec: { containers: [{ name: 'db', image: 'db:1' }] } },
      volumeClaimTemplates,
    },
  };
  return {
    metadata: key,
    spec: {
      replicas: 2,
      selector: { matchLabels: app },
      template: { statefulSetTemplate: template },
      topology: { subsets: [{ name: 'a', replicas: 2 }] },
    },
  } as UnitedDeployment;
}

let world: OperatorControlPlane;

beforeAll(async () => {
  world = await startOperatorControlPlane({
    fleet: { pools: 1, nodesPerPool: 1 },
    controllerManagerFlags: { controllers: [...rolloutControllers, 'persistentvolume-binder-controller'] },
  });
  const { client } = world;
  for (const name of ['one', 'two']) {
    const { accessModes } = claim.spec;
    const spec = { accessModes, capacity: { storage: '1Gi' }, hostPath: { path: `/${name}` } };
    await client.create(persistentVolumes, { metadata: { name }, spec });
  }
  const { owner, revision } = await createByKruise(
    client,
    united(storedClaim),
    statefulSets as Resource<KubeObject>,
    [{ subset: 'a', replicas: 2 }],
  );
  await eventually(async () => {
    const { status } = await client.get(statefulSets, { ...key, name: `${key.name}-a-${suffix}` });
    if (status?.readyReplicas !== 2) throw new Error('its pods are not ready yet');
  });
  const { name } = revision.metadata;
  const subsets = [{ name: 'a', replicas: 2 }];
  const revisions = { currentRevision: name, updatedRevision: name, updatedReplicas: 2 };
  await writeKruiseStatus(client, { owner, subsets, ...revisions });
  await world.start({ args: withoutElection });
  await isReady(client, key.name);
}, 180_000);

afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
});

/** What another revision, another template of the child or another pod would change. */
async function standing(): Promise<unknown> {
  const { client } = world;
  const { namespace } = key;
  const selector = { namespace, labelSelector: `app=${key.name}` };
  const [sets, revisions, live] = await Promise.all([
    client.list(statefulSets, selector),
    client.list(controllerRevisions, { namespace }),
    client.list(pods, selector),
  ]);
  return {
    children: sets.items.map(({ metadata, spec }) => [metadata.uid, metadata.generation, spec]),
    revisions: revisions.items.map(({ metadata, revision }) => [metadata.name, revision]),
    pods: live.items.map(({ metadata }) => metadata.uid).toSorted(),
  };
}

it('is accepted, and no child, no revision and no pod is another one', async () => {
  const { client } = world;
  const before = await standing();
  const { metadata } = await client.get(unitedDeployments, key);
  const body = { spec: { template: united(claim).spec.template } };
  const applied = await client.patch(unitedDeployments, key, { type: 'merge', body });
  expect(applied.metadata.generation).toBe((metadata.generation ?? 0) + 1);
  const { conditions = [] } = await isReady(client, key.name);
  expect(conditions.filter(({ type, status }) => type === 'Degraded' && status !== 'False')).toEqual([]);
  expect(await standing()).toEqual(before);
});

it('is refused where it changes a claim, with its name', async () => {
  const larger = { ...claim, spec: { ...claim.spec, resources: { requests: { storage: '2Gi' } } } };
  const body = { spec: { template: united(larger).spec.template } };
  await expect(world.client.patch(unitedDeployments, key, { type: 'merge', body })).rejects.toMatchObject({
    code: 422,
    message: expect.stringMatching(
      /statefulSetTemplate\.spec\.volumeClaimTemplates: .*volumeClaimTemplates is immutable.*put the claim data back as it was/,
    ),
  });
});
