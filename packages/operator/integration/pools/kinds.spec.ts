// StatefulSets in every pool, and a template that becomes one of the other kind, on a real cluster.
import { labels, nodePools, unitedDaemonSets, type PoolWorkload } from '@atoll/api';
import {
  deployments,
  pods,
  statefulSets,
  type KubeObject,
  type Resource,
  type StreamingClient,
} from '@atoll/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apply, pool } from '../set-up/objects.ts';
import { withoutElection, type OperatorControlPlane } from '../set-up/operator-control-plane.ts';
import { sharedOperatorControlPlane } from '../set-up/shared-operator-control-plane.ts';
import { conditionsOf, eventsAbout, eventually } from '../set-up/standing.ts';

let world: OperatorControlPlane;
let client: StreamingClient;
const namespace = 'default';

beforeAll(async () => {
  world = await sharedOperatorControlPlane({ fleet: { pools: ['hz', 'bj'], nodesPerPool: 2 } });
  ({ client } = world);
  for (const name of ['hz', 'bj']) await apply(client, nodePools, pool(name, { tier: 'a' }));
  await world.start({ args: withoutElection });
  // Its minute runs while the other tests do.
  await apply(client, unitedDaemonSets, workload('stuck', 'statefulSetTemplate', 'nginx:bad-never-ready'));
});

afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
});

type Kind = 'deploymentTemplate' | 'statefulSetTemplate';

function workload(name: string, kind: Kind, image = 'nginx:1.27', replicas = 2): PoolWorkload {
  const app = { app: name };
  const template = { metadata: { labels: app }, spec: { containers: [{ name: 'web', image }] } };
  const own = kind === 'statefulSetTemplate' ? { serviceName: name } : {};
  const member = { metadata: { labels: app }, spec: { replicas, template, ...own } };
  return {
    metadata: { namespace, name },
    spec: {
      selector: { matchLabels: app },
      nodepoolSelector: { matchLabels: { tier: 'a' } },
      workloadTemplate: { [kind]: member },
    },
  };
}

async function isReady(name: string, timeout?: number): Promise<void> {
  await eventually(async () => {
    expect(await conditionsOf(client, unitedDaemonSets, name, namespace)).toMatchObject({
      Ready: { status: 'True', reason: 'RolloutComplete' },
    });
  }, timeout);
}

async function poolsOf(resource: Resource<KubeObject>, name: string): Promise<readonly string[]> {
  const { items } = await client.list(resource, { namespace, labelSelector: `app=${name}` });
  const live = items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  return live.map(({ metadata }) => metadata.labels?.[labels.poolName] ?? '').toSorted();
}

async function podNames(name: string): Promise<readonly string[]> {
  const { items } = await client.list(pods, { namespace, labelSelector: `app=${name}` });
  return items.map(({ metadata }) => `${metadata.name} ${metadata.uid}`).toSorted();
}

describe('a StatefulSet template', () => {
  it('runs in every pool, rolls, and is scaled without a restart', async () => {
    await apply(client, unitedDaemonSets, workload('stateful', 'statefulSetTemplate'));
    await isReady('stateful');
    expect(await poolsOf(statefulSets, 'stateful')).toEqual(['bj', 'hz']);
    const { status } = await client.get(unitedDaemonSets, { namespace, name: 'stateful' });
    expect(status).toMatchObject({
      templateType: 'StatefulSet',
      pools: [
        { name: 'bj', replicas: 2, readyReplicas: 2, updatedReplicas: 2, availableReplicas: 2 },
        { name: 'hz', replicas: 2, readyReplicas: 2, updatedReplicas: 2, availableReplicas: 2 },
      ],
      workloadSummary: [{ availableCondition: 'True' }, { availableCondition: 'True' }],
    });
    const before = await podNames('stateful');
    await apply(client, unitedDaemonSets, workload('stateful', 'statefulSetTemplate', 'nginx:1.27', 3));
    await eventually(async () => expect(await podNames('stateful')).toHaveLength(6));
    expect(await podNames('stateful')).toEqual(expect.arrayContaining([...before]));
    await isReady('stateful');
    await apply(client, unitedDaemonSets, workload('stateful', 'statefulSetTemplate', 'nginx:1.28', 3));
    await eventually(async () => {
      const { items } = await client.list(pods, { namespace, labelSelector: 'app=stateful' });
      expect(items.map(({ spec }) => spec?.containers[0]?.image)).toEqual(Array(6).fill('nginx:1.28'));
    });
    await isReady('stateful');
  });

  it('with a changed immutable field is refused with its path', async () => {
    const { spec, metadata } = workload('stateful', 'statefulSetTemplate');
    const { statefulSetTemplate } = spec.workloadTemplate;
    const changed = { ...statefulSetTemplate, spec: { ...statefulSetTemplate?.spec, serviceName: 'other' } };
    const object = { metadata, spec: { ...spec, workloadTemplate: { statefulSetTemplate: changed } } };
    await expect(apply(client, unitedDaemonSets, object as PoolWorkload)).rejects.toThrow(
      /spec\.workloadTemplate\.statefulSetTemplate\.spec\.serviceName/,
    );
  });
});

describe('a template of the other kind', () => {
  it('takes over in each pool when its pods are available, there and back, and leaves no orphan', async () => {
    await apply(client, unitedDaemonSets, workload('switched', 'deploymentTemplate'));
    await isReady('switched');
    await apply(
      client,
      unitedDaemonSets,
      workload('switched', 'statefulSetTemplate', 'nginx:bad-never-ready'),
    );
    await eventually(async () => expect(await poolsOf(statefulSets, 'switched')).toEqual(['bj', 'hz']));
    expect(await poolsOf(deployments, 'switched')).toEqual(['bj', 'hz']);
    await apply(client, unitedDaemonSets, workload('switched', 'deploymentTemplate'));
    await eventually(async () => expect(await poolsOf(statefulSets, 'switched')).toEqual([]));
    await isReady('switched');
    expect(await poolsOf(deployments, 'switched')).toEqual(['bj', 'hz']);

    await apply(client, unitedDaemonSets, workload('switched', 'statefulSetTemplate'));
    await eventually(async () => {
      expect(await poolsOf(deployments, 'switched')).toEqual([]);
      expect(await poolsOf(statefulSets, 'switched')).toEqual(['bj', 'hz']);
    });
    await isReady('switched');
    expect((await client.get(unitedDaemonSets, { namespace, name: 'switched' })).status?.templateType).toBe(
      'StatefulSet',
    );
  });
});

describe('a StatefulSet whose template was wrong', { timeout: 400_000 }, () => {
  it('recovers when the template is corrected, and its healthy pods are not touched', async () => {
    const images = async (): Promise<unknown> => {
      const { items } = await client.list(pods, { namespace, labelSelector: 'app=stuck' });
      return items.map(({ spec }) => spec?.containers[0]?.image);
    };
    // The first pod never becomes ready, so no second one is made.
    await eventually(async () => expect(await images()).toEqual(Array(2).fill('nginx:bad-never-ready')));
    await apply(client, unitedDaemonSets, workload('stuck', 'statefulSetTemplate'));
    await isReady('stuck', 120_000);
    expect(await images()).toEqual(Array(4).fill('nginx:1.27'));
    await eventually(async () => {
      const recorded = (await eventsAbout(client, 'stuck')).filter(({ reason }) => reason === 'PodStuck');
      const notes = recorded.map(({ note = '' }) => note);
      expect(notes).toHaveLength(2);
      for (const place of ['hz', 'bj']) {
        expect(notes).toContainEqual(expect.stringContaining(`of pool ${place} is not ready`));
      }
    });

    // Again, with healthy pods beside the broken one: they are not touched until it is their turn.
    await apply(
      client,
      unitedDaemonSets,
      workload('stuck', 'statefulSetTemplate', 'nginx:bad-never-ready-again'),
    );
    const first = (await podNames('stuck')).filter((name) => /-0 /.test(name));
    await eventually(async () => expect(await images()).toContain('nginx:bad-never-ready-again'));
    expect((await podNames('stuck')).filter((name) => /-0 /.test(name))).toEqual(first);
  });
});
