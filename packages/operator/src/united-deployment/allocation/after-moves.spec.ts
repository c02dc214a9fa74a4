import { ApiError, deployments, keyOf, type KubeObject, type Resource } from '@atoll/kube';
import { refusalOf } from '@atoll/kube/testing';
import { describe, expect, it } from 'vitest';
import type { FreshWorld } from '../../../simulation/examples/fresh-world.ts';
import type { Operation } from '../../../simulation/model/api-server.ts';
import {
  childOf,
  childrenOf,
  editSpec,
  partlyScheduled,
  rollOut,
  spread,
  web,
  zone,
} from '../../../simulation/examples/spread-example.ts';

const scheduleStrategy = {
  type: 'Adaptive',
  adaptive: { rescheduleCriticalSeconds: 10, unschedulableDuration: 100 },
} as const;

const a = zone('a', { maxReplicas: 5 });
const b = zone('b', { maxReplicas: 3 });
const [c, d] = [zone('c', { maxReplicas: 2 }), zone('d')];

/** Eight replicas, of which a has five and b three; a has room for two of its own, which the status shows. */
function crowded(...subsets: ReturnType<typeof zone>[]) {
  const { world, controller } = spread(
    web([], 'Deployment', { replicas: 8, topology: { subsets: [a, b, ...subsets], scheduleStrategy } }),
  );
  world.untilSteady(controller, 'ns/web');
  rollOut(world);
  world.untilSteady(controller, 'ns/web');
  partlyScheduled(world, 'a', 2);
  world.now += 11_000;
  world.reconcile(controller, 'ns/web');
  expect(askedFor(world)).toBe(8);
  return { world, controller };
}

function askedFor(world: FreshWorld): number {
  return world.list(deployments).reduce((sum, { spec }) => sum + (spec?.replicas ?? 1), 0);
}

function loses(world: FreshWorld, subset: string): void {
  world.edit(deployments as Resource<KubeObject>, keyOf(childOf(world, subset)), (found) => ({
    ...found,
    metadata: { ...found.metadata, ownerReferences: [] },
  }));
}

const denied = refusalOf(403, 'patch', 'no way');

/** The connection fails for what is written of these children. */
const unsentFor =
  (...subsets: readonly string[]) =>
  (operation: Operation): ApiError | undefined => {
    const name = 'object' in operation ? (operation.object.metadata.name ?? '') : '';
    return subsets.some((subset) => name.startsWith(`web-${subset}`))
      ? new ApiError({
          fate: 'unsent',
          code: 0,
          reason: 'NetworkError',
          attempted: 'write',
          message: 'no way',
        })
      : undefined;
  };

describe('while replicas leave a subset without room', () => {
  it.each([
    ['after', [a, b, d]],
    ['before', [a, d, b]],
  ])('nothing grows that comes %s a child that becomes ours again', (_, subsets) => {
    const { world, controller } = crowded(d);
    editSpec(world, () => ({ topology: { subsets, scheduleStrategy } }));
    loses(world, 'b');
    world.refuse = unsentFor('a');
    world.reconcile(controller, 'ns/web');
    expect(askedFor(world)).toBe(8);
    world.refuse = () => undefined;
    world.untilSteady(controller, 'ns/web');
    expect(childrenOf(world)).toEqual({ a: 'Deployment 2', b: 'Deployment 3', d: 'Deployment 3' });
  });

  it('nothing grows in the place of a child that becomes ours again and is to shrink', () => {
    const { world, controller } = crowded(d);
    const subsets = [a, { ...b, maxReplicas: 1 }, d];
    editSpec(world, () => ({ topology: { subsets, scheduleStrategy } }));
    loses(world, 'b');
    world.reconcile(controller, 'ns/web');
    expect(askedFor(world)).toBeLessThanOrEqual(8);
    world.untilSteady(controller, 'ns/web');
    expect(childrenOf(world)).toEqual({ a: 'Deployment 2', b: 'Deployment 1', d: 'Deployment 5' });
  });

  it('others grow beside a child that is to shrink and may not be adopted', () => {
    const { world, controller } = crowded(d);
    const subsets = [a, { ...b, maxReplicas: 1 }, d];
    editSpec(world, () => ({ topology: { subsets, scheduleStrategy } }));
    loses(world, 'b');
    world.refuse = ({ verb, resource }) =>
      verb === 'patch' && resource === deployments ? denied : undefined;
    world.reconcile(controller, 'ns/web');
    expect(childrenOf(world)).toEqual({ a: 'Deployment 2', b: 'Deployment 3', d: 'Deployment 5' });
    world.refuse = () => undefined;
    world.untilSteady(controller, 'ns/web');
    expect(childrenOf(world)).toEqual({ a: 'Deployment 2', b: 'Deployment 1', d: 'Deployment 5' });
  });

  it.each([
    ['is written', []],
    ['could not be written', ['b']],
  ])('nothing grows in the place of another one that shrinks before that %s', (_, unsent) => {
    const { world, controller } = crowded();
    const subsets = [a, { ...b, maxReplicas: 1 }, c, d];
    editSpec(world, () => ({ topology: { subsets, scheduleStrategy } }));
    let most = 0;
    const fails = unsentFor(...unsent);
    world.refuse = (operation) => {
      most = Math.max(most, askedFor(world));
      return fails(operation);
    };
    world.reconcile(controller, 'ns/web');
    expect(Math.max(most, askedFor(world))).toBe(8);
    world.refuse = () => undefined;
    world.untilSteady(controller, 'ns/web');
    const end = { a: 'Deployment 2', b: 'Deployment 1', c: 'Deployment 2', d: 'Deployment 3' };
    expect(childrenOf(world)).toEqual(end);
  });
});
