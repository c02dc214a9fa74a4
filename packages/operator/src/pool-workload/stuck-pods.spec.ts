import { describe, expect, test } from 'vitest';
import { yurtAppDaemons, type PoolWorkload } from '@atoll/api';
import { keyOf, pods, statefulSets, type Pod, type StatefulSet } from '@atoll/kube';
import { refusalOf } from '@atoll/kube/testing';
import { podSpec, rollOut, web, webKey, workedExample } from '../../simulation/examples/worked-example.ts';

describe('a StatefulSet that waits for a broken pod of an older template', () => {
  test('is freed of it after a minute, reported once, and waits no longer', () => {
    const { world, untilSteady, look, names } = broken();
    expect(untilSteady()).toEqual([]);
    expect(look()).toBe(world.now + 60_000);
    world.now += 60_000;
    const [reconciled] = untilSteady();
    const steps = reconciled?.plan.stages.flatMap((stage) => stage.steps);
    expect(steps).toMatchObject([
      {
        do: 'delete',
        target: 'bj',
        uid: expect.any(String),
        resourceVersion: expect.any(String),
        why: { word: 'PodStuck' },
      },
      { do: 'delete', target: 'hz', why: { word: 'PodStuck' } },
    ]);
    expect(reconciled?.events.map(({ type, reason }) => [type, reason])).toEqual([
      ['Normal', 'PodStuck'],
      ['Normal', 'PodStuck'],
    ]);
    expect(names()).toEqual([]);
    expect(untilSteady()).toEqual([]);
  });

  test.each<readonly [string, object]>([
    ['with OnDelete', { updateStrategy: { type: 'OnDelete' } }],
    ['with parallel pods', { podManagementPolicy: 'Parallel' }],
  ])('%s is left alone', (_title, fields) => {
    const { world, untilSteady, names } = broken(fields);
    world.now += 60_000;
    untilSteady();
    expect(names()).toHaveLength(2);
  });

  test('is left alone until its controller has seen the last template, and while pods have not all been read', () => {
    const { world, untilSteady, names } = broken();
    world.now += 60_000;
    world.unsynced.add('poolPods');
    expect(untilSteady()).toEqual([]);
    world.unsynced.delete('poolPods');
    editImage(world, 'web:3');
    untilSteady();
    expect(names()).toHaveLength(2);
    for (const child of world.list(statefulSets)) show(world, child, 'rev-3');
    untilSteady();
    expect(names()).toEqual([]);
  });

  test('whose pod may not be deleted shows why', () => {
    const { world, reconcile } = broken();
    world.now += 60_000;
    world.refuse = (request) => (request.verb === 'delete' ? refusalOf(403, 'delete', 'no') : undefined);
    reconcile();
    const { conditions = [] } = world.get(yurtAppDaemons, webKey).status ?? {};
    expect(conditions.map(({ type, status }) => `${type} ${status}`)).toEqual(
      expect.arrayContaining(['WorkLoadUpdated False', 'WorkLoadFailure True', 'WorkLoadProvisioned True']),
    );
    expect(conditions.find(({ type }) => type === 'Ready')?.reason).toBe('PodRefused');
  });
});

describe('a StatefulSet whose pods do not become ready', () => {
  test('counts as late after ten minutes without a move, and as degraded a minute later', () => {
    const { world, untilSteady, look, shown } = unready();
    expect(shown()).toEqual(['Ready False', 'Degraded False', 'WorkLoadFailure False']);
    expect(look()).toBe(world.now + 600_000);
    world.now += 600_000;
    untilSteady();
    expect(shown()).toEqual(['Ready False', 'Degraded False', 'WorkLoadFailure True']);
    const { conditions = [] } = world.get(yurtAppDaemons, webKey).status ?? {};
    expect(conditions.find(({ type }) => type === 'Ready')).toMatchObject({
      reason: 'ProgressDeadlineExceeded',
      message: 'bj, hz: its pod is not available, and nothing has moved for 10 minutes',
    });
    expect(look()).toBe(world.now + 60_000);
    world.now += 60_000;
    untilSteady();
    expect(shown()).toEqual(['Ready False', 'Degraded True', 'WorkLoadFailure True']);
    expect(look()).toBeUndefined();
  });

  test('is not late while its pods have not all been read', () => {
    const { world, untilSteady, shown } = unready();
    world.unsynced.add('poolPods');
    world.now += 600_000;
    untilSteady();
    expect(shown()).toEqual(['Ready False', 'Degraded False', 'WorkLoadFailure False']);
  });

  test('is late also without pods, from the last write of its spec on', () => {
    const { world, untilSteady, shown } = unready();
    for (const { metadata } of world.list(pods)) world.remove(pods, keyOf({ metadata }));
    const time = new Date(world.now + 300_000).toISOString();
    for (const child of world.list(statefulSets)) {
      const written = { manager: 'kubectl', operation: 'Update', subresource: 'scale', time } as const;
      const counted = {
        manager: 'kcm',
        operation: 'Update',
        subresource: 'status',
        time: '2099-01-01T00:00:00Z',
      } as const;
      world.edit(statefulSets, keyOf(child), (found) => ({
        ...found,
        metadata: { ...found.metadata, managedFields: [written, counted] },
      }));
    }
    world.now += 600_000;
    untilSteady();
    expect(shown()).toContain('WorkLoadFailure False');
    world.now += 300_000;
    untilSteady();
    expect(shown()).toContain('WorkLoadFailure True');
  });
});

/** One pod in each pool, never ready. */
function unready() {
  const { world, controller } = workedExample(stateful('web:1', {}));
  const untilSteady = () => world.untilSteady(controller, 'ns/web');
  untilSteady();
  for (const child of world.list(statefulSets)) {
    show(world, child, 'rev-1');
    world.put(pods, podOf(child, 'rev-1', world.now));
  }
  untilSteady();
  const shown = (): readonly string[] => {
    const { conditions = [] } = world.get(yurtAppDaemons, webKey).status ?? {};
    const asked = ['Ready', 'Degraded', 'WorkLoadFailure'];
    return asked.map((type) => `${type} ${conditions.find((each) => each.type === type)?.status}`);
  };
  return { world, untilSteady, shown, look: () => world.reconcile(controller, 'ns/web').plan.requeueAt };
}

type World = ReturnType<typeof workedExample>['world'];

/** One pod in each pool, never ready, and then another image that the StatefulSet controller has seen. */
function broken(fields: object = {}) {
  const { world, controller } = workedExample(stateful('web:1', fields));
  const untilSteady = () => world.untilSteady(controller, 'ns/web');
  untilSteady();
  rollOut(world);
  untilSteady();
  for (const child of world.list(statefulSets)) world.put(pods, podOf(child, 'rev-1', world.now));
  editImage(world, 'web:2');
  untilSteady();
  for (const child of world.list(statefulSets)) show(world, child, 'rev-2');
  untilSteady();
  const names = () => world.list(pods).map(({ metadata }) => metadata.name);
  const reconcile = () => world.reconcile(controller, 'ns/web');
  return { world, untilSteady, reconcile, names, look: () => reconcile().plan.requeueAt };
}

function stateful(image: string, fields: object): PoolWorkload {
  const labels = { app: 'web' };
  const template = { metadata: { labels }, spec: { ...podSpec, containers: [{ name: 'web', image }] } };
  const spec = { replicas: 1, serviceName: 'web', template, ...fields };
  return {
    ...web,
    spec: { ...web.spec, workloadTemplate: { statefulSetTemplate: { metadata: { labels }, spec } } },
  } as PoolWorkload;
}

function editImage(world: World, image: string): void {
  world.edit(yurtAppDaemons, webKey, (found) => {
    const { template: _, ...fields } = found.spec.workloadTemplate.statefulSetTemplate?.spec ?? {};
    return { ...found, spec: stateful(image, fields).spec };
  });
}

/** Its controller has seen the template, and waits. */
function show(
  world: World,
  { metadata }: { readonly metadata: StatefulSet['metadata'] },
  revision: string,
): void {
  const { name, namespace = '', generation = 0 } = metadata;
  const status = {
    observedGeneration: generation,
    replicas: 1,
    updatedReplicas: 0,
    updateRevision: revision,
  };
  world.edit<StatefulSet>(statefulSets, { namespace, name }, (found) => ({ ...found, status }));
}

function podOf({ metadata }: ReturnType<World['list']>[number], revision: string, now: number): Pod {
  const { name, namespace = '', uid } = metadata;
  const lastTransitionTime = new Date(now).toISOString();
  return {
    metadata: {
      name: `${name}-0`,
      namespace,
      labels: { 'controller-revision-hash': revision },
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'StatefulSet', name, uid, controller: true }],
    },
    status: { conditions: [{ type: 'Ready', status: 'False', lastTransitionTime }] },
  } as Pod;
}
