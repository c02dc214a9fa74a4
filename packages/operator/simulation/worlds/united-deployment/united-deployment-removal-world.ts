import { isReady } from '@atoll/kube';
import { annotations, unitedDeployments, type UnitedDeployment } from '@atoll/api';
import { merged } from '../merged.ts';
import type { Controller } from '../../../src/engine/controller.ts';
import type { Step } from '../../../src/engine/step.ts';
import { childKinds, kindFacts } from '../../../src/united-deployment/subsets/child-kind.ts';
import type { UnitedDeploymentSnapshot } from '../../../src/united-deployment/observe.ts';
import { podsOf, roomIn, rooms } from '../../neighbours/pods-of-subsets.ts';
import { planOf } from '../../explorer/planned.ts';
import { slotOf } from '../../model/store.ts';
import type { Store } from '../../model/store.ts';
import { objectsOf } from '../../world.ts';
import type { Effect, World } from '../../world.ts';
import { changingSteps, planning, seeing } from '../planted.ts';
import {
  imageIn,
  imageOf,
  kindOf,
  subsetOf,
  subsetsOf,
  waitsForOthers,
} from './united-deployment-objects.ts';
import { missingCondition } from './united-deployment-goals.ts';
import type { SmallChild } from './united-deployment-objects.ts';
import { childrenIn, childrenOf, ownerIn, totalOf } from './united-deployment-store.ts';
import { unitedDeploymentWorld } from './united-deployment-world.ts';
import type { UnitedDeploymentWorldOptions } from './united-deployment-world.ts';
import { alsoOf, alsoRemembering, withPlanted } from '../world-parts.ts';

/** Bugs of removal in two phases. */
export type RemovalBug =
  /** What the user asks for is not read. */
  | 'goes-at-once'
  /** A plan goes on although the user has asked otherwise since. */
  | 'guard-without-annotation'
  /** It is enough that others are there. */
  | 'presence-is-enough'
  /** It is enough that their pods are of the wanted template, available or not. */
  | 'updated-is-enough'
  /** Nobody sees that a child waits no longer. */
  | 'waits-for-ever';

export interface RemovalWorldOptions extends UnitedDeploymentWorldOptions {
  readonly removalBug?: RemovalBug;
  /** Children only take each other's place: no pod less is ready meanwhile. */
  readonly ready?: boolean;
}

/** What has been true at some moment. */
interface Settled {
  /** Generations at which every subset had all that was asked for. */
  readonly whole: readonly string[];
  /** Kind and subset of children that had all their pods, of whatever template. */
  readonly served: readonly string[];
}

/** A UnitedDeployment whose user wants children to stay until others have taken their place. */
export function removalWorld(options: RemovalWorldOptions): World {
  const base = unitedDeploymentWorld({ twoPhases: true, ...options });
  const judged = alsoRemembering<Settled>(base, { whole: [], served: [] }, remember, wrongDeletion);
  const missing: World['missing'] = (store) =>
    lacksRoom(store) ? missingMeanwhile(store) : base.missing(store);
  const world = { ...judged, missing };
  return withPlanted<UnitedDeploymentSnapshot>(
    options.ready === true ? alwaysReady(world) : world,
    (controller) => withBug(controller, options.removalBug),
  );
}

/** S: from the first moment at which all is as asked for, no pod less is ready. */
function alwaysReady(world: World): World {
  const wrongState: World['wrongState'] = (store, memory) => {
    const wasWhole = alsoOf<Settled>(memory)?.whole.length !== 0;
    return world.wrongState?.(store, memory) ?? (wasWhole ? tooFewReady(store) : undefined);
  };
  return { ...world, wrongState };
}

/** The subsets that are left have no room for all, so that the one that is removed stays. */
function lacksRoom(store: Store): boolean {
  const owner = ownerIn(store);
  const all = objectsOf(store, rooms);
  if (owner === undefined || all.length === 0) return false;
  const named = subsetsOf(owner).map(({ name }) => name);
  const ready = childrenIn(store)
    .filter((child) => named.includes(subsetOf(child)))
    .flatMap((child) => podsOf(store, child))
    .filter(isReady).length;
  return childrenIn(store).some((child) => !named.includes(subsetOf(child))) && ready < (totalOf(owner) ?? 0);
}

/** L: it is reported, and nobody is left who could find room. */
function missingMeanwhile(store: Store): string | undefined {
  const owner = ownerIn(store);
  if (owner === undefined) return undefined;
  const free = subsetsOf(owner).find(({ name }) => {
    const pods = childrenIn(store)
      .filter((child) => subsetOf(child) === name)
      .flatMap((child) => podsOf(store, child));
    return pods.some((pod) => !isReady(pod)) && pods.filter(isReady).length < roomIn(store, name);
  });
  if (free !== undefined) return `subset ${free.name} has room`;
  return missingCondition(owner, 'Ready', 'False', '');
}

function remember(old: Settled, store: Store): Settled {
  const owner = ownerIn(store);
  if (owner === undefined) return old;
  const kind = kindOf(owner);
  const serving = childrenOf(store, kindFacts[kind].resource).filter((child) => hasAll(child, owner));
  const current = serving.filter((child) => imageIn(child) === imageOf(owner));
  const sum = current.reduce((all, { spec }) => all + (spec?.replicas ?? 1), 0);
  const isWhole = current.length === subsetsOf(owner).length && sum === totalOf(owner);
  return {
    whole: merged(old.whole, isWhole ? [String(owner.metadata.generation)] : []),
    served: merged(
      old.served,
      serving.map((child) => `${kind} ${subsetOf(child)}`),
    ),
  };
}

function hasAll(child: SmallChild, owner: UnitedDeployment): boolean {
  const { metadata, spec, status } = child;
  const isNamed = subsetsOf(owner).some(({ name }) => name === subsetOf(child));
  const isSeen = status?.observedGeneration === metadata.generation;
  const isThere = (status?.availableReplicas ?? 0) >= (spec?.replicas ?? 1);
  return isNamed && isSeen && isThere;
}

/** E: only once others had taken its place. */
function wrongDeletion({ request, before, cached, late }: Effect, memory: Settled): string | undefined {
  if (request.verb !== 'delete' || request.resource.kind === 'ControllerRevision' || late) return undefined;
  const owner = ownerIn(before);
  const child = before.objects.get(slotOf(request.resource, request.key))?.object;
  if (owner === undefined || child === undefined || !waitsForOthers(owner)) return undefined;
  const name = subsetOf(child);
  const early = `${child.metadata.name} goes before others have taken its place`;
  if (!subsetsOf(owner).some((subset) => subset.name === name)) {
    return memory.whole.includes(String(owner.metadata.generation)) ? undefined : early;
  }
  // One of another kind can be made again, so what the cache holds is enough.
  const known = cached.known.get(slotOf(unitedDeployments, owner.metadata))?.object;
  if (known === undefined || !waitsForOthers(known)) return undefined;
  const others = childKinds.filter((kind) => kindFacts[kind].resource !== request.resource);
  return others.some((kind) => memory.served.includes(`${kind} ${name}`)) ? undefined : early;
}

function tooFewReady(store: Store): string | undefined {
  const owner = ownerIn(store);
  if (owner === undefined) return undefined;
  const ready = childrenIn(store).reduce((sum, { spec, status }) => {
    return sum + Math.min(spec?.replicas ?? 1, status?.readyReplicas ?? 0);
  }, 0);
  const { replicas = 0 } = owner.spec;
  return ready < replicas ? `${ready} of ${replicas} pods are ready while children change places` : undefined;
}

function withBug(
  controller: Controller<UnitedDeploymentSnapshot>,
  bug: RemovalBug | undefined,
): Controller<UnitedDeploymentSnapshot> {
  switch (bug) {
    case 'goes-at-once':
      return {
        ...controller,
        plan: (snapshot, decision, at) => {
          const { guards = [] } = controller.plan(snapshot, decision, at);
          const plan = planOf(controller, withoutWish(snapshot), at);
          return { ...plan, guards };
        },
      };
    case 'guard-without-annotation':
      return planning(controller, (plan) => {
        const { guards = [] } = plan;
        return { ...plan, guards: guards.map((guard) => ({ ...guard, annotations: {} })) };
      });
    case 'presence-is-enough':
      return seeing(controller, (snapshot) => ({
        ...snapshot,
        children: snapshot.children.map((child) => {
          const { metadata, spec } = child.object;
          const { replicas = 1 } = spec ?? {};
          const counts = { replicas, readyReplicas: replicas, updatedReplicas: replicas };
          const status = {
            ...counts,
            availableReplicas: replicas,
            observedGeneration: metadata.generation ?? 0,
          };
          return { ...child, object: { ...child.object, status } };
        }),
      }));
    case 'updated-is-enough':
      return seeing(controller, (snapshot) => ({
        ...snapshot,
        children: snapshot.children.map((child) => {
          const { status } = child.object;
          const { updatedReplicas = 0 } = status ?? {};
          const counts = { ...status, readyReplicas: updatedReplicas, availableReplicas: updatedReplicas };
          return { ...child, object: { ...child.object, status: counts } };
        }),
      }));
    case 'waits-for-ever':
      return changingSteps(controller, (step, { owner }) => {
        const waits = isDeletionOfChild(step) && waitsForOthers(owner.object);
        return waits ? [] : [step];
      });
    case undefined:
      return controller;
  }
}

function withoutWish(snapshot: UnitedDeploymentSnapshot): UnitedDeploymentSnapshot {
  const { owner } = snapshot;
  const { metadata } = owner.object;
  const { [annotations.subsetRemoval]: _, ...others } = metadata.annotations ?? {};
  const object = { ...owner.object, metadata: { ...metadata, annotations: others } };
  return { ...snapshot, owner: { ...owner, object } };
}

function isDeletionOfChild(step: Step): boolean {
  return step.do === 'delete' && step.resource.kind !== 'ControllerRevision';
}
