import { describe, expect, it } from 'vitest';
import { ApiError, keyOf, type Stored } from '@atoll/kube';
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
import type { ChildWorkload } from '../../children/child.ts';
import { kindFacts } from '../child-kind.ts';

/** The connection cannot be made for what is sent under this name. */
const unsentFor =
  (name: string) =>
  (operation: Operation): ApiError | undefined =>
    'object' in operation && operation.object.metadata.name?.startsWith(name) === true
      ? new ApiError({
          fate: 'unsent',
          code: 0,
          reason: 'NetworkError',
          attempted: 'write',
          message: 'no way',
        })
      : undefined;

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

  it('a plan that finds nothing to write does not ask for the next one', () => {
    const { world, controller } = scaled();
    const { stages } = planOf(controller, observed(controller), world.now);
    for (const step of stages.flatMap(({ steps }) => steps)) {
      if (step.do !== 'apply') continue;
      // A webhook sets the number back.
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
    expect(next.stages).toEqual([]);
    expect(next.requeueAt).toBeUndefined();
  });

  it('nothing shrinks for a subset whose child could not be made', () => {
    const { world, controller } = spread(web([zone('a')], 'StatefulSet', { replicas: 4 }));
    world.untilSteady(controller, 'ns/web');
    editSpec(world, () => ({ replicas: 5, topology: { subsets: [zone('a', { replicas: 3 }), zone('b')] } }));
    world.refuse = unsentFor('web-b');
    world.reconcile(controller, 'ns/web');
    expect(childrenOf(world)).toEqual({ a: 'StatefulSet 4' });
    world.refuse = () => undefined;
    world.untilSteady(controller, 'ns/web');
    expect(childrenOf(world)).toEqual({ a: 'StatefulSet 3', b: 'StatefulSet 2' });
  });

  it('nothing grows beside a child that becomes ours again before that one has shrunk', () => {
    const { world, controller } = spread(web([zone('a')], 'StatefulSet', { replicas: 6 }));
    world.untilSteady(controller, 'ns/web');
    const { resource } = kindFacts.StatefulSet;
    world.edit(resource, keyOf(childOf(world, 'a', 'StatefulSet')), (found) => ({
      ...found,
      metadata: { ...found.metadata, ownerReferences: [] },
    }));
    editSpec(world, () => ({ topology: { subsets: [zone('a'), zone('b')] } }));
    world.reconcile(controller, 'ns/web');
    expect(childrenOf(world)).toEqual({ a: 'StatefulSet 6', b: 'StatefulSet 0' });
    world.untilSteady(controller, 'ns/web');
    expect(childrenOf(world)).toEqual({ a: 'StatefulSet 3', b: 'StatefulSet 3' });
  });
});
