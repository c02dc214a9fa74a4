// The worked example of the reference (3.5) with our fixes, names at their limits, pools that come and go, and others
// who write to the children.
import { labels, nodePools, yurtAppDaemons, type PoolWorkload } from '@atoll/api';
import {
  controllerRevisions,
  deployments,
  horizontalPodAutoscalers,
  namespaces,
  pods,
  statefulSets,
  type Deployment,
  type Pod,
  type Stored,
  type StreamingClient,
} from '@atoll/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apply, childrenOf, daemon, imageOf, pool, setImage } from '../set-up/objects.ts';
import {
  startOperatorControlPlane,
  withoutElection,
  type OperatorControlPlane,
} from '../set-up/operator-control-plane.ts';
import { rolloutControllers } from '../set-up/rollout-controllers.ts';
import { conditionsOf, eventsAbout, eventually } from '../set-up/standing.ts';

/** Beside what a rollout needs, the autoscaler. */
const controllers = [...rolloutControllers, 'horizontal-pod-autoscaler-controller'];

let world: OperatorControlPlane;
let client: StreamingClient;

beforeAll(async () => {
  world = await startOperatorControlPlane({
    fleet: { pools: ['hz', 'bj', 'sh'], nodesPerPool: 2, labels: { disk: 'ssd' } },
    controllerManagerFlags: { controllers, 'horizontal-pod-autoscaler-sync-period': '1s' },
  });
  ({ client } = world);
  await client.create(namespaces, { metadata: { name: 'ns' } });
  await world.start({ args: withoutElection });
});

afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
});

describe('the worked example', () => {
  const key = { namespace: 'ns', name: 'web' };
  const edge = { key: 'edge', value: 'x', effect: 'NoSchedule' } as const;
  const tier = { tier: 'a' };

  function web(image = 'web:1'): PoolWorkload {
    const app = { app: 'web' };
    const template = {
      metadata: { labels: app },
      spec: {
        tolerations: [{ key: 'k', operator: 'Exists' }],
        nodeSelector: { disk: 'ssd' },
        containers: [{ name: 'web', image }],
      },
    };
    return {
      metadata: key,
      spec: {
        selector: { matchLabels: app },
        nodepoolSelector: { matchLabels: tier },
        workloadTemplate: {
          deploymentTemplate: { metadata: { labels: app }, spec: { replicas: 2, template } },
        },
      },
    };
  }

  async function children(): Promise<Readonly<Record<string, Stored<Deployment>>>> {
    const { items } = await client.list(deployments, { namespace: 'ns' });
    const live = items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    return Object.fromEntries(live.map((child) => [child.metadata.labels?.[labels.poolName] ?? '', child]));
  }

  const own = { key: 'k', operator: 'Exists' };

  async function tolerationsIn(name: string): Promise<unknown> {
    return (await children())[name]?.spec?.template.spec?.tolerations;
  }

  async function podsIn(name: string): Promise<readonly Stored<Pod>[]> {
    const { items } = await client.list(pods, {
      namespace: 'ns',
      labelSelector: `${labels.poolName}=${name}`,
    });
    // Those that end are of the template before.
    return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  }

  async function podUids(name: string): Promise<readonly string[]> {
    return (await podsIn(name)).map(({ metadata }) => metadata.uid).toSorted();
  }

  async function done(pools: readonly string[]): Promise<void> {
    await eventually(async () => {
      const { status } = await client.get(yurtAppDaemons, key);
      expect(status?.nodepools).toEqual(pools);
      expect(status?.currentRevision).toBe(status?.updateRevision);
      expect(await conditionsOf(client, yurtAppDaemons, 'web', 'ns')).toMatchObject({
        Ready: { status: 'True' },
        WorkLoadProvisioned: { status: 'True' },
        WorkLoadUpdated: { status: 'True' },
      });
    });
  }

  it('makes a revision, two Deployments and the status', async () => {
    await apply(client, nodePools, pool('hz', tier, { taints: [edge] }));
    await apply(client, nodePools, pool('bj', tier));
    await apply(client, yurtAppDaemons, web());
    await done(['bj', 'hz']);
    const { items } = await client.list(controllerRevisions, { namespace: 'ns' });
    const [revision] = items;
    const name = revision?.metadata.name ?? '';
    expect(items).toMatchObject([
      {
        revision: 1,
        metadata: {
          labels: { app: 'web', [labels.revisionHash]: name.replace('web-', '') },
          ownerReferences: [{ kind: 'YurtAppDaemon', name: 'web', controller: true }],
        },
        data: { spec: { workloadTemplate: { $patch: 'replace', deploymentTemplate: expect.anything() } } },
      },
    ]);
    const { hz, bj } = await children();
    expect(hz?.metadata).toMatchObject({
      name: expect.stringMatching(/^web-hz-/),
      labels: { app: 'web', [labels.poolName]: 'hz', [labels.controllerRevisionHash]: name },
      annotations: { 'apps.openyurt.io/ref-nodepool': 'hz' },
    });
    expect(hz?.spec).toMatchObject({
      replicas: 2,
      selector: { matchLabels: { app: 'web', [labels.poolName]: 'hz' } },
      template: {
        metadata: { labels: { app: 'web', [labels.poolName]: 'hz', [labels.controllerRevisionHash]: name } },
        spec: {
          nodeSelector: { disk: 'ssd', [labels.nodePool]: 'hz' },
          tolerations: [
            { key: 'k', operator: 'Exists' },
            { key: 'edge', operator: 'Equal', value: 'x', effect: 'NoSchedule' },
          ],
        },
      },
    });
    expect(bj?.spec?.template.spec?.tolerations).toEqual([{ key: 'k', operator: 'Exists' }]);
    const { status } = await client.get(yurtAppDaemons, key);
    expect(status).toMatchObject({
      templateType: 'Deployment',
      currentRevision: name,
      collisionCount: 0,
      workloadSummary: [{ readyReplicas: 2 }, { readyReplicas: 2 }],
      pools: [
        { name: 'bj', revision: name, replicas: 2, updatedReplicas: 2, availableReplicas: 2 },
        { name: 'hz', revision: name, replicas: 2, updatedReplicas: 2, availableReplicas: 2 },
      ],
    });
    await eventually(async () => {
      const recorded = await eventsAbout(client, 'web', 'ns');
      expect(recorded.map(({ reason }) => reason)).toContain('Successful CreateWorkload');
    });
  });

  it('follows a taint of bj, replaces no pod when it goes, and touches hz by neither', async () => {
    const before = await podUids('hz');
    const slow = { key: 'slow', effect: 'NoSchedule' } as const;
    await apply(client, nodePools, pool('bj', tier, { taints: [slow] }));
    const both = [own, { ...slow, operator: 'Equal' }];
    await eventually(async () => expect(await tolerationsIn('bj')).toEqual(both));
    // The status of before says that all is done, too.
    await eventually(async () => {
      const found = (await podsIn('bj')).map(({ spec }) =>
        spec?.tolerations?.some(({ key: of }) => of === slow.key),
      );
      expect(found).toEqual([true, true]);
    });
    await done(['bj', 'hz']);
    const tolerating = await podUids('bj');
    await apply(client, nodePools, pool('bj', tier));
    // When the pool after it is there, the taint that went has been seen.
    await apply(client, nodePools, pool('sh', tier));
    await done(['bj', 'hz', 'sh']);
    expect(await tolerationsIn('bj')).toEqual(both);
    expect(await podUids('bj')).toEqual(tolerating);
    expect(await podUids('hz')).toEqual(before);
  });

  it('follows pools: sh has come, hz goes, and neither makes a revision', async () => {
    const before = await podUids('bj');
    await apply(client, nodePools, pool('hz', {}, { taints: [edge] }));
    await done(['bj', 'sh']);
    expect(Object.keys(await children()).toSorted()).toEqual(['bj', 'sh']);
    expect(await podUids('bj')).toEqual(before);
    expect((await client.list(controllerRevisions, { namespace: 'ns' })).items).toHaveLength(1);
  });

  it('rolls a new image, keeps history, and goes back to the first revision', async () => {
    const first = (await client.get(yurtAppDaemons, key)).status?.currentRevision;
    await apply(client, yurtAppDaemons, web('web:2'));
    await eventually(async () => {
      expect(Object.values(await children()).map(imageOf)).toEqual(['web:2', 'web:2']);
    });
    expect(await tolerationsIn('bj')).toEqual([own]);
    await done(['bj', 'sh']);
    expect((await client.get(yurtAppDaemons, key)).status?.currentRevision).not.toBe(first);
    await apply(client, yurtAppDaemons, web('web:1'));
    await eventually(async () => {
      expect((await client.get(yurtAppDaemons, key)).status?.currentRevision).toBe(first);
    });
    const { items } = await client.list(controllerRevisions, { namespace: 'ns' });
    expect(new Set(items.map(({ revision }) => revision))).toEqual(new Set([2, 3]));
  });

  it('is scaled without a restart', async () => {
    const before = await podUids('bj');
    const path = '/spec/workloadTemplate/deploymentTemplate/spec/replicas';
    await client.patch(yurtAppDaemons, key, { type: 'json', body: [{ op: 'replace', path, value: 3 }] });
    await eventually(async () => expect(await podUids('bj')).toHaveLength(3));
    expect(await podUids('bj')).toEqual(expect.arrayContaining([...before]));
  });

  it('takes its children and revisions along when it is deleted', async () => {
    await client.delete(yurtAppDaemons, key);
    await eventually(async () => {
      expect(await children()).toEqual({});
      expect((await client.list(controllerRevisions, { namespace: 'ns' })).items).toEqual([]);
    });
  });
});

describe('the history', () => {
  it('is as long as the limit, and never loses what some pool still runs', async () => {
    const pools = { remembered: 'yes' };
    await apply(client, nodePools, pool('remembered', pools));
    const shape = daemon({ name: 'remembered', pools, replicas: 0 });
    await apply(client, yurtAppDaemons, { ...shape, spec: { ...shape.spec, revisionHistoryLimit: 2 } });
    const images = ['nginx:1.27', 'nginx:1.28', 'nginx:1.29', 'nginx:1.30'];
    for (const image of images) {
      await setImage(client, yurtAppDaemons, 'remembered', image);
      await eventually(async () => {
        const { status } = await client.get(yurtAppDaemons, { namespace: 'default', name: 'remembered' });
        const { items } = await client.list(controllerRevisions, {
          namespace: 'default',
          labelSelector: `${labels.workload}=remembered`,
        });
        const kept = items.map(({ metadata }) => metadata.name);
        const ofChildren = [...(await childrenOf(client, 'remembered')).values()].map(imageOf);
        // What runs, and one more to go back to.
        expect([ofChildren, kept.length]).toEqual([[image], image === images[0] ? 1 : 2]);
        expect(kept).toContain(status?.currentRevision);
        expect(status?.currentRevision).toBe(status?.updateRevision);
      });
    }
  });
});

describe('pools', () => {
  it('that flap in and out of the selector end with one child each, as the last change asks', async () => {
    const yes = { flapping: 'yes' };
    for (const name of ['flap-1', 'flap-2']) await apply(client, nodePools, pool(name, yes));
    await apply(client, yurtAppDaemons, daemon({ name: 'flapping', pools: yes, replicas: 0 }));
    for (let round = 0; round < 15; round += 1) {
      await apply(client, nodePools, pool('flap-1', { flapping: round % 2 === 0 ? 'no' : 'yes' }));
      await apply(client, nodePools, pool('flap-2', { flapping: round % 2 === 0 ? 'yes' : 'no' }));
    }
    await eventually(async () => {
      const { status } = await client.get(yurtAppDaemons, { namespace: 'default', name: 'flapping' });
      expect(status?.nodepools).toEqual(['flap-2']);
      const { items } = await client.list(deployments, {
        namespace: 'default',
        labelSelector: `${labels.workload}=flapping`,
      });
      expect(items.map(({ metadata }) => metadata.labels?.[labels.poolName])).toEqual(['flap-2']);
    });
  });

  it('that are being deleted keep their child until they are gone, and get no other', async () => {
    const yes = { ending: 'yes' };
    const held = pool('ending-1', yes);
    await apply(client, nodePools, {
      ...held,
      metadata: { ...held.metadata, finalizers: ['example.com/hold'] },
    });
    await apply(client, nodePools, pool('ending-2', yes));
    await apply(client, yurtAppDaemons, daemon({ name: 'ending', pools: yes, replicas: 0 }));
    await eventually(async () => expect((await childrenOf(client, 'ending')).size).toBe(2));
    await client.delete(nodePools, { name: 'ending-1' });
    await setImage(client, yurtAppDaemons, 'ending', 'nginx:1.28');
    await eventually(async () => {
      expect([...(await childrenOf(client, 'ending')).values()].map(imageOf)).toEqual([
        'nginx:1.28',
        'nginx:1.28',
      ]);
    });
    await apply(client, yurtAppDaemons, daemon({ name: 'ending-too', pools: yes, replicas: 0 }));
    await eventually(async () => {
      const { status } = await client.get(yurtAppDaemons, { namespace: 'default', name: 'ending-too' });
      expect(status?.nodepools).toEqual(['ending-2']);
      expect([...(await childrenOf(client, 'ending-too')).keys()]).toEqual(['ending-2']);
    });
    const release = { metadata: { finalizers: null } };
    await client.patch(nodePools, { name: 'ending-1' }, { type: 'merge', body: release });
    await eventually(async () => {
      expect([...(await childrenOf(client, 'ending')).keys()]).toEqual(['ending-2']);
    });
  });
});

describe('names at their limits', () => {
  const pools = { limits: 'yes' };
  const longPool = `p${'o'.repeat(61)}l`;
  const names = [
    'a',
    `w${'e'.repeat(61)}b`,
    `${'n'.repeat(63)}.${'n'.repeat(63)}.${'n'.repeat(63)}.${'n'.repeat(61)}`,
  ];

  it.each(names.map((name) => [name.length, name] as const))(
    'a workload with a name of %i characters runs in a pool of 63, and warns',
    async (_length, name) => {
      await apply(client, nodePools, pool(longPool, pools));
      await apply(client, nodePools, pool('x.y', pools));
      const shape = daemon({ name, pools, replicas: 0 });
      const app = { app: 'limits' };
      const template = shape.spec.workloadTemplate.deploymentTemplate;
      const spec = {
        ...template?.spec,
        selector: { matchLabels: app },
        template: { metadata: { labels: app }, spec: { containers: [{ name: 'web', image: 'nginx:1.27' }] } },
      };
      await apply(client, yurtAppDaemons, {
        ...shape,
        spec: {
          ...shape.spec,
          selector: { matchLabels: app },
          workloadTemplate: { deploymentTemplate: { metadata: { labels: app }, spec } },
        },
      } as PoolWorkload);
      await eventually(async () => {
        const { status } = await client.get(yurtAppDaemons, { namespace: 'default', name });
        expect(status?.pools).toMatchObject([
          { name: longPool, replicas: 0 },
          { name: 'x.y', replicas: 0 },
        ]);
        expect(await conditionsOf(client, yurtAppDaemons, name, 'default')).toMatchObject({
          Ready: { status: 'True' },
        });
      });
      await eventually(async () => {
        expect((await eventsAbout(client, name)).map(({ reason }) => reason)).toContain(
          'Successful CreateWorkload',
        );
      });
    },
  );
});

describe('a StatefulSet with names at their limits', () => {
  it('runs its pods, whose labels and host names must fit as well', async () => {
    const pools = { 'limits-stateful': 'yes' };
    const place = `s${'o'.repeat(61)}l`;
    await apply(client, nodePools, pool(place, pools));
    const name = `${'n'.repeat(63)}.${'n'.repeat(63)}.${'n'.repeat(63)}.${'s'.repeat(61)}`;
    const app = { app: 'limits-stateful' };
    const template = {
      serviceName: 'web',
      replicas: 1,
      selector: { matchLabels: app },
      template: { metadata: { labels: app }, spec: { containers: [{ name: 'web', image: 'nginx:1.27' }] } },
    };
    await apply(client, yurtAppDaemons, {
      metadata: { namespace: 'default', name },
      spec: {
        selector: { matchLabels: app },
        nodepoolSelector: { matchLabels: pools },
        workloadTemplate: { statefulSetTemplate: { metadata: { labels: app }, spec: template } },
      },
    } as unknown as PoolWorkload);
    await eventually(async () => {
      const { status } = await client.get(yurtAppDaemons, { namespace: 'default', name });
      // Nothing can be scheduled in a pool without nodes, but the pod was made and taken.
      expect(status?.pools).toMatchObject([{ name: place, replicas: 1, updatedReplicas: 1 }]);
    });
    const { items } = await client.list(pods, {
      namespace: 'default',
      labelSelector: 'app=limits-stateful',
    });
    expect(items.map(({ metadata }) => metadata.labels?.[labels.poolName])).toEqual([place]);
  });
});

describe('what the API server fills into a child', () => {
  const pools = { filled: 'yes' };
  const write = async (deployment: object): Promise<void> => {
    await apply(client, yurtAppDaemons, daemon({ name: 'filled', pools, replicas: 0, deployment }));
  };
  const child = async (): Promise<Stored<Deployment> | undefined> =>
    (await childrenOf(client, 'filled')).get('filled');
  const template = (spec: object) => ({
    metadata: { labels: { app: 'filled' } },
    spec: { containers: [{ name: 'web', image: 'nginx:1.27' }], ...spec },
  });

  it('goes where the template changes to what it has no place in: the strategy Recreate, and back', async () => {
    await apply(client, nodePools, pool('filled', pools));
    await write({});
    const rolling = { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } };
    await eventually(async () => expect((await child())?.spec?.strategy).toEqual(rolling));
    await write({ strategy: { type: 'Recreate' } });
    await eventually(async () => expect((await child())?.spec?.strategy).toEqual({ type: 'Recreate' }));
    await write({});
    await eventually(async () => expect((await child())?.spec?.strategy).toEqual(rolling));
  });

  it('goes with the ServiceAccount of a template that names none any more', async () => {
    const accounts = async (): Promise<readonly unknown[]> => {
      const { serviceAccountName, serviceAccount } = ((await child())?.spec?.template.spec ?? {}) as {
        readonly serviceAccountName?: string;
        readonly serviceAccount?: string;
      };
      return [serviceAccountName, serviceAccount];
    };
    await write({ template: template({ serviceAccountName: 'web' }) });
    await eventually(async () => expect(await accounts()).toEqual(['web', 'web']));
    await write({ template: template({}) });
    await eventually(async () => expect(await accounts()).toEqual([undefined, undefined]));
  });

  it('goes where a StatefulSet is to be updated OnDelete', async () => {
    const app = { app: 'filled-stateful' };
    const stateful = async (more: object): Promise<void> => {
      const shape = daemon({ name: 'filled-stateful', pools, replicas: 0 });
      const { deploymentTemplate } = shape.spec.workloadTemplate;
      const spec = { ...deploymentTemplate?.spec, serviceName: 'web', ...more };
      const workloadTemplate = { statefulSetTemplate: { metadata: { labels: app }, spec } };
      await apply(client, yurtAppDaemons, {
        ...shape,
        spec: { ...shape.spec, workloadTemplate },
      } as PoolWorkload);
    };
    const strategies = async (): Promise<readonly unknown[]> => {
      const labelSelector = 'app=filled-stateful';
      const { items } = await client.list(statefulSets, { namespace: 'default', labelSelector });
      return items.map(({ spec }) => spec?.updateStrategy);
    };
    await stateful({});
    await eventually(async () => expect(await strategies()).toMatchObject([{ type: 'RollingUpdate' }]));
    await stateful({ updateStrategy: { type: 'OnDelete' } });
    await eventually(async () => expect(await strategies()).toEqual([{ type: 'OnDelete' }]));
  });
});

describe('others who write to a child', () => {
  it('an autoscaler keeps its replicas, where the template gives none, through a rollout', async () => {
    const pools = { autoscaled: 'yes' };
    await apply(client, nodePools, pool('hz', pools));
    await apply(client, yurtAppDaemons, daemon({ name: 'autoscaled', pools }));
    const child = async (): Promise<Stored<Deployment> | undefined> =>
      (await childrenOf(client, 'autoscaled')).get('hz');
    await eventually(async () => expect((await child())?.spec?.replicas).toBe(1));
    const name = (await child())?.metadata.name ?? '';
    // Without metrics an autoscaler still raises to its minimum.
    await client.create(horizontalPodAutoscalers, {
      metadata: { namespace: 'default', name: 'autoscaled' },
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name },
        minReplicas: 3,
        maxReplicas: 5,
      },
    });
    await eventually(async () => expect((await child())?.spec?.replicas).toBe(3));
    await setImage(client, yurtAppDaemons, 'autoscaled', 'nginx:1.28');
    await eventually(async () => {
      const { metadata, status } = await client.get(yurtAppDaemons, {
        namespace: 'default',
        name: 'autoscaled',
      });
      expect(status?.observedGeneration).toBe(metadata.generation);
      expect(status?.pools).toMatchObject([{ updatedReplicas: 3, availableReplicas: 3 }]);
      expect(status?.currentRevision).toBe(status?.updateRevision);
    });
    expect([imageOf(await child()), (await child())?.spec?.replicas]).toEqual(['nginx:1.28', 3]);
  });

  it('keep their annotations, labels and pod annotations through every write of ours', async () => {
    const pools = { annotated: 'yes' };
    await apply(client, nodePools, pool('annotated', pools));
    await apply(client, yurtAppDaemons, daemon({ name: 'annotated', pools, replicas: 0 }));
    const child = async (): Promise<Stored<Deployment> | undefined> =>
      (await childrenOf(client, 'annotated')).get('annotated');
    await eventually(async () => expect(await child()).toBeDefined());
    const mine = { 'example.com/mine': 'yes' };
    const body = {
      metadata: { annotations: mine, labels: mine },
      spec: { template: { metadata: { annotations: mine } } },
    };
    const found = await child();
    await client.patch(
      deployments,
      { namespace: 'default', name: found?.metadata.name ?? '' },
      { type: 'merge', body },
      { fieldManager: 'manager' },
    );
    await setImage(client, yurtAppDaemons, 'annotated', 'nginx:1.28');
    await eventually(async () => expect(imageOf(await child())).toBe('nginx:1.28'));
    const { metadata, spec } = (await child()) ?? {};
    expect(metadata?.annotations).toMatchObject(mine);
    expect(metadata?.labels).toMatchObject(mine);
    expect(spec?.template.metadata?.annotations).toMatchObject(mine);
  });
});
