import { describe, expect, it } from 'vitest';
import { ApiError, keyOf, type KubeObject, type Stored } from '@atoll/kube';
import type { FreshWorld } from '../../../simulation/examples/fresh-world.ts';
import type { Operation } from '../../../simulation/model/api-server.ts';
import {
  childOf,
  childrenOf,
  editSpec,
  setImage,
  spread,
  web,
  zone,
  webKey,
} from '../../../simulation/examples/spread-example.ts';
import { planOf } from '../../../simulation/explorer/planned.ts';
import { rememberAnswer } from '../../engine/executor/answers/remember-answer.ts';
import { endOf } from '../../engine/reconcile/reconcile-end.ts';
import type { StepResult } from '../../engine/step.ts';
import type { ChildWorkload } from '../../children/child.ts';
import { kindFacts } from '../subsets/child-kind.ts';

const attempted = { attempted: 'write', message: 'no way' } as const;
const unsent = new ApiError({ fate: 'unsent', code: 0, reason: 'NetworkError', ...attempted });
/** What a quota answers to one of two creations at once. */
const conflict = new ApiError({ fate: 'refused', code: 409, reason: 'Conflict', ...attempted });
/** What a policy answers. */
const denied = new ApiError({ fate: 'refused', code: 403, reason: 'Forbidden', ...attempted });

/** What is sent under this name fails. */
const failsFor =
  (name: string, error: ApiError) =>
  (operation: Operation): ApiError | undefined =>
    'object' in operation && operation.object.metadata.name?.startsWith(name) === true ? error : undefined;

const statefulSetsOfAll = kindFacts.StatefulSet.resource;

function letGo(world: FreshWorld): void {
  world.edit(statefulSetsOfAll, keyOf(childOf(world, 'a', 'StatefulSet')), (found) => ({
    ...found,
    metadata: { ...found.metadata, ownerReferences: [] },
  }));
}

/** An old operator made the child, and is the owner of its fields. */
function isOldOperators(world: FreshWorld): void {
  const fieldsV1 = { 'f:spec': { 'f:selector': {}, 'f:replicas': {} } };
  const maker = { manager: 'manager', operation: 'Update', fieldsType: 'FieldsV1', fieldsV1 };
  world.edit(statefulSetsOfAll, keyOf(childOf(world, 'a', 'StatefulSet')), (found) => ({
    ...found,
    metadata: { ...found.metadata, managedFields: [maker] },
  }));
}

/** As where the cache of children is behind that of their owners. */
function isNamesakes(world: FreshWorld): void {
  const { metadata, ...child } = childOf(world, 'a', 'StatefulSet');
  const { resourceVersion: _version, ...kept } = metadata;
  const ownerReferences = metadata.ownerReferences?.map((each) => ({ ...each, uid: 'uid-of-before' }));
  world.remove(statefulSetsOfAll, keyOf({ metadata }));
  world.put(statefulSetsOfAll, {
    ...child,
    metadata: { ...kept, name: `${metadata.name}-before`, ownerReferences },
  } as KubeObject);
}

/** A total of 7, of which a has 5 and b 2, and that is scaled to 8 while replicas move from a to b. */
function scaled(partition = 0) {
  const updateStrategy = { type: 'Manual' as const, manualUpdate: { partitions: { a: partition } } };
  const made = spread(
    web([zone('a', { replicas: 5 }), zone('b')], 'StatefulSet', { replicas: 7, updateStrategy }),
  );
  made.world.untilSteady(made.controller, 'ns/web');
  if (partition > 0) {
    setImage(made.world, 'web:2', 'StatefulSet');
    made.world.untilSteady(made.controller, 'ns/web');
  }
  editSpec(made.world, () => ({
    replicas: 8,
    topology: { subsets: [zone('a', { replicas: 2 }), zone('b')] },
  }));
  return made;
}

function observed(controller: ReturnType<typeof scaled>['controller']) {
  const snapshot = controller.observe(webKey);
  if (snapshot === undefined) throw new Error('it is gone');
  return snapshot;
}

describe('while replicas move from one subset to another', () => {
  it('a partition holds back the pods that the shrinking subset still has', () => {
    const { world, controller } = scaled(5);
    world.reconcile(controller, 'ns/web');
    const { replicas, updateStrategy } = childOf(world, 'a', 'StatefulSet').spec ?? {};
    expect({ replicas, partition: updateStrategy?.rollingUpdate?.partition }).toEqual({
      replicas: 4,
      partition: 4,
    });
    world.untilSteady(controller, 'ns/web');
    const end = childOf(world, 'a', 'StatefulSet').spec;
    expect([end?.replicas, end?.updateStrategy?.rollingUpdate?.partition]).toEqual([2, 2]);
  });

  it('where a webhook sets each number back, nothing is repeated but the retry of what it lowered', () => {
    const { world, controller } = scaled();
    const { stages } = planOf(controller, observed(controller), world.now);
    for (const step of stages.flatMap(({ steps }) => steps)) {
      if (step.do !== 'apply') continue;
      const live = world.get(step.resource, keyOf(step.object)) as Stored<ChildWorkload>;
      const { metadata, spec } = step.object as unknown as Stored<ChildWorkload>;
      const answer = {
        ...live,
        metadata: { ...live.metadata, ...metadata },
        spec: { ...spec, replicas: live.spec?.replicas },
      };
      world.edit(step.resource, keyOf(step.object), () => answer);
      rememberAnswer(step.object, world.get(step.resource, keyOf(step.object)));
    }
    const next = planOf(controller, observed(controller), world.now);
    const steps = next.stages.flatMap((stage) => stage.steps);
    expect(steps.map((step) => [step.do, step.target])).toEqual([
      ['try', 'b'],
      ['apply', 'b'],
    ]);
    const results = steps.map((step): StepResult =>
      step.do === 'try' ? { step, did: 'done' } : { step, did: 'failed', error: denied },
    );
    expect(endOf({ results }, next, world.now)).toEqual({ end: 'refused', because: denied.message });
  });

  it.each([
    ['because the API server cannot be reached', unsent],
    ['because of a conflict', conflict],
  ])('nothing shrinks for a subset whose child could not be made %s', (_, error) => {
    const { world, controller } = spread(web([zone('a')], 'StatefulSet', { replicas: 4 }));
    world.untilSteady(controller, 'ns/web');
    editSpec(world, () => ({ replicas: 5, topology: { subsets: [zone('a', { replicas: 3 }), zone('b')] } }));
    world.refuse = failsFor('web-b', error);
    world.reconcile(controller, 'ns/web');
    expect(childrenOf(world)).toEqual({ a: 'StatefulSet 4' });
    world.refuse = () => undefined;
    world.untilSteady(controller, 'ns/web');
    expect(childrenOf(world)).toEqual({ a: 'StatefulSet 3', b: 'StatefulSet 2' });
  });

  it.each([
    ['stays', 6, 5],
    ['grows', 7, 5],
    ['shrinks', 5, 4],
  ])(
    'nothing shrinks for a new subset whose child is refused for good, where the total %s',
    (_, total, a) => {
      const { world, controller } = spread(
        web([zone('a'), zone('b', { replicas: 1 })], 'StatefulSet', { replicas: 6 }),
      );
      world.untilSteady(controller, 'ns/web');
      const subsets = [zone('a'), zone('new', { replicas: 3 }), zone('b', { replicas: 1 })];
      editSpec(world, () => ({ replicas: total, topology: { subsets } }));
      world.refuse = failsFor('web-new', denied);
      for (let round = 0; round < 6; round += 1) world.reconcile(controller, 'ns/web');
      expect(childrenOf(world)).toEqual({ a: `StatefulSet ${a}`, b: 'StatefulSet 1' });
      world.refuse = () => undefined;
      world.untilSteady(controller, 'ns/web');
      expect(childrenOf(world)).toEqual({
        a: `StatefulSet ${total - 4}`,
        new: 'StatefulSet 3',
        b: 'StatefulSet 1',
      });
    },
  );

  it('nothing shrinks for a subset that is to grow and whose patch cannot be merged', () => {
    const { world, controller } = spread(
      web([zone('a', { replicas: 5 }), zone('b')], 'StatefulSet', { replicas: 6 }),
    );
    world.untilSteady(controller, 'ns/web');
    const subsets = [zone('a', { replicas: 1 }), zone('b', { patch: { spec: { containers: 'none' } } })];
    editSpec(world, () => ({ topology: { subsets } }));
    world.untilSteady(controller, 'ns/web');
    expect(childrenOf(world)).toEqual({ a: 'StatefulSet 5', b: 'StatefulSet 1' });
    editSpec(world, () => ({ topology: { subsets: [zone('a', { replicas: 1 }), zone('b')] } }));
    world.untilSteady(controller, 'ns/web');
    expect(childrenOf(world)).toEqual({ a: 'StatefulSet 1', b: 'StatefulSet 5' });
  });

  it.each([
    ['becomes ours again', letGo],
    ["may become ours again, when it is no more its namesake's", isNamesakes],
  ])('nothing grows beside a child that %s before that one has shrunk', (_, change) => {
    const { world, controller } = spread(web([zone('a')], 'StatefulSet', { replicas: 6 }));
    world.untilSteady(controller, 'ns/web');
    change(world);
    editSpec(world, () => ({ topology: { subsets: [zone('a'), zone('b')] } }));
    world.now += 1_000;
    world.reconcile(controller, 'ns/web');
    expect({ b: 'StatefulSet 0', ...childrenOf(world) }).toEqual({ a: 'StatefulSet 6', b: 'StatefulSet 0' });
    letGo(world);
    world.reconcile(controller, 'ns/web');
    expect({ b: 'StatefulSet 0', ...childrenOf(world) }).toEqual({ a: 'StatefulSet 6', b: 'StatefulSet 0' });
    world.untilSteady(controller, 'ns/web');
    expect(childrenOf(world)).toEqual({ a: 'StatefulSet 3', b: 'StatefulSet 3' });
  });

  it.each([
    ['adopted', letGo],
    ['taken over', isOldOperators],
  ])('nothing shrinks for a child that is to grow and may not be %s', (_, change) => {
    const { world, controller } = spread(
      web([zone('a', { replicas: 2 }), zone('b')], 'StatefulSet', { replicas: 6 }),
    );
    world.untilSteady(controller, 'ns/web');
    change(world);
    editSpec(world, () => ({ replicas: 7, topology: { subsets: [zone('a', { replicas: 5 }), zone('b')] } }));
    world.refuse = ({ verb, resource }) =>
      resource === statefulSetsOfAll && verb === 'patch' ? denied : undefined;
    world.reconcile(controller, 'ns/web');
    world.reconcile(controller, 'ns/web');
    expect(childrenOf(world)).toEqual({ a: 'StatefulSet 2', b: 'StatefulSet 4' });
    world.refuse = () => undefined;
    world.untilSteady(controller, 'ns/web');
    expect(childrenOf(world)).toEqual({ a: 'StatefulSet 5', b: 'StatefulSet 2' });
  });

  it.each([
    ['adopted', letGo],
    ['taken over', isOldOperators],
    ['written', () => undefined],
  ])('others grow beside a child that may not be %s for good', (_, change) => {
    const { world, controller } = spread(web([zone('a')], 'StatefulSet', { replicas: 6 }));
    world.untilSteady(controller, 'ns/web');
    change(world);
    editSpec(world, () => ({ topology: { subsets: [zone('a'), zone('b')] } }));
    world.refuse = (operation) => {
      const { name } = 'key' in operation ? operation.key : operation.object.metadata;
      const isChange = operation.verb === 'patch' || operation.verb === 'apply';
      return isChange && name.startsWith('web-a') ? denied : undefined;
    };
    world.reconcile(controller, 'ns/web');
    world.reconcile(controller, 'ns/web');
    expect(childrenOf(world)).toEqual({ a: 'StatefulSet 6', b: 'StatefulSet 3' });
    world.refuse = () => undefined;
    world.untilSteady(controller, 'ns/web');
    expect(childrenOf(world)).toEqual({ a: 'StatefulSet 3', b: 'StatefulSet 3' });
  });
});
