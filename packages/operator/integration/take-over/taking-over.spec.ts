// A cluster in the state that the old operators leave, and what becomes of it when Atoll starts.
import { annotations, labels, nodePools, yurtAppDaemons } from '@atoll/api';
import { controllerRevisions, deployments, type StreamingClient } from '@atoll/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { oldChild, oldRevision } from '../../src/pool-workload/take-over/old-operator.fixture.ts';
import { apply, imageOf, setImage } from '../set-up/objects.ts';
import { bj, childrenOf, hz, leave, namespace, owners, running, steady, workload } from './old-workloads.ts';
import { withoutElection, type OperatorControlPlane } from '../set-up/operator-control-plane.ts';
import { sharedOperatorControlPlane } from '../set-up/shared-operator-control-plane.ts';
import { conditionsOf, eventsAbout, eventually } from '../set-up/standing.ts';

let world: OperatorControlPlane;
let client: StreamingClient;

async function available(name: string, count: number): Promise<void> {
  await eventually(async () => {
    const counts = (await childrenOf(client, name)).map(({ status }) => status?.availableReplicas ?? 0);
    expect(counts.reduce((sum, each) => sum + each, 0)).toBe(count);
  });
}

async function isReady(name: string): Promise<void> {
  await eventually(async () => {
    expect(await conditionsOf(client, yurtAppDaemons, name, namespace)).toMatchObject({
      Ready: { status: 'True', reason: 'RolloutComplete' },
    });
  });
}

/** Events are sent after the status is written. */
async function hasOneEvent(name: string, reason: string): Promise<void> {
  await eventually(async () => {
    const recorded = (await eventsAbout(client, name)).filter((event) => event.reason === reason);
    expect(recorded).toHaveLength(1);
  });
}

async function changeTemplate(name: string, body: object): Promise<void> {
  const spec = { workloadTemplate: { deploymentTemplate: body } };
  await client.patch(yurtAppDaemons, { namespace, name }, { type: 'merge', body: { spec } });
}

const before = new Map<string, unknown>();
const names = ['v13', 'empty', 'raw', 'both', 'scaled', 'overridden', 'put-back'];

beforeAll(async () => {
  world = await sharedOperatorControlPlane({ fleet: { pools: ['hz', 'bj'], nodesPerPool: 2 } });
  ({ client } = world);
  await world.controlPlane.labelNodes(['hz-node-1', 'hz-node-2', 'bj-node-1', 'bj-node-2'], { disk: 'ssd' });
  for (const pool of [hz, bj]) await apply(client, nodePools, pool);
  await leave(client, 'v13', {}, 'yurt-manager');
  await leave(client, 'empty', { revision: '' }, 'yurt-manager');
  await leave(client, 'raw', { raw: true }, 'yurt-manager');
  await leave(client, 'scaled', {}, 'yurt-manager', { replicas: undefined });
  await leave(client, 'both', {}, 'yurt-app-manager');
  // The second operator changes the template of what the first one made, and of the workload.
  const value = { name: 'SECOND', value: 'yes' };
  const env = '/spec/template/spec/containers/0/env/-';
  for (const { metadata } of await childrenOf(client, 'both')) {
    const patch = { type: 'json', body: [{ op: 'add', path: env, value }] } as const;
    await client.patch(deployments, metadata, patch, { fieldManager: 'yurt-manager' });
  }
  const path = `/spec/workloadTemplate/deploymentTemplate${env}`;
  const both = await client.patch(
    yurtAppDaemons,
    { namespace, name: 'both' },
    { type: 'json', body: [{ op: 'add', path, value }] },
  );
  await client.create(controllerRevisions, oldRevision(both, 'both-6e5a9d', 2), {
    fieldManager: 'yurt-manager',
  });
  const scale = { type: 'merge', body: { spec: { replicas: 3 } } } as const;
  for (const { metadata } of await childrenOf(client, 'scaled')) {
    await client.patch(deployments, metadata, scale, { subresource: 'scale', fieldManager: 'kubectl' });
  }
  await leaveDuplicates();
  await leaveOverridden();
  await leavePutBack();
  for (const name of names) {
    await steady(client, name);
    before.set(name, await running(client, name));
  }
  await world.start({ args: withoutElection });
});

afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
});

/** As v1.6 leaves a workload with a YurtAppOverrider that gives hz an image and a variable of its own. */
async function leaveOverridden(): Promise<void> {
  await leave(client, 'overridden', {}, 'yurt-manager');
  const [container, poked] = ['/spec/template/spec/containers/0', annotations.lastOverrideTime];
  const body = [
    { op: 'add', path: `/metadata/annotations/${poked}`, value: '2024-05-01 10:00:00 +0000 UTC' },
    { op: 'replace', path: `${container}/image`, value: 'nginx:of-hz' },
    { op: 'add', path: `${container}/env/-`, value: { name: 'POOL', value: 'hz' } },
  ] as const;
  const [key, status] = [{ namespace, name: 'overridden' }, { overriderRef: 'by-pool' }];
  const manager = { fieldManager: 'yurt-manager' };
  await client.patch(
    deployments,
    { namespace, name: 'overridden-hz-x7k2p' },
    { type: 'json', body },
    manager,
  );
  await client.patch(
    yurtAppDaemons,
    key,
    { type: 'merge', body: { status } },
    { ...manager, subresource: 'status' },
  );
}

/**
 * As v1.4 to v1.6 leave a workload that went to another image and more replicas and was put back: the children bear the
 * label of the first revision, as the render webhook wrote it, so that nobody looked at them again.
 */
async function leavePutBack(): Promise<void> {
  const name = 'put-back';
  const manager = { fieldManager: 'yurt-manager' };
  await leave(client, name, {}, 'yurt-manager');
  const image = '/spec/template/spec/containers/0/image';
  const body = [
    { op: 'replace', path: image, value: 'nginx:of-two' },
    { op: 'replace', path: '/spec/replicas', value: 3 },
  ] as const;
  for (const { metadata } of await childrenOf(client, name)) {
    await client.patch(deployments, metadata, { type: 'json', body }, manager);
  }
  const first = { namespace, name: `${name}-5d4f8c` };
  await client.patch(controllerRevisions, first, { type: 'merge', body: { revision: 3 } }, manager);
  const owner = await client.get(yurtAppDaemons, { namespace, name });
  const second = workload(name, { replicas: 3 }).spec.workloadTemplate;
  await client.create(controllerRevisions, oldRevision(owner, `${name}-6e5a9d`, 2, second), manager);
}

/** In hz the older of the duplicate children never runs; in bj there is one child. */
async function leaveDuplicates(): Promise<void> {
  await leave(client, 'duplicates', {}, 'yurt-manager');
  const owner = await client.get(yurtAppDaemons, { namespace, name: 'duplicates' });
  const old = await client.get(deployments, { namespace, name: 'duplicates-hz-x7k2p' });
  await client.delete(deployments, old.metadata, { uid: old.metadata.uid });
  const broken = { containers: [{ name: 'web', image: 'nginx:bad-pull' }] };
  const template = { metadata: { labels: { app: 'duplicates' } }, spec: broken };
  const revision = 'duplicates-5d4f8c';
  const spec = { template };
  await client.create(deployments, oldChild({ owner, pool: hz, suffix: 'aaaaa', revision, spec }), {
    fieldManager: 'yurt-manager',
  });
  await client.create(deployments, oldChild({ owner, pool: hz, suffix: 'zzzzz', revision }), {
    fieldManager: 'yurt-manager',
  });
  await available('duplicates', 4);
}

describe('when Atoll starts where an old operator was', () => {
  it.each(['v13', 'empty', 'both', 'scaled'])(
    '%s: no pod is touched, no name changes, all is Ready',
    async (name) => {
      await eventually(async () => {
        for (const child of await childrenOf(client, name)) expect(owners(child)).toEqual(['atoll Apply']);
      });
      await eventually(async () => {
        expect(await conditionsOf(client, yurtAppDaemons, name, namespace)).toMatchObject({
          Ready: {
            status: 'True',
            message: expect.stringContaining('pods stay as the old operator rendered'),
          },
        });
      });
      expect(await running(client, name)).toEqual(before.get(name));
    },
  );

  it('raw: pods that run outside of their pool are left where they are', async () => {
    await eventually(async () => {
      for (const child of await childrenOf(client, 'raw')) expect(owners(child)).toEqual(['atoll Apply']);
    });
    expect(await running(client, 'raw')).toEqual(before.get('raw'));
  });

  it('the history goes on under the old names', async () => {
    const { items } = await client.list(controllerRevisions, { namespace });
    expect(items.map(({ metadata }) => metadata.name).toSorted()).toEqual([
      'both-5d4f8c',
      'both-6e5a9d',
      'duplicates-5d4f8c',
      'empty-5d4f8c',
      'overridden-5d4f8c',
      'put-back-5d4f8c',
      'put-back-6e5a9d',
      ...['raw', 'scaled', 'v13'].map((name) => `${name}-5d4f8c`),
    ]);
    const { status } = await client.get(yurtAppDaemons, { namespace, name: 'both' });
    expect([status?.currentRevision, status?.updateRevision]).toEqual(['both-6e5a9d', 'both-6e5a9d']);
  });

  it('what the old rendering lacks is reported once, and is no failure', async () => {
    await eventually(async () => {
      const recorded = (await eventsAbout(client, 'v13')).filter(
        ({ reason }) => reason === 'OldRenderingKept',
      );
      expect(recorded.map(({ note }) => note)).toEqual([expect.stringMatching(/^bj, hz: /)]);
    });
    expect(await conditionsOf(client, yurtAppDaemons, 'v13', namespace)).toMatchObject({
      Degraded: { status: 'False' },
      WorkLoadFailure: { status: 'False' },
      WorkLoadUpdated: { status: 'True' },
    });
  });

  it('a child that an overrider had changed waits for a person, and no pod is touched until then', async () => {
    const [key, kept] = [{ namespace, name: 'overridden' }, 'overridden-hz-x7k2p'];
    await eventually(async () => {
      expect(await conditionsOf(client, yurtAppDaemons, 'overridden', namespace)).toMatchObject({
        Ready: {
          status: 'False',
          reason: 'OverrideKept',
          message: expect.stringMatching(/^hz: .*discard-overrides/),
        },
        WorkLoadFailure: { status: 'True' },
      });
      const [ofBj] = await childrenOf(client, 'overridden');
      expect(ofBj === undefined ? [] : owners(ofBj)).toEqual(['atoll Apply']);
    });
    expect(await running(client, 'overridden')).toEqual(before.get('overridden'));
    await hasOneEvent('overridden', 'OverrideKept');
    const metadata = { annotations: { [annotations.discardOverrides]: 'true' } };
    await client.patch(yurtAppDaemons, key, { type: 'merge', body: { metadata } });
    await isReady('overridden');
    const ofHz = await client.get(deployments, { namespace, name: kept });
    expect(ofHz.spec?.template.spec?.containers).toMatchObject([
      { image: 'nginx:1.27', env: [{ name: 'LEVEL', value: 'info' }] },
    ]);
    expect(owners(ofHz)).toEqual(['atoll Apply']);
  });

  it('what was put back under the old operator stays until the template is edited or a person applies it', async () => {
    const [key, name] = [{ namespace, name: 'put-back' }, 'put-back'];
    await eventually(async () => {
      for (const child of await childrenOf(client, name)) expect(owners(child)).toEqual(['atoll Apply']);
      expect(await conditionsOf(client, yurtAppDaemons, name, namespace)).toMatchObject({
        Ready: {
          status: 'False',
          reason: 'OldTemplateKept',
          message: expect.stringMatching(
            /deploymentTemplate.spec.replicas is 2 \(child: 3\).*image is "nginx:1.27" \(child: "nginx:of-two"\).*apply-template: "true"/,
          ),
        },
      });
    });
    expect(await running(client, name)).toEqual(before.get(name));
    await hasOneEvent(name, 'OldTemplateKept');
    await setImage(client, yurtAppDaemons, name, 'nginx:1.28');
    await eventually(async () => {
      const children = await childrenOf(client, name);
      expect(children.map((child) => [imageOf(child), child.spec?.replicas])).toEqual([
        ['nginx:1.28', 3],
        ['nginx:1.28', 3],
      ]);
    });
    const metadata = { annotations: { [annotations.applyTemplate]: 'true' } };
    await client.patch(yurtAppDaemons, key, { type: 'merge', body: { metadata } });
    // An annotation is no new generation, so Ready may still describe the edit before.
    await eventually(async () => {
      expect((await childrenOf(client, name)).map(({ spec }) => spec?.replicas)).toEqual([2, 2]);
    });
    await isReady(name);
  });

  it('of duplicate children the one that serves stays', async () => {
    await eventually(async () => {
      const left = (await childrenOf(client, 'duplicates')).map(({ metadata }) => metadata.name);
      expect(left).toEqual(['duplicates-bj-x7k2p', 'duplicates-hz-zzzzz']);
    });
    await isReady('duplicates');
  });
});

describe('after the take-over', () => {
  it('a change of only the replicas restarts nothing', async () => {
    await changeTemplate('empty', { spec: { replicas: 3 } });
    await available('empty', 6);
    const now = (await running(client, 'empty')) as {
      readonly pods: readonly string[];
      readonly templates: unknown;
    };
    const then = before.get('empty') as typeof now;
    expect(now.templates).toEqual(then.templates);
    expect(now.pods).toEqual(expect.arrayContaining([...then.pods]));
  });

  it('replicas that somebody else scales stay as they are', async () => {
    await setImage(client, yurtAppDaemons, 'scaled', 'nginx:1.28');
    await eventually(async () => {
      const children = await childrenOf(client, 'scaled');
      expect(children.map((child) => [imageOf(child), child.spec?.replicas])).toEqual([
        ['nginx:1.28', 3],
        ['nginx:1.28', 3],
      ]);
    });
  });

  it.each([
    ['v13', 'v13-hz-x7k2p'],
    ['raw', 'raw-hz-x7k2p'],
  ])('the next change of the template of %s renders all of it', async (name, child) => {
    await setImage(client, yurtAppDaemons, name, 'nginx:1.28');
    await isReady(name);
    const { spec, metadata } = await client.get(deployments, { namespace, name: child });
    expect(spec?.template.spec).toMatchObject({
      nodeSelector: { disk: 'ssd', [labels.nodePool]: 'hz' },
      tolerations: [
        { key: 'k', operator: 'Exists' },
        { key: 'edge', operator: 'Equal', value: 'x', effect: 'NoSchedule' },
      ],
      affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: expect.anything() } },
      containers: [{ image: 'nginx:1.28' }],
    });
    expect(metadata.annotations).not.toHaveProperty([annotations.oldRendering]);
  });

  it('what the template loses goes, whichever of two old operators had written it', async () => {
    const path = '/spec/workloadTemplate/deploymentTemplate';
    await client.patch(
      yurtAppDaemons,
      { namespace, name: 'both' },
      {
        type: 'json',
        body: [
          { op: 'remove', path: `${path}/metadata/annotations/example.com~1note` },
          { op: 'remove', path: `${path}/spec/template/spec/containers/0/env` },
          { op: 'remove', path: `${path}/spec/template/spec/containers/0/ports` },
          { op: 'remove', path: `${path}/spec/template/spec/nodeSelector` },
        ],
      },
    );
    await eventually(async () => {
      for (const { metadata, spec } of await childrenOf(client, 'both')) {
        const [container] = spec?.template.spec?.containers ?? [];
        expect([container?.env, container?.ports]).toEqual([undefined, undefined]);
        expect(metadata.annotations).not.toHaveProperty(['example.com/note']);
        expect(Object.keys(spec?.template.spec?.nodeSelector ?? {})).toEqual([labels.nodePool]);
      }
    });
    await isReady('both');
  });
});

describe('replicas', () => {
  it('that the template gives up stay as they are, and are left to the one who scales', async () => {
    await changeTemplate('v13', { spec: { replicas: 4 } });
    await available('v13', 8);
    await changeTemplate('v13', { spec: { replicas: null } });
    await eventually(async () => {
      const { status, metadata } = await client.get(yurtAppDaemons, { namespace, name: 'v13' });
      expect(status?.observedGeneration).toBe(metadata.generation);
      for (const child of await childrenOf(client, 'v13')) {
        const ours = child.metadata.managedFields?.find(({ manager }) => manager === 'atoll');
        expect(ours?.fieldsV1?.['f:spec']).not.toHaveProperty('f:replicas');
        expect(child.spec?.replicas).toBe(4);
      }
    });
    const scale = { type: 'merge', body: { spec: { replicas: 1 } } } as const;
    await client.patch(deployments, { namespace, name: 'v13-hz-x7k2p' }, scale, { subresource: 'scale' });
    await setImage(client, yurtAppDaemons, 'v13', 'nginx:1.29');
    await isReady('v13');
    const scaled = (await childrenOf(client, 'v13')).map(
      ({ metadata, spec }) => `${metadata.name} ${spec?.replicas}`,
    );
    expect(scaled).toEqual(['v13-bj-x7k2p 4', 'v13-hz-x7k2p 1']);
  });

  it('that the template gives again are ours again', async () => {
    await changeTemplate('v13', { spec: { replicas: 2 } });
    await eventually(async () => {
      expect((await childrenOf(client, 'v13')).map(({ spec }) => spec?.replicas)).toEqual([2, 2]);
    });
  });
});
