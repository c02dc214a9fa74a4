import { nodePools, type PoolWorkload } from '@atoll/api';
import { conditionOf, deployments } from '@atoll/kube';
import type { KubeObject, Resource } from '@atoll/kube';
import { unitedDaemonSetKind } from '../../src/pool-workload/controller.ts';
import { slotOf } from '../model/store.ts';
import type { Store } from '../model/store.ts';
import { atRest } from '../story.ts';
import { objectsOf } from '../world.ts';
import type { Effect, World } from '../world.ts';
import { losing, type WithLostBug } from './lost-with-definition-world.ts';
import { recordOf, type SmallNode } from './node-pool-objects.ts';
import { nodePoolWorld, type NodePoolWorldOptions } from './node-pool-world.ts';
import { poolWorkloadWorld, type PoolWorkloadWorldOptions } from './pool-workload-world.ts';

/**
 * A workload that has a child in each of its pools. Somebody deletes the definition of NodePools, with which all pools go, installs it
 * again, and makes the pools again. Nobody deletes a pool.
 */
export function childrenOfLostPoolsWorld(options: PoolWorkloadWorldOptions & WithLostBug): World {
  const { kind = unitedDaemonSetKind } = options;
  const base = atRest(poolWorkloadWorld({ pools: ['hz'], ...options }));
  const lost = {
    ...ofPools,
    again: 'pool again',
    wrongEffect: childEnded,
    missing: (store: Store) => objectsOf(store, kind.resource).map(notHeld)[0],
  };
  return losing(base, lost, options);
}

/** The same for nodes that carry what their pool gives them. */
export function nodesOfLostPoolsWorld(options: NodePoolWorldOptions & WithLostBug): World {
  const base = atRest(nodePoolWorld(options));
  // It is said in events, which no store holds.
  const lost = { ...ofPools, again: 'again', wrongEffect: attributesTaken, missing: () => undefined };
  return losing(base, lost, options);
}

const ofPools = { kind: nodePools as Resource<KubeObject>, seenAs: 'definitionOfPools' } as const;

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
