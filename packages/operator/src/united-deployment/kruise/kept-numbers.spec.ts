import { annotations, labels, unitedDeployments, type Subset, type UnitedDeployment } from '@atoll/api';
import { deployments, keyOf, type KubeObject, type Resource } from '@atoll/kube';
import { refusalOf } from '@atoll/kube/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FreshWorld } from '../../../simulation/examples/fresh-world.ts';
import { putLeftByKruise } from '../../../simulation/examples/left-by-kruise.ts';
import {
  childOf,
  childrenOf,
  conditionsOf,
  editSpec,
  partlyScheduled,
  rollOut,
  setImage,
  statusOf,
  web,
  webKey,
  zone,
} from '../../../simulation/examples/spread-example.ts';
import type { ChildWorkload } from '../../children/child.ts';
import { kindFacts, type ChildKind } from '../subsets/child-kind.ts';
import { createUnitedDeploymentController } from '../controller.ts';
import { allocateByKruise, type KruiseNumbers } from './kruise-allocation.fixture.ts';

const resource = deployments as Resource<KubeObject> as Resource<ChildWorkload>;
const refused = refusalOf(403, 'apply', 'denied by policy');
const isKept = 'False SubsetReplicasKept';

type Numbers = Readonly<Record<string, number>>;

interface Left {
  readonly subsets: readonly Subset[];
  readonly replicas: number;
  readonly strategy?: 'Adaptive' | 'Fixed';
  readonly standing: Numbers;
  readonly kind?: ChildKind;
}

/** Ready pods of an earlier subset before the minimum of a later one, after the total shrank. */
const readyFirst: Left = {
  subsets: [zone('a', { minReplicas: 1, maxReplicas: 4 }), zone('b', { minReplicas: 2 })],
  replicas: 4,
  strategy: 'Adaptive',
  standing: { a: 4, b: 0 },
};
/** Before 1.9, a subset that found no room without its minimum. */
const withoutMinimum: Left = {
  subsets: [zone('a', { minReplicas: 2, maxReplicas: 3 }), zone('b')],
  replicas: 4,
  strategy: 'Adaptive',
  standing: { a: 0, b: 4 },
};
/** It cannot allocate these, and writes no status. */
const stopped: Readonly<Record<string, Left>> = {
  'fixed numbers that do not add up after a scale': {
    subsets: [zone('a', { replicas: 1 }), zone('b', { replicas: 5 })],
    replicas: 4,
    standing: { a: 1, b: 5 },
  },
  'a minimum above its maximum after a scale': {
    subsets: [zone('a', { minReplicas: 4, maxReplicas: '70%' }), zone('b')],
    replicas: 4,
    standing: { a: 4, b: 2 },
  },
  'the same with Adaptive': {
    subsets: [zone('a', { minReplicas: 4, maxReplicas: '70%' }), zone('b')],
    replicas: 4,
    strategy: 'Adaptive',
    standing: { a: 4, b: 2 },
  },
};

describe('at a take-over nothing moves', () => {
  test.each(
    Object.entries({
      'a minimum that Kruise gave after ready pods': readyFirst,
      'no minimum where there was no room': withoutMinimum,
      ...stopped,
    }),
  )('%s', (_, left) => {
    const { world, rest, numbers } = taken(left);
    expect(numbers()).toEqual(left.standing);
    expect(conditionsOf(world)['SubsetReplicasEffective']).toBe(isKept);
    rest();
    expect(numbers()).toEqual(left.standing);
  });

  test.each(Object.entries(stopped))('though Kruise wrote no status of %s', (_, left) => {
    const example = put(left);
    setStatus(example.world, { observedGeneration: 0 });
    example.rest();
    expect(example.numbers()).toEqual(left.standing);
  });

  test('and the condition names the numbers and what ends it', () => {
    const { world } = taken(readyFirst);
    const { message } = (statusOf(world).conditions ?? []).find(
      ({ type }) => type === 'SubsetReplicasEffective',
    ) ?? { message: '' };
    expect(message).toBe(
      'so that no pod goes, the subsets keep the replicas that OpenKruise left (a 4 instead of 2, b 0 instead of 2) until spec.replicas, a number of spec.topology.subsets or the strategy changes',
    );
    expect(conditionsOf(world)).toMatchObject({ Ready: 'True RolloutComplete' });
  });

  test('where the window of a subset without room is open, and after it', () => {
    const example = put(withoutMinimum);
    const { world, rest, numbers } = example;
    const conditions = [
      {
        type: 'Schedulable',
        status: 'False',
        reason: 'reschedule',
        lastTransitionTime: new Date(world.now - 60_000).toISOString().replace('.000Z', 'Z'),
      },
    ] as const;
    setStatus(world, { subsetStatuses: [{ name: 'a', replicas: 0, conditions }] });
    rest();
    expect(numbers()).toEqual(withoutMinimum.standing);
    world.now += 400_000;
    rest();
    expect(numbers()).toEqual(withoutMinimum.standing);
  });

  test('where Atoll reported before that Kruise serves the object', () => {
    const { world, rest, numbers } = put(readyFirst);
    const { conditions = [] } = statusOf(world);
    const at = '2026-10-01T10:00:00Z';
    const ours = ['Ready', 'Progressing', 'Degraded', 'Stalled'].map((type) => ({
      type,
      status: type === 'Ready' ? ('False' as const) : ('True' as const),
      reason: 'ServedByKruise',
      message: '',
      lastTransitionTime: at,
    }));
    setStatus(world, { conditions: [...conditions, ...ours] });
    rest();
    expect(numbers()).toEqual(readyFirst.standing);
  });

  test('where the operator restarts after it became the owner of the fields, before it applied a child', () => {
    const { world, rest, numbers, controller } = put(readyFirst);
    const { plan } = world.reconcile(controller, 'ns/web');
    expect(plan.stages.flatMap(({ steps }) => steps).map(({ why }) => why.word)).toEqual([
      'ChildTakenOver',
      'ChildTakenOver',
    ]);
    expect(childOf(world, 'a').metadata.annotations).not.toHaveProperty([annotations.keptNumber]);
    rest(createUnitedDeploymentController(world.readers));
    expect(numbers()).toEqual(readyFirst.standing);
    expect(childOf(world, 'a').metadata.annotations).toHaveProperty([annotations.keptNumber]);
  });

  test('where a child cannot be written for long', () => {
    const { world, rest, numbers, controller } = put(readyFirst);
    world.refuse = ({ verb }) => (verb === 'apply' ? refused : undefined);
    for (let round = 0; round < 4; round += 1) world.reconcile(controller, 'ns/web');
    expect(conditionsOf(world)).toMatchObject({
      SubsetReplicasEffective: isKept,
      SubsetFailure: 'True Error',
    });
    world.refuse = () => undefined;
    world.now += 600_000;
    rest();
    expect(numbers()).toEqual(readyFirst.standing);
  });
});

describe('where the first reconcile can decide nothing', () => {
  const lefts = Object.entries({ readyFirst, withoutMinimum, ...stopped });

  test.each(lefts)('because the kind of the children cannot be read, numbers stay: %s', (_, left) => {
    const { world, rest, numbers } = undecided(left);
    expect(conditionsOf(world)).toMatchObject({
      Ready: 'False KindUnreadable',
      SubsetReplicasEffective: 'Unknown SubsetReplicasKept',
    });
    world.unreadable.clear();
    rest();
    expect(numbers()).toEqual(left.standing);
    expect(conditionsOf(world)['SubsetReplicasEffective']).toBe(isKept);
  });

  test.each(lefts)('because a cache is not filled, numbers stay: %s', (_, left) => {
    const { world, rest, numbers, controller } = put(left);
    world.unsynced.add('subsetPods');
    world.untilSteady(controller, 'ns/web');
    world.unsynced.clear();
    rest();
    expect(numbers()).toEqual(left.standing);
  });

  test.each(lefts.filter(([name]) => name !== 'withoutMinimum'))(
    'and the template changes before one can, numbers stay: %s',
    (_, left) => {
      const { world, rest, numbers, controller } = undecided(left);
      setImage(world, 'web:2', 'CloneSet');
      world.untilSteady(controller, 'ns/web');
      world.unreadable.clear();
      rest();
      expect(numbers()).toEqual(left.standing);
      expect(JSON.stringify(childOf(world, 'a', 'CloneSet').spec?.template)).toContain('web:2');
    },
  );

  test('a total that changes before one can is carried out', () => {
    const { world, rest, numbers, controller } = undecided(readyFirst);
    editSpec(world, () => ({ replicas: 5 }));
    world.untilSteady(controller, 'ns/web');
    world.unreadable.clear();
    rest();
    expect(numbers()).toEqual({ a: 3, b: 2 });
  });

  test('because 0.4.0 could not, which stated no condition of them, numbers stay', () => {
    const { world, rest, numbers } = undecided(readyFirst);
    const { conditions = [] } = statusOf(world);
    const others = conditions.filter(({ type }) => type !== 'SubsetReplicasEffective');
    setStatus(world, { conditions: others });
    world.unreadable.clear();
    rest();
    expect(numbers()).toEqual(readyFirst.standing);
  });

  test('after a way back to Kruise, the numbers that it left then stay', () => {
    const { world, rest, numbers, controller } = taken(readyFirst);
    byKruise(world, { a: 3, b: 1 });
    world.unsynced.add('subsetPods');
    world.untilSteady(controller, 'ns/web');
    expect(conditionsOf(world)['SubsetReplicasEffective']).toBe('Unknown SubsetReplicasKept');
    world.unsynced.clear();
    rest();
    expect(numbers()).toEqual({ a: 3, b: 1 });
  });

  test('an object that Kruise never served gets no condition of it', () => {
    const world = new FreshWorld();
    world.put(unitedDeployments, web(readyFirst.subsets, 'CloneSet'));
    world.unreadable.set('cloneSets', { since: world.now, why: 'forbidden' });
    world.untilSteady(createUnitedDeploymentController(world.readers), 'ns/web');
    expect(conditionsOf(world)).not.toHaveProperty('SubsetReplicasEffective');
  });

  test('a total that changes while a later one cannot is carried out', () => {
    const { world, rest, numbers, controller } = taken({ ...readyFirst, kind: 'CloneSet' });
    for (const child of childrenOfKind(world, 'CloneSet')) withoutNote(world, child);
    world.unreadable.set('cloneSets', { since: world.now, why: 'forbidden' });
    world.untilSteady(controller, 'ns/web');
    editSpec(world, () => ({ replicas: 5 }));
    world.untilSteady(controller, 'ns/web');
    world.unreadable.clear();
    rest();
    expect(numbers()).toEqual({ a: 3, b: 2 });
  });

  function undecided(left: Left) {
    const example = put({ ...left, kind: 'CloneSet' });
    example.world.unreadable.set('cloneSets', { since: example.world.now, why: 'forbidden' });
    example.world.untilSteady(example.controller, 'ns/web');
    return example;
  }
});

describe('where the object changes before Atoll looks at it', () => {
  test('and the numbers are those that Kruise would leave, as after another image, they stay', () => {
    const { world, rest, numbers } = put(readyFirst);
    setImage(world, 'web:2');
    rest();
    expect(numbers()).toEqual(readyFirst.standing);
    expect(conditionsOf(world)['SubsetReplicasEffective']).toBe(isKept);
    expect(JSON.stringify(childOf(world, 'a').spec?.template)).toContain('web:2');
  });

  test.each<readonly [string, Numbers, Partial<UnitedDeployment['spec']>]>([
    ['a larger total', { a: 3, b: 2 }, { replicas: 5 }],
    ['a smaller total', { a: 1, b: 2 }, { replicas: 3 }],
  ])('%s is carried out', (_, becomes, spec) => {
    const { world, rest, numbers } = put(readyFirst);
    editSpec(world, () => spec);
    rest();
    expect(numbers()).toEqual(becomes);
  });

  test('a lower maximum is carried out', () => {
    const { world, rest, numbers } = put(readyFirst);
    editSpec(world, () => ({
      topology: {
        scheduleStrategy: { type: 'Adaptive' },
        subsets: [zone('a', { minReplicas: 1, maxReplicas: 3 }), zone('b', { minReplicas: 2 })],
      },
    }));
    rest();
    expect(numbers()).toEqual({ a: 2, b: 2 });
  });

  test('a fixed number is carried out', () => {
    const left: Left = {
      subsets: [zone('a', { replicas: 3 }), zone('b')],
      replicas: 4,
      standing: { a: 3, b: 1 },
    };
    const { world, rest, numbers } = put(left);
    editSpec(world, () => ({ topology: { subsets: [zone('a', { replicas: 1 }), zone('b')] } }));
    rest();
    expect(numbers()).toEqual({ a: 1, b: 3 });
  });

  test('a total that changes while Atoll waits for Kruise to be quiet is carried out', () => {
    const { world, rest, numbers, controller } = put(readyFirst);
    const { conditions = [] } = statusOf(world);
    const at = '2026-10-01T10:00:00Z';
    const held = { status: 'False', reason: 'ServedByKruise', message: '', lastTransitionTime: at } as const;
    editSpec(world, () => ({ replicas: 5 }));
    const { generation = 0 } = world.get(unitedDeployments, webKey).metadata;
    setStatus(world, {
      observedGeneration: generation,
      conditions: [...conditions, { ...held, type: 'Ready' }, { ...held, type: 'Progressing' }],
    });
    rest(controller);
    expect(numbers()).toEqual({ a: 3, b: 2 });
  });
});

describe('where no child could be written since the take-over', () => {
  const lefts = Object.entries({ readyFirst, withoutMinimum, ...stopped });

  test.each(lefts)('and the template changes, numbers stay: %s', (_, left) => {
    const { world, rest, numbers } = unwritten(left);
    setImage(world, 'web:2');
    world.refuse = () => undefined;
    world.now += 600_000;
    rest();
    expect(numbers()).toEqual(left.standing);
    expect(JSON.stringify(childOf(world, 'a').spec?.template)).toContain('web:2');
  });

  test.each(lefts)('and the total changes, it is carried out: %s', (_, left) => {
    const { world, rest, numbers } = unwritten(left);
    editSpec(world, ({ replicas = 0 }) => ({ replicas: replicas + 1 }));
    world.refuse = () => undefined;
    world.now += 600_000;
    rest();
    expect(numbers()).not.toEqual(left.standing);
    expect(conditionsOf(world)['SubsetReplicasEffective']).not.toBe(isKept);
  });

  function unwritten(left: Left) {
    const example = put(left);
    const { world, controller } = example;
    world.refuse = ({ verb }) => (verb === 'apply' ? refused : undefined);
    for (let round = 0; round < 4; round += 1) world.reconcile(controller, 'ns/web');
    expect(conditionsOf(world)['SubsetReplicasEffective']).toBe(isKept);
    return example;
  }
});

describe('numbers that are kept', () => {
  test('stay when the template changes', () => {
    const { world, rest, numbers } = taken(readyFirst);
    setImage(world, 'web:2');
    rest();
    expect(numbers()).toEqual(readyFirst.standing);
    expect(JSON.stringify(childOf(world, 'a').spec?.template)).toContain('web:2');
  });

  test.each(['StatefulSet', 'CloneSet'] as const)('stay when children become a %s', (kind) => {
    const { world, rest, numbers } = taken(readyFirst);
    editSpec(world, ({ template }) => ({
      template: { [kindFacts[kind].member]: template.deploymentTemplate } as typeof template,
    }));
    rest();
    expect(numbers()).toEqual(readyFirst.standing);
    expect(childOf(world, 'a', kind).spec?.replicas).toBe(4);
    expect(conditionsOf(world)['SubsetReplicasEffective']).toBe(isKept);
    setImage(world, 'web:2', kind);
    rest();
    expect(numbers()).toEqual(readyFirst.standing);
    editSpec(world, () => ({ replicas: 5 }));
    rest();
    expect(numbers()).toEqual({ a: 3, b: 2 });
  });

  test.each(['a', 'b'])('stay when the child of %s is deleted and the template changes at once', (subset) => {
    const { world, rest, numbers } = taken(readyFirst);
    world.remove(resource as Resource<KubeObject>, keyOf(childOf(world, subset)));
    setImage(world, 'web:2');
    rest();
    expect(numbers()).toEqual(readyFirst.standing);
    expect(conditionsOf(world)['SubsetReplicasEffective']).toBe(isKept);
  });

  test.each(['a', 'b'])('go when the child of %s is deleted and a maximum changes at once', (subset) => {
    const { world, rest, numbers } = taken(readyFirst);
    world.remove(resource as Resource<KubeObject>, keyOf(childOf(world, subset)));
    editSpec(world, ({ topology }) => ({ topology: withB(topology, { maxReplicas: 9 }) }));
    rest();
    expect(numbers()).toEqual({ a: 2, b: 2 });
  });

  test('stay when the manifest is applied again without the minimum that the webhook of Kruise filled in', () => {
    const left = {
      ...readyFirst,
      subsets: [zone('a', { maxReplicas: 4 }), zone('b', { minReplicas: 2 })],
    };
    const { world, rest, numbers } = taken(left);
    editSpec(world, () => ({
      topology: { scheduleStrategy: { type: 'Adaptive' }, subsets: left.subsets },
    }));
    rest();
    expect(numbers()).toEqual(left.standing);
  });

  test('are put back where somebody changes the number of a child', () => {
    const { world, rest, numbers } = taken(readyFirst);
    setReplicas(world, 'a', 6);
    setReplicas(world, 'b', 1);
    rest();
    expect(numbers()).toEqual(readyFirst.standing);
  });

  test.each<
    readonly [string, Numbers, (spec: UnitedDeployment['spec']) => Partial<UnitedDeployment['spec']>]
  >([
    ['the total', { a: 3, b: 2 }, () => ({ replicas: 5 })],
    ['a minimum', { a: 3, b: 1 }, ({ topology }) => ({ topology: withB(topology, { minReplicas: 1 }) })],
    ['a maximum', { a: 2, b: 2 }, ({ topology }) => ({ topology: withB(topology, { maxReplicas: 9 }) })],
    [
      'the strategy',
      { a: 2, b: 2 },
      ({ topology }) => ({ topology: { ...topology, scheduleStrategy: { type: 'Fixed' } } }),
    ],
    [
      'the order of the subsets',
      { a: 2, b: 2 },
      ({ topology }) => ({
        topology: { ...topology, subsets: (topology?.subsets ?? []).toReversed() },
      }),
    ],
  ])('go when %s changes, and do not come back with it', (_, becomes, change) => {
    const { world, rest, numbers } = taken(readyFirst);
    const { spec } = world.get(unitedDeployments, webKey);
    editSpec(world, change);
    rest();
    expect(numbers()).toEqual(becomes);
    expect(childOf(world, 'a').metadata.annotations).not.toHaveProperty([annotations.keptNumber]);
    expect(conditionsOf(world)['SubsetReplicasEffective']).toBe('True SubsetReplicasMet');
    editSpec(world, () => spec);
    rest();
    expect(numbers()).not.toEqual(readyFirst.standing);
  });

  test('go when the object changes before the first look', () => {
    const { world, rest, numbers } = put(readyFirst);
    editSpec(world, () => ({ replicas: 5 }));
    rest();
    expect(numbers()).toEqual({ a: 3, b: 2 });
  });

  test('follow pods that find no node, and a pod that moved stays where it is', () => {
    const { world, rest, numbers } = taken(readyFirst);
    partlyScheduled(world, 'a', 3);
    world.now += 31_000;
    world.untilSteady(createUnitedDeploymentController(world.readers), 'ns/web');
    expect(numbers()).toEqual({ a: 3, b: 1 });
    rest();
    world.now += 400_000;
    rest();
    expect(numbers()).toEqual({ a: 3, b: 1 });
    setImage(world, 'web:2');
    rest();
    expect(numbers()).toEqual({ a: 3, b: 1 });
  });

  test('come back with the children of an object that was deleted without them', () => {
    const { world, rest, numbers } = taken(readyFirst);
    const { spec } = world.get(unitedDeployments, webKey);
    for (const child of world.list(resource)) {
      world.edit(resource, keyOf(child), (found) => ({
        ...found,
        metadata: { ...found.metadata, ownerReferences: [] },
      }));
    }
    world.remove(unitedDeployments as Resource<KubeObject>, webKey);
    world.put(unitedDeployments, { metadata: webKey, spec });
    rest();
    expect(numbers()).toEqual(readyFirst.standing);
  });
});

describe('after a way back to Kruise', () => {
  test.each<readonly [string, Numbers]>([
    ['others', { a: 3, b: 1 }],
    ['the same', { a: 4, b: 0 }],
    ['those of the spec', { a: 2, b: 2 }],
  ])('the numbers that it leaves count, and not those of the first take-over: %s', (_, left) => {
    const { world, rest, numbers } = taken(readyFirst);
    byKruise(world, left);
    rest();
    expect(numbers()).toEqual(left);
    expect(conditionsOf(world)['SubsetReplicasEffective']).toBe(
      left['b'] === 2 ? 'True SubsetReplicasMet' : isKept,
    );
    setImage(world, 'web:2');
    rest();
    expect(numbers()).toEqual(left);
  });

  test('a note of the first take-over proves nothing where Kruise wrote the child and did not see the last change', () => {
    const { world, rest, numbers } = taken(readyFirst);
    const { spec } = world.get(unitedDeployments, webKey);
    editSpec(world, () => ({ replicas: 6 }));
    byKruise(world, { a: 4, b: 2 });
    editSpec(world, () => spec);
    rest();
    expect(numbers()).toEqual({ a: 2, b: 2 });
  });
});

/** Numbers of subsets as a person gives them: all fixed, or all with bounds. */
const share = fc.oneof(fc.nat(5), fc.constantFrom('0%', '25%', '50%', '70%', '100%'));
const optional = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: undefined });
const names = ['a', 'b', 'c'] as const;
const topologies = fc.oneof(
  fc.record({
    strategy: fc.constant('Fixed' as const),
    numbers: fc.array(fc.record({ replicas: optional(share) }), { minLength: 1, maxLength: 3 }),
  }),
  fc.record({
    strategy: fc.constantFrom('Fixed' as const, 'Adaptive' as const),
    numbers: fc.array(fc.record({ minReplicas: share, maxReplicas: optional(share) }), {
      minLength: 1,
      maxLength: 3,
    }),
  }),
);

test('a take-over of what Kruise left at rest changes no number of a child, and takes none away where Kruise had stopped', () => {
  fc.assert(
    fc.property(
      topologies,
      fc.array(fc.nat(8), { minLength: 1, maxLength: 3 }),
      fc.constantFrom('nothing', 'undecided', 'another image', 'another image while undecided'),
      ({ strategy, numbers: given }, totals, first) => {
        const subsets = given.map((each, index) => zone(names[index] ?? '', withoutUndefined(each)));
        let standing: KruiseNumbers | undefined;
        let isStopped = false;
        for (const total of totals) {
          const next = allocateByKruise(total, subsets, strategy, standing);
          isStopped = next === undefined;
          standing = next ?? standing;
        }
        fc.pre(standing !== undefined);
        const left = { subsets, replicas: totals.at(-1) ?? 0, strategy, standing: standing ?? {} };
        const { world, rest, numbers, controller } = put(left);
        if (isStopped) setStatus(world, { observedGeneration: 0 });
        if (first.endsWith('undecided')) {
          world.unsynced.add('subsetPods');
          world.untilSteady(controller, 'ns/web');
        }
        if (first.startsWith('another image')) setImage(world, 'web:2');
        world.unsynced.clear();
        rest();
        const after = numbers();
        expect(isStopped ? standing : after).toEqual(standing);
        for (const [name, number] of Object.entries(standing ?? {}))
          expect(after[name]).toBeGreaterThanOrEqual(number);
      },
    ),
    { numRuns: 120 },
  );
});

function put({ subsets, replicas, strategy, standing, kind = 'Deployment' }: Left) {
  const world = new FreshWorld();
  const topology = { subsets, ...(strategy === undefined ? {} : { scheduleStrategy: { type: strategy } }) };
  putLeftByKruise(world, kind, web(subsets, kind, { replicas, topology }), (child) => ({
    ...child,
    spec: { ...child.spec, replicas: standing[child.metadata.labels?.[labels.subsetName] ?? ''] },
  }));
  rollOut(world);
  const controller = createUnitedDeploymentController(world.readers);
  return {
    world,
    controller,
    numbers: () => numbersIn(world),
    /** Until nothing is written any more and all pods are there. */
    rest: (by = controller) => {
      for (let round = 0; round < 2; round += 1) {
        world.untilSteady(by, 'ns/web');
        rollOut(world);
      }
      world.untilSteady(by, 'ns/web');
    },
  };
}

function taken(left: Left) {
  const example = put(left);
  example.rest();
  return example;
}

function numbersIn(world: FreshWorld): Numbers {
  return Object.fromEntries(
    Object.entries(childrenOf(world)).map(([name, text]) => [name, Number(text.replace(/^\w+ /, ''))]),
  );
}

function childrenOfKind(world: FreshWorld, kind: ChildKind) {
  return world.list(kindFacts[kind].resource as Resource<KubeObject> as Resource<ChildWorkload>);
}

/** As if the child had not been written yet. */
function withoutNote(world: FreshWorld, child: ReturnType<typeof childOf>): void {
  world.edit(kindFacts.CloneSet.resource as Resource<KubeObject>, keyOf(child), (found) => {
    const { [annotations.keptNumber]: _, ...others } = found.metadata.annotations ?? {};
    return { ...found, metadata: { ...found.metadata, annotations: others } };
  });
}

function setReplicas(world: FreshWorld, subset: string, replicas: number): void {
  world.edit(resource, keyOf(childOf(world, subset)), (found) => ({
    ...found,
    spec: { ...found.spec, replicas },
  }));
}

function setStatus(world: FreshWorld, status: NonNullable<UnitedDeployment['status']>): void {
  world.edit(unitedDeployments, webKey, (found) => ({ ...found, status: { ...found.status, ...status } }));
}

/** Kruise carries out the object with these numbers, beside what Atoll left. */
function byKruise(world: FreshWorld, numbers: Numbers): void {
  const written = {
    manager: 'kruise-manager',
    operation: 'Update',
    fieldsV1: { 'f:spec': { 'f:replicas': {} } },
  } as const;
  for (const [subset, replicas] of Object.entries(numbers)) {
    world.edit(resource, keyOf(childOf(world, subset)), (found) => ({
      ...found,
      metadata: { ...found.metadata, managedFields: [...(found.metadata.managedFields ?? []), written] },
      spec: { ...found.spec, replicas },
    }));
  }
  rollOut(world);
  const time = new Date(world.now + 5_000).toISOString().replace('.000Z', 'Z');
  world.now += 3_600_000;
  world.edit(unitedDeployments, webKey, (found) => ({
    ...found,
    metadata: {
      ...found.metadata,
      managedFields: [
        ...(found.metadata.managedFields ?? []),
        { manager: 'kruise-manager', operation: 'Update', subresource: 'status', time },
      ],
    },
    status: {
      ...found.status,
      observedGeneration: found.metadata.generation,
      subsetReplicas: numbers,
    },
  }));
}

function withB(
  topology: UnitedDeployment['spec']['topology'],
  more: Partial<Subset>,
): NonNullable<UnitedDeployment['spec']['topology']> {
  const subsets = topology?.subsets ?? [];
  return { ...topology, subsets: subsets.map((each) => (each.name === 'b' ? { ...each, ...more } : each)) };
}

function withoutUndefined(given: object): Partial<Subset> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}
