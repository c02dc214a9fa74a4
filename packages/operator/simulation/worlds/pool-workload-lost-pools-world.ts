import { nodePools, type PoolWorkload } from '@atoll/api';
import { conditionOf, deployments, keyOf } from '@atoll/kube';
import type { KubeObject, Resource } from '@atoll/kube';
import type { Controller } from '../../src/engine/controller.ts';
import type { Step } from '../../src/engine/step.ts';
import { unitedDaemonSetKind } from '../../src/pool-workload/controller.ts';
import type { PoolWorkloadSnapshot } from '../../src/pool-workload/observe.ts';
import { definitionOf, definitions, standingOf } from '../model/definitions.ts';
import type { Store } from '../model/store.ts';
import { ofDefinition } from '../neighbours/of-definition.ts';
import { creates, deletes } from '../neighbours/people.ts';
import { atRest } from '../story.ts';
import { objectsOf } from '../world.ts';
import type { Effect, Neighbour, World } from '../world.ts';
import { changingSteps, seeing } from './planted.ts';
import { poolWorkloadWorld } from './pool-workload-world.ts';
import type { PoolWorkloadWorldOptions } from './pool-workload-world.ts';
import { withPlanted } from './world-parts.ts';

/** Bugs with pools that go with their definition. */
export type LostPoolsBug =
  /** A pool that is absent was deleted by somebody. */
  | 'absent-is-deleted'
  /** The definition is what the cache shows. */
  | 'definition-not-confirmed'
  /** Of the definition it is seen that it is being deleted, and not that it is a new one. */
  | 'new-definition-is-the-old';

export interface LostPoolsWorldOptions extends PoolWorkloadWorldOptions {
  readonly lostBug?: LostPoolsBug;
}

const hourMs = 3_600_000;

/**
 * A workload that has a child in each of its pools. Somebody deletes the definition of NodePools, with which all pools go, installs it
 * again, and makes the pools again. Nobody deletes a pool.
 */
export function lostPoolsWorld(options: LostPoolsWorldOptions): World {
  const { kind = unitedDaemonSetKind, lostBug } = options;
  const base = atRest(poolWorkloadWorld({ pools: ['hz'], ...options }));
  const world: World = {
    ...base,
    // What is made from here on is younger than the children.
    now: base.now + hourMs,
    neighbours: [
      ...base.neighbours.map((each) => (each.name === 'pool again' ? onlyWhileServed(each) : each)),
      ofDefinition(nodePools as Resource<KubeObject>),
      creates('define', definitions, [definitionOf(nodePools)]),
      deletes('undefine', definitions),
    ],
    wrongEffect: (effect) => childEnded(effect) ?? base.wrongEffect?.(effect),
    missing: (store) => {
      const [owner] = objectsOf(store, kind.resource);
      const areLost = objectsOf(store, nodePools).length === 0;
      return areLost && owner !== undefined ? notHeld(owner) : base.missing(store);
    },
  };
  return withPlanted<PoolWorkloadSnapshot>(world, (controller) => withBug(controller, lostBug));
}

function onlyWhileServed(neighbour: Neighbour): Neighbour {
  const isServed = (store: Store): boolean => standingOf(store.objects, nodePools) === 'stands';
  return { ...neighbour, moves: (store) => (isServed(store) ? neighbour.moves(store) : []) };
}

/** E: nobody has deleted a pool. */
function childEnded({ request }: Effect): string | undefined {
  if (request.verb !== 'delete' || request.resource.plural !== deployments.plural) return undefined;
  return `the child ${request.key.name} is deleted, whose pool went with the definition of all pools`;
}

/** L: it is said why the children of no pool are there. */
function notHeld(owner: PoolWorkload): string | undefined {
  const ready = conditionOf(owner, 'Ready');
  return ready?.status === 'False' && ready.reason === 'PoolNotFound'
    ? undefined
    : `Ready is ${ready?.status} ${ready?.reason}, not False PoolNotFound`;
}

function withBug(
  controller: Controller<PoolWorkloadSnapshot>,
  bug: LostPoolsBug | undefined,
): Controller<PoolWorkloadSnapshot> {
  switch (bug) {
    case 'absent-is-deleted':
      return changingSteps(seeing(controller, withOldDefinition), (step) => [unconfirmed(step)]);
    case 'new-definition-is-the-old':
      return seeing(controller, (snapshot) =>
        snapshot.definitionOfPools?.metadata.deletionTimestamp === undefined
          ? withOldDefinition(snapshot)
          : snapshot,
      );
    case 'definition-not-confirmed':
      return changingSteps(controller, (step) => [unconfirmed(step)]);
    case undefined:
      return controller;
  }
}

/** As if it had always been there. */
function withOldDefinition(snapshot: PoolWorkloadSnapshot): PoolWorkloadSnapshot {
  const { definitionOfPools: found } = snapshot;
  const { deletionTimestamp: _, ...metadata } = found?.metadata ?? {
    name: keyOf(definitionOf(nodePools)).name,
    uid: 'uid-none',
    resourceVersion: '1',
  };
  const old = { metadata: { ...metadata, creationTimestamp: '2020-01-01T00:00:00Z' }, spec: {} };
  return { ...snapshot, definitionOfPools: old as unknown as PoolWorkloadSnapshot['definitionOfPools'] };
}

function unconfirmed(step: Step): Step {
  if (step.restsOn === undefined) return step;
  return {
    ...step,
    restsOn: step.restsOn.filter(({ resource }) => resource.plural !== definitions.plural),
  };
}
