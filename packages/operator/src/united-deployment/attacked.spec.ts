// What people and other writers do to UnitedDeployments and their children, and what costs pods or makes too many.
import { labels, type UnitedDeployment } from '@atoll/api';
import { deployments, keyOf, pods, type KubeObject, type Resource } from '@atoll/kube';
import { describe, expect, test } from 'vitest';
import type { FreshWorld } from '../../simulation/examples/fresh-world.ts';
import {
  childOf,
  childrenOf,
  editSpec,
  podTemplate,
  putPod,
  removePods,
  rollOut,
  setImage,
  spread,
  unschedulable,
  web,
  zone,
} from '../../simulation/examples/spread-example.ts';
import type { ChildWorkload } from '../children/child.ts';
import { kindFacts, type ChildKind } from './subsets/child-kind.ts';

type Spec = UnitedDeployment['spec'];

const windows = { rescheduleCriticalSeconds: 10, unschedulableDuration: 10 };
const adaptive = { type: 'Adaptive', adaptive: windows } as const;
const reserving = {
  type: 'Adaptive',
  adaptive: { ...windows, rescheduleCriticalSeconds: 30, reserveUnschedulablePods: true },
} as const;
const deploymentsOfAll = deployments as Resource<KubeObject>;
const podsOfAll = pods as Resource<KubeObject>;

function editChild(
  world: FreshWorld,
  kind: ChildKind,
  subset: string,
  change: (child: ChildWorkload) => object,
): void {
  const { name, namespace = '' } = childOf(world, subset, kind).metadata;
  const resource = kindFacts[kind].resource as Resource<ChildWorkload>;
  world.edit(resource, { namespace, name }, (found) => ({ ...found, ...change(found) }));
}

/** Its controller has seen the child, and has pods with these ordinals, of which these are ready. */
function hasPods(
  world: FreshWorld,
  kind: ChildKind,
  subset: string,
  ordinals: readonly number[],
  ready: readonly number[],
): void {
  const child = childOf(world, subset, kind);
  removePods(world, kind, child.metadata.name);
  const since = new Date(world.now).toISOString();
  for (const ordinal of ordinals)
    putPod(world, kind, child, ordinal, ready.includes(ordinal) ? {} : unschedulable(since));
  editChild(world, kind, subset, ({ metadata }) => ({
    status: {
      replicas: ordinals.length,
      readyReplicas: ready.length,
      updatedReplicas: ordinals.length,
      availableReplicas: ready.length,
      observedGeneration: metadata.generation ?? 0,
    },
  }));
}

function ofKind(member: string, spec: object): Spec['template'] {
  const metadata = { labels: { app: 'web' } };
  return { [member]: { metadata, spec: { template: podTemplate, ...spec } } };
}

describe('a subset without room takes nothing from one with ready pods', () => {
  const subsets = [zone('a', { maxReplicas: 5 }), zone('b')];

  test.each<readonly [string, ChildKind, Spec['template'], number]>([
    ['whose ordinals begin at 0', 'StatefulSet', ofKind('statefulSetTemplate', { serviceName: 'x' }), 0],
    [
      'whose ordinals begin at 100',
      'StatefulSet',
      ofKind('statefulSetTemplate', { serviceName: 'x', ordinals: { start: 100 } }),
      100,
    ],
    [
      'that leaves ordinals out',
      'AdvancedStatefulSet',
      ofKind('advancedStatefulSetTemplate', { serviceName: 'x', reserveOrdinals: [0, '1-2'] }),
      3,
    ],
  ])('of a StatefulSet %s', (_, kind, template, start) => {
    const topology = { subsets, scheduleStrategy: adaptive };
    const { world, controller } = spread(web(subsets, kind, { replicas: 8, template, topology }));
    world.untilSteady(controller, 'ns/web');
    rollOut(world, 'b');
    expect(childrenOf(world)).toEqual({ a: `${kind} 5`, b: `${kind} 3` });
    const ordinals = [0, 1, 2, 3, 4].map((each) => start + each);
    hasPods(world, kind, 'a', ordinals, ordinals.slice(0, 2));
    world.now += 11_000;
    world.untilSteady(controller, 'ns/web');
    expect(childrenOf(world)).toEqual({ a: `${kind} 2`, b: `${kind} 6` });
  });
});

describe('a subset without room keeps the pods that a node has taken', () => {
  const topology = { subsets: [zone('a', { maxReplicas: 4 }), zone('b')], scheduleStrategy: adaptive };
  const starting = { ready: false, phase: 'Pending', node: 'n1' };

  test.each<readonly [string, ChildKind, readonly number[], readonly number[], string, string]>([
    ['that are starting', 'Deployment', [], [0, 1, 2], 'Deployment 3', 'Deployment 3'],
    ['that are starting', 'CloneSet', [], [0, 1, 2], 'CloneSet 3', 'CloneSet 3'],
    ['up to the last that is starting', 'StatefulSet', [], [2], 'StatefulSet 3', 'StatefulSet 3'],
    ['beside one too many in a rollout', 'Deployment', [0, 1, 2], [4], 'Deployment 4', 'Deployment 2'],
  ])('%s: %s', (_, kind, ready, begun, a, b) => {
    const { world, controller } = spread(web([], kind, { replicas: 6, topology }));
    world.untilSteady(controller, 'ns/web');
    rollOut(world, 'b');
    world.untilSteady(controller, 'ns/web');
    hasPods(world, kind, 'a', [0, 1, 2, 3], ready);
    const child = childOf(world, 'a', kind);
    const all = world.list(podsOfAll).filter(({ metadata }) => metadata.name.startsWith(child.metadata.name));
    for (const ordinal of begun) {
      const there = all.find(({ metadata }) => metadata.name.endsWith(`-${ordinal}`));
      if (there !== undefined) world.remove(podsOfAll, keyOf(there));
      putPod(world, kind, child, ordinal, starting);
    }
    world.now += 11_000;
    world.untilSteady(controller, 'ns/web');
    expect(childrenOf(world)).toEqual({ a, b });
  });
});

describe('what was moved stays where it is ready', () => {
  const subsets = [zone('a'), zone('b')];
  const topology = {
    subsets,
    scheduleStrategy: { ...adaptive, adaptive: { ...windows, unschedulableDuration: 100 } },
  };

  /** The first subset has had no room, and all four replicas are ready in the second. */
  function moved(kind: ChildKind) {
    const { world, controller } = spread(web(subsets, kind, { replicas: 4, topology }));
    const untilSteady = () => world.untilSteady(controller, 'ns/web');
    untilSteady();
    hasPods(world, kind, 'a', [0, 1, 2, 3], []);
    world.now += 11_000;
    untilSteady();
    hasPods(world, kind, 'a', [], []);
    rollOut(world, 'b');
    untilSteady();
    expect(childrenOf(world)).toEqual({ a: `${kind} 0`, b: `${kind} 4` });
    return { world, untilSteady };
  }

  test('while another Deployment has more pods than it is asked for, because it rolls', () => {
    const { world, untilSteady } = moved('Deployment');
    world.now += 101_000;
    untilSteady();
    editSpec(world, () => ({ replicas: 8 }));
    untilSteady();
    rollOut(world);
    setImage(world, 'web:2');
    untilSteady();
    hasPods(world, 'Deployment', 'a', [0, 1, 2, 3, 4], [0, 1, 2, 3, 4]);
    untilSteady();
    expect(childrenOf(world)).toEqual({ a: 'Deployment 4', b: 'Deployment 4' });
  });

  test('of a StatefulSet also while a pod before it is not ready', () => {
    const { world, untilSteady } = moved('StatefulSet');
    world.now += 101_000;
    untilSteady();
    hasPods(world, 'StatefulSet', 'b', [0, 1, 2, 3], [1, 2, 3]);
    untilSteady();
    expect(childrenOf(world)).toEqual({ a: 'StatefulSet 0', b: 'StatefulSet 4' });
  });

  test('also when the child of the subset without room is being deleted', () => {
    const { world, untilSteady } = moved('Deployment');
    const deletionTimestamp = new Date(world.now).toISOString();
    editChild(world, 'Deployment', 'a', ({ metadata }) => ({
      metadata: { ...metadata, deletionTimestamp, finalizers: ['foregroundDeletion'] },
    }));
    untilSteady();
    editSpec(world, () => ({ replicas: 6 }));
    untilSteady();
    world.remove(deploymentsOfAll, { namespace: 'ns', name: childOf(world, 'a').metadata.name });
    untilSteady();
    expect(childrenOf(world)).toEqual({ a: 'Deployment 0', b: 'Deployment 6' });
  });
});

test('a template that becomes a paused Deployment leaves the child that runs', () => {
  const { world, controller } = spread(web([zone('a')], 'StatefulSet', { replicas: 3 }));
  world.untilSteady(controller, 'ns/web');
  rollOut(world);
  world.untilSteady(controller, 'ns/web');
  editSpec(world, () => ({ template: ofKind('deploymentTemplate', { paused: true }) }));
  world.untilSteady(controller, 'ns/web');
  expect(childrenOf(world)).toEqual({ a: 'Deployment 3, StatefulSet 3' });
  editSpec(world, () => ({ template: ofKind('deploymentTemplate', {}) }));
  world.untilSteady(controller, 'ns/web');
  expect(childrenOf(world)).toEqual({ a: 'Deployment 3' });
});

describe('replicas do not move to a subset whose Deployment is paused before it has made a pod', () => {
  test.each([
    ['that is new', [zone('a'), zone('b')], [zone('a'), zone('b'), zone('c')]],
    [
      'that was empty',
      [zone('a', { replicas: 3 }), zone('b', { replicas: 3 }), zone('c', { replicas: 0 })],
      [zone('a', { replicas: 2 }), zone('b', { replicas: 2 }), zone('c', { replicas: 2 })],
    ],
  ])('%s', (_, before, subsets) => {
    const template = ofKind('deploymentTemplate', { paused: true });
    const { world, controller } = spread(web(before, 'Deployment', { replicas: 6 }));
    world.untilSteady(controller, 'ns/web');
    rollOut(world);
    editSpec(world, () => ({ template }));
    world.untilSteady(controller, 'ns/web');
    editSpec(world, () => ({ topology: { subsets } }));
    world.untilSteady(controller, 'ns/web');
    expect(childrenOf(world)).toEqual({ a: 'Deployment 3', b: 'Deployment 3', c: 'Deployment 0' });
    editSpec(world, () => ({ template: ofKind('deploymentTemplate', {}) }));
    world.untilSteady(controller, 'ns/web');
    expect(childrenOf(world)).toEqual({ a: 'Deployment 2', b: 'Deployment 2', c: 'Deployment 2' });
  });

  test('and to one that has made pods they do', () => {
    const [before, subsets] = [
      [zone('a', { replicas: 6 }), zone('b', { replicas: 0 })],
      [zone('a', { replicas: 3 }), zone('b', { replicas: 3 })],
    ];
    const { world, controller } = spread(web(before, 'Deployment', { replicas: 6 }));
    world.untilSteady(controller, 'ns/web');
    rollOut(world);
    editChild(world, 'Deployment', 'b', ({ metadata }) => ({
      metadata: {
        ...metadata,
        annotations: { ...metadata.annotations, 'deployment.kubernetes.io/revision': '1' },
      },
    }));
    editSpec(world, () => ({ template: ofKind('deploymentTemplate', { paused: true }) }));
    world.untilSteady(controller, 'ns/web');
    editSpec(world, () => ({ topology: { subsets } }));
    world.untilSteady(controller, 'ns/web');
    expect(childrenOf(world)).toEqual({ a: 'Deployment 3', b: 'Deployment 3' });
  });
});

describe('nothing grows in the place of a child that comes back', () => {
  const layouts: Readonly<Record<string, readonly [Partial<Spec>, Partial<Spec>]>> = {
    'spread evenly': [{ replicas: 5 }, {}],
    'spread adaptively': [
      {
        replicas: 5,
        topology: { subsets: [zone('a', { maxReplicas: 3 }), zone('b')], scheduleStrategy: adaptive },
      },
      { topology: { subsets: [zone('a'), zone('b')], scheduleStrategy: adaptive } },
    ],
    'spread by numbers that do not add up': [
      { replicas: 2, topology: { subsets: [zone('a', { replicas: 1 }), zone('b', { replicas: 1 })] } },
      { replicas: 6 },
    ],
  };
  type Change = (world: FreshWorld) => void;
  const loses: Change = (world) => {
    editChild(world, 'Deployment', 'b', ({ metadata }) => ({
      metadata: { ...metadata, ownerReferences: [] },
    }));
  };
  /** As where the cache of children is behind that of their owners. */
  const isNamesakes: Change = (world) => {
    const { metadata, ...child } = childOf(world, 'b');
    const { name, namespace = '', resourceVersion: _, ...kept } = metadata;
    const ownerReferences = metadata.ownerReferences?.map((each) => ({ ...each, uid: 'uid-of-before' }));
    world.remove(deploymentsOfAll, { namespace, name });
    world.put(deploymentsOfAll, {
      ...child,
      metadata: { ...kept, namespace, name: `${name}-of-before`, uid: 'uid-b', ownerReferences },
    } as KubeObject);
  };
  const rows = Object.keys(layouts).flatMap((how) => [
    [how, 'which has lost its owner', loses] as const,
    [how, 'which is seen as that of its namesake', isNamesakes] as const,
  ]);

  test.each(rows)('%s, %s', (how, _, change) => {
    const [first, then] = layouts[how] ?? [{}, {}];
    const { world, controller } = spread(web([zone('a'), zone('b')], 'Deployment', first));
    world.untilSteady(controller, 'ns/web');
    rollOut(world);
    editSpec(world, () => then);
    world.untilSteady(controller, 'ns/web');
    rollOut(world);
    world.untilSteady(controller, 'ns/web');
    const before = childrenOf(world);
    change(world);
    world.now += 1_000;
    world.reconcile(controller, 'ns/web');
    expect(childrenOf(world)).toEqual(before);
  });

  test.each([
    ['which has lost its owner', loses],
    ['which is seen as that of its namesake', isNamesakes],
  ])('with reservation and pods that others stand in for, %s', (_, change) => {
    const subsets = [zone('a', { maxReplicas: 2 }), zone('b', { maxReplicas: 2 }), zone('c')];
    // A namesake's child is waited for during 5 s only.
    const soon = { ...reserving.adaptive, rescheduleCriticalSeconds: 2 };
    const topology = { subsets, scheduleStrategy: { ...reserving, adaptive: soon } };
    const { world, controller } = spread(web(subsets, 'Deployment', { replicas: 4, topology }));
    world.untilSteady(controller, 'ns/web');
    rollOut(world, 'a');
    hasPods(world, 'Deployment', 'b', [0, 1], [0]);
    world.now += 2_000;
    world.untilSteady(controller, 'ns/web');
    rollOut(world, 'c');
    world.untilSteady(controller, 'ns/web');
    const before = { a: 'Deployment 2', b: 'Deployment 2', c: 'Deployment 1' };
    expect(childrenOf(world)).toEqual(before);
    change(world);
    world.now += 1_000;
    world.reconcile(controller, 'ns/web');
    expect(childrenOf(world)).toEqual(before);
  });
});

describe('pods that were held back long after the template changed have their time', () => {
  const subsets = [zone('a', { maxReplicas: 4 }), zone('b')];
  const topology = { subsets, scheduleStrategy: reserving };
  const stillOld = (world: FreshWorld, kind: ChildKind): void => {
    editChild(world, kind, 'a', ({ metadata }) => ({
      status: {
        replicas: 4,
        readyReplicas: 4,
        updatedReplicas: 0,
        availableReplicas: 4,
        observedGeneration: metadata.generation ?? 0,
      },
    }));
  };

  test('when a partition is released', () => {
    const held = (a: number) => ({ type: 'Manual', manualUpdate: { partitions: { a, b: 0 } } }) as const;
    const { world, controller } = spread(
      web(subsets, 'CloneSet', { replicas: 4, topology, updateStrategy: held(4) }),
    );
    world.untilSteady(controller, 'ns/web');
    rollOut(world);
    world.now += 60_000;
    world.untilSteady(controller, 'ns/web');
    setImage(world, 'web:2', 'CloneSet');
    world.untilSteady(controller, 'ns/web');
    stillOld(world, 'CloneSet');
    world.now += 3_600_000;
    world.untilSteady(controller, 'ns/web');
    editSpec(world, () => ({ updateStrategy: held(0) }));
    world.reconcile(controller, 'ns/web');
    // The model of the API server writes no times of fields.
    const time = new Date(world.now).toISOString();
    editChild(world, 'CloneSet', 'a', ({ metadata }) => ({
      metadata: { ...metadata, managedFields: [{ manager: 'atoll', operation: 'Apply', time }] },
    }));
    stillOld(world, 'CloneSet');
    world.untilSteady(controller, 'ns/web');
    expect(childrenOf(world)).toEqual({ a: 'CloneSet 4', b: 'CloneSet 0' });
    world.now += 31_000;
    world.untilSteady(controller, 'ns/web');
    expect(childrenOf(world)).toEqual({ a: 'CloneSet 4', b: 'CloneSet 4' });
  });
});

describe('with reservation, ready pods stay until those of a subset are ready that has no child yet', () => {
  const subsets = [zone('a', { maxReplicas: 2 }), zone('b')];
  const scheduleStrategy = { ...reserving, adaptive: { ...reserving.adaptive, ...windows } };

  /** Two pods of the first subset find no node, and two of the second stand in for them. */
  function standingIn(kind: ChildKind) {
    const topology = { subsets, scheduleStrategy };
    const { world, controller } = spread(web(subsets, kind, { replicas: 2, topology }));
    const untilSteady = () => world.untilSteady(controller, 'ns/web');
    untilSteady();
    hasPods(world, kind, 'a', [0, 1], []);
    world.now += 11_000;
    untilSteady();
    rollOut(world, 'b');
    untilSteady();
    expect(childrenOf(world)).toEqual({ a: `${kind} 2`, b: `${kind} 2` });
    return { world, controller, untilSteady };
  }

  test.each<ChildKind>(['Deployment', 'CloneSet'])('because somebody deleted the %s', (kind) => {
    const { world, controller, untilSteady } = standingIn(kind);
    const { name } = childOf(world, 'a', kind).metadata;
    removePods(world, kind, name);
    world.remove(kindFacts[kind].resource as Resource<KubeObject>, { namespace: 'ns', name });
    world.now += 1_000;
    const { plan } = world.reconcile(controller, 'ns/web');
    expect(plan.stages.flatMap(({ steps }) => steps.map(({ why }) => why.word))).toEqual(['ChildCreated']);
    untilSteady();
    expect(childrenOf(world)).toEqual({ a: `${kind} 2`, b: `${kind} 2` });
  });

  /** Reconciles that have written to pods and children, and not yet to the status. */
  const beforeStatus = [0, 1, 2].flatMap((reconcile) =>
    (['Deployment', 'CloneSet'] as const).map((kind) => ({ reconcile, kind })),
  );

  test.each(beforeStatus)(
    'because somebody deleted the $kind before reconcile $reconcile wrote that others stand in for its pods',
    ({ reconcile: last, kind }) => {
      const topology = { subsets, scheduleStrategy };
      const { world, controller } = spread(web(subsets, kind, { replicas: 2, topology }));
      world.untilSteady(controller, 'ns/web');
      hasPods(world, kind, 'a', [0, 1], []);
      world.untilSteady(controller, 'ns/web');
      const { name } = childOf(world, 'a', kind).metadata;
      const standIns: number[] = [];
      world.now += 11_000;
      for (let round = 0; round < 6; round += 1) {
        let observed = 0;
        const observe: typeof controller.observe = (key, refused) => {
          observed += 1;
          if (round === last && observed === 2) {
            removePods(world, kind, name);
            world.remove(kindFacts[kind].resource as Resource<KubeObject>, { namespace: 'ns', name });
          }
          return controller.observe(key, refused);
        };
        world.reconcile({ ...controller, observe }, 'ns/web');
        standIns.push(childOf(world, 'b', kind).spec?.replicas ?? 1);
      }
      // None is made and taken back.
      expect(standIns).toEqual(standIns.toSorted((a, b) => a - b));
    },
  );

  test('because the template became one of another kind', () => {
    const { world, controller } = standingIn('Deployment');
    editSpec(world, () => ({ template: ofKind('cloneSetTemplate', {}) }));
    world.reconcile(controller, 'ns/web');
    expect(childOf(world, 'b', 'CloneSet').spec?.replicas).toBe(2);
  });

  test('because it is new', () => {
    const topology = { subsets: [zone('a'), zone('b')], scheduleStrategy };
    const { world, controller } = spread(web(topology.subsets, 'Deployment', { replicas: 4, topology }));
    const untilSteady = () => world.untilSteady(controller, 'ns/web');
    untilSteady();
    rollOut(world);
    untilSteady();
    expect(childrenOf(world)).toEqual({ a: 'Deployment 4', b: 'Deployment 0' });
    editSpec(world, () => ({ topology: { subsets: [zone('new'), ...topology.subsets], scheduleStrategy } }));
    world.reconcile(controller, 'ns/web');
    expect(childrenOf(world)).toEqual({ a: 'Deployment 4', b: 'Deployment 0', new: 'Deployment 4' });
    untilSteady();
    rollOut(world);
    for (let round = 0; round < 3; round += 1) {
      world.now += 31_000;
      untilSteady();
    }
    expect(childrenOf(world)).toEqual({ a: 'Deployment 0', b: 'Deployment 0', new: 'Deployment 4' });
  });
});

test('a pod that a partition holds back, and that finds no node, has a substitute until it has long been ready', () => {
  const subsets = [zone('a', { maxReplicas: 2 }), zone('b')];
  const topology = { subsets, scheduleStrategy: reserving };
  const updateStrategy = { type: 'Manual', manualUpdate: { partitions: { a: 2 } } } as const;
  const { world, controller } = spread(web(subsets, 'CloneSet', { replicas: 2, topology, updateStrategy }));
  world.untilSteady(controller, 'ns/web');
  rollOut(world);
  world.untilSteady(controller, 'ns/web');
  const { [labels.subsetRevision]: old = '' } = childOf(world, 'a', 'CloneSet').metadata.labels ?? {};
  const labelled = { [labels.subsetRevision]: old };
  setImage(world, 'web:2', 'CloneSet');
  world.untilSteady(controller, 'ns/web');
  const counts = (ready: number): void => {
    editChild(world, 'CloneSet', 'a', ({ metadata }) => ({
      status: {
        replicas: 2,
        readyReplicas: ready,
        updatedReplicas: 0,
        availableReplicas: ready,
        observedGeneration: metadata.generation ?? 0,
      },
    }));
  };
  // The node of both is lost, and one of those that take their place finds none.
  const child = childOf(world, 'a', 'CloneSet');
  removePods(world, 'CloneSet', child.metadata.name);
  putPod(world, 'CloneSet', child, 0, { labels: labelled });
  putPod(world, 'CloneSet', child, 1, {
    ...unschedulable(new Date(world.now).toISOString()),
    labels: labelled,
  });
  counts(1);
  world.untilSteady(controller, 'ns/web');
  world.now += 31_000;
  world.untilSteady(controller, 'ns/web');
  expect(childrenOf(world)).toEqual({ a: 'CloneSet 2', b: 'CloneSet 1' });
  removePods(world, 'CloneSet', child.metadata.name);
  for (const index of [0, 1])
    putPod(world, 'CloneSet', child, index, { labels: { ...labelled, [labels.reservedPod]: 'true' } });
  counts(2);
  world.now += 31_000;
  world.untilSteady(controller, 'ns/web');
  expect(childrenOf(world)).toEqual({ a: 'CloneSet 2', b: 'CloneSet 0' });
});

test('ready pods of a Deployment that took them over from one before it have no stand-ins', () => {
  const subsets = [zone('a', { maxReplicas: 2 }), zone('b')];
  const scheduleStrategy = { ...reserving, adaptive: { ...reserving.adaptive, ...windows } };
  const topology = { subsets, scheduleStrategy };
  const { world, controller } = spread(web(subsets, 'Deployment', { replicas: 2, topology }));
  world.untilSteady(controller, 'ns/web');
  hasPods(world, 'Deployment', 'a', [0, 1], [0]);
  world.now += 11_000;
  world.untilSteady(controller, 'ns/web');
  expect(childrenOf(world)).toEqual({ a: 'Deployment 2', b: 'Deployment 1' });
  // With --cascade=orphan: the ReplicaSet and its pods stay, and the next Deployment of that name adopts them.
  const { name } = childOf(world, 'a').metadata;
  world.remove(deploymentsOfAll, { namespace: 'ns', name });
  world.now += 2_000;
  world.untilSteady(controller, 'ns/web');
  const ready = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '' }] };
  for (let round = 0; round < 10; round += 1) {
    const child = childOf(world, 'a');
    const asked = child.spec?.replicas ?? 1;
    for (
      let made = world.list(podsOfAll).filter(({ metadata }) => metadata.name.startsWith(name)).length;
      made < asked;
      made += 1
    )
      putPod(world, 'Deployment', child, made);
    const mine = world.list(podsOfAll).filter(({ metadata }) => metadata.name.startsWith(name));
    for (const { metadata } of mine.slice(asked))
      world.remove(podsOfAll, { namespace: 'ns', name: metadata.name });
    for (const { metadata } of mine.slice(0, asked)) {
      const lastTransitionTime = new Date(world.now - 60_000).toISOString();
      const status = { ...ready, conditions: [{ ...ready.conditions[0], lastTransitionTime }] };
      world.edit(podsOfAll, { namespace: 'ns', name: metadata.name }, (found) => ({ ...found, status }));
    }
    editChild(world, 'Deployment', 'a', ({ metadata }) => ({
      status: {
        replicas: asked,
        readyReplicas: asked,
        updatedReplicas: asked,
        availableReplicas: asked,
        observedGeneration: metadata.generation ?? 0,
      },
    }));
    rollOut(world, 'b');
    world.untilSteady(controller, 'ns/web');
    world.now += 30_000;
  }
  expect(childrenOf(world)).toEqual({ a: 'Deployment 2', b: 'Deployment 0' });
});

test('a subset called like what every object has gets its child', () => {
  const { world, controller } = spread(web([zone('constructor'), zone('b')], 'Deployment', { replicas: 4 }));
  world.untilSteady(controller, 'ns/web');
  const served = world.list(deployments).map(({ metadata }) => metadata.labels?.[labels.subsetName]);
  expect(new Set(served)).toEqual(new Set(['b', 'constructor']));
});

test('a child whose reference to its owner controls nothing any more is adopted with one reference', () => {
  const { world, controller } = spread(web([zone('a')], 'Deployment', { replicas: 2 }));
  world.untilSteady(controller, 'ns/web');
  editChild(world, 'Deployment', 'a', ({ metadata }) => ({
    metadata: {
      ...metadata,
      ownerReferences: metadata.ownerReferences?.map((each) => ({ ...each, controller: false })),
    },
  }));
  world.untilSteady(controller, 'ns/web');
  expect(childOf(world, 'a').metadata.ownerReferences).toMatchObject([{ controller: true }]);
});
