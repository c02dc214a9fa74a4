import { nodePools, type PoolWorkload } from '@atoll/api';
import { conditionOf, definitionName, deployments } from '@atoll/kube';
import type { KubeObject, Resource } from '@atoll/kube';
import type { Controller } from '../../src/engine/controller.ts';
import type { Step } from '../../src/engine/step.ts';
import type { InstalledDefinition } from '../../src/children/lost-with-definition.ts';
import { unitedDaemonSetKind } from '../../src/pool-workload/controller.ts';
import { definitionOf, definitions, standingOf } from '../model/definitions.ts';
import { slotOf } from '../model/store.ts';
import type { Store } from '../model/store.ts';
import { ofDefinition } from '../neighbours/of-definition.ts';
import { creates, deletes } from '../neighbours/people.ts';
import { atRest } from '../story.ts';
import { objectsOf } from '../world.ts';
import type { Effect, Neighbour, World } from '../world.ts';
import { recordOf, type SmallNode } from './node-pool-objects.ts';
import { nodePoolWorld, type NodePoolWorldOptions } from './node-pool-world.ts';
import { changingSteps, seeing } from './planted.ts';
import { poolWorkloadWorld, type PoolWorkloadWorldOptions } from './pool-workload-world.ts';
import { withPlanted } from './world-parts.ts';

/** Bugs with pools that go with their definition. */
export type LostPoolsBug =
  /** A pool that is absent was deleted by somebody. */
  | 'absent-is-deleted'
  /** The definition is what the cache shows. */
  | 'definition-not-confirmed'
  /** Of the definition it is seen that it is being deleted, and not that it is a new one. */
  | 'new-definition-is-the-old';

interface WithBug {
  readonly lostBug?: LostPoolsBug;
}

const hourMs = 3_600_000;

/**
 * A workload that has a child in each of its pools. Somebody deletes the definition of NodePools, with which all pools go, installs it
 * again, and makes the pools again. Nobody deletes a pool.
 */
export function childrenOfLostPoolsWorld(options: PoolWorkloadWorldOptions & WithBug): World {
  const { kind = unitedDaemonSetKind } = options;
  const base = atRest(poolWorkloadWorld({ pools: ['hz'], ...options }));
  return losingPools(base, 'pool again', options, {
    wrongEffect: childEnded,
    missing: (store) => objectsOf(store, kind.resource).map(notHeld)[0],
  });
}

/** The same for nodes that carry what their pool gives them. */
export function nodesOfLostPoolsWorld(options: NodePoolWorldOptions & WithBug): World {
  const base = atRest(nodePoolWorld(options));
  // It is said in events, which no store holds.
  return losingPools(base, 'again', options, { wrongEffect: attributesTaken, missing: () => undefined });
}

function losingPools(
  base: World,
  poolsAgain: string,
  { lostBug }: WithBug,
  rules: Required<Pick<World, 'wrongEffect' | 'missing'>>,
): World {
  const poolsIn = (store: Store): number => objectsOf(store, nodePools).length;
  const world: World = {
    ...base,
    // What is made from here on is younger than the children and the nodes.
    now: base.now + hourMs,
    neighbours: [
      ...base.neighbours.map((each) => (each.name === poolsAgain ? onlyWhileServed(each) : each)),
      ofDefinition(nodePools as Resource<KubeObject>),
      creates('define', definitions, [definitionOf(nodePools)]),
      deletes('undefine', definitions),
    ],
    wrongEffect: (effect) => rules.wrongEffect(effect) ?? base.wrongEffect?.(effect),
    missing: (store) => (poolsIn(store) < poolsIn(base.begin) ? rules.missing(store) : base.missing(store)),
  };
  return withPlanted<Looking>(world, (controller) => withBug(controller, lostBug));
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

/** E: the same of what is on a node. */
function attributesTaken({ request, before, after }: Effect): string | undefined {
  if (request.verb !== 'patch' || request.resource.kind !== 'Node') return undefined;
  const slot = slotOf(request.resource, request.key);
  const [old, next] = [before, after].map(
    (store) => store.objects.get(slot)?.object as SmallNode | undefined,
  );
  if (old === undefined || next === undefined) return undefined;
  const lost = Object.keys(recordOf(old).labels ?? {}).find(
    (key) => next.metadata.labels?.[key] === undefined,
  );
  return lost === undefined
    ? undefined
    : `${lost} is taken from ${old.metadata.name}, whose pool went with the definition of all pools`;
}

/** L: it is said why the children of no pool are there. */
function notHeld(owner: PoolWorkload): string | undefined {
  const ready = conditionOf(owner, 'Ready');
  return ready?.status === 'False' && ready.reason === 'PoolNotFound'
    ? undefined
    : `Ready is ${ready?.status} ${ready?.reason}, not False PoolNotFound`;
}

/** What both kinds see. */
interface Looking {
  readonly definitionOfPools: InstalledDefinition;
}

function withBug(controller: Controller<Looking>, bug: LostPoolsBug | undefined): Controller<Looking> {
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
function withOldDefinition(snapshot: Looking): Looking {
  const { definitionOfPools: found } = snapshot;
  const { deletionTimestamp: _, ...metadata } = found?.metadata ?? {
    name: definitionName(nodePools),
    uid: 'uid-none',
    resourceVersion: '1',
  };
  const old = { metadata: { ...metadata, creationTimestamp: '2020-01-01T00:00:00Z' }, spec: {} };
  return { ...snapshot, definitionOfPools: old as unknown as InstalledDefinition };
}

function unconfirmed(step: Step): Step {
  if (step.restsOn === undefined) return step;
  return {
    ...step,
    restsOn: step.restsOn.filter(({ resource }) => resource.plural !== definitions.plural),
  };
}
