import { controllerRevisions } from '@atoll/kube';
import type { KubeObject, Resource } from '@atoll/kube';
import type { PolicyOf } from '../../src/engine/rollout/rollout-policy.ts';
import { edits } from '../neighbours/people.ts';
import { releaseAnnotation, releasedIn, releasePolicy, releasing } from '../examples/release-policy.ts';
import { atRest } from '../story.ts';
import { slotOf } from '../model/store.ts';
import type { Store } from '../model/store.ts';
import { objectsOf } from '../world.ts';
import type { Effect, Neighbour, World } from '../world.ts';
import { alsoRemembering } from './world-parts.ts';

/** Bugs of the layer that chooses what may be changed. */
export type HeldPlacesBug =
  /** Nobody is asked: everything is changed at once. */
  | 'holds-nothing'
  /** What joins gets the newest revision, although it is held. */
  | 'joins-at-the-newest';

export interface Owner extends KubeObject {
  readonly status?: {
    readonly currentRevision?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

export interface Child extends KubeObject {
  readonly spec?: { readonly replicas?: number };
}

/** What is particular to a kind. */
export interface HeldKind {
  /** With its controller under the policy. */
  readonly world: (policyOf: PolicyOf<Owner>) => World;
  readonly resource: Resource<Owner>;
  readonly childKinds: readonly Resource<KubeObject>[];
  readonly placesOf: (store: Store) => readonly string[];
  readonly placeOf: (child: Child) => string;
  /** `Deployment web:1`. */
  readonly describe: (child: Child) => string;
  /** What the template asks for, in the same words. */
  readonly asked: (owner: Owner) => string;
  /** How many replicas that many places have together. */
  readonly replicas: (owner: Owner, places: number) => number;
  /** What else is not yet as desired. */
  readonly missing?: (store: Store, owner: Owner) => string | undefined;
  /** What somebody does that makes a place join. */
  readonly joins: Neighbour;
}

/**
 * An object whose places are released one by one, by {@link releasePolicy}, from rest on. What is not released keeps its child:
 * the revision, the kind, the object.
 */
export function heldPlacesWorld(kind: HeldKind, bug?: HeldPlacesBug): World {
  const base = atRest(kind.world(policyWith(bug)));
  const world: World = {
    ...withoutOracles(base),
    neighbours: [...base.neighbours, kind.joins, releases(kind, base)],
    missing: (store) => missingIn(store, kind),
  };
  return alsoRemembering(
    world,
    [] as readonly string[],
    (seen, store) => remember(seen, store, kind),
    (effect, seen) => wrongEffect(effect, seen, kind),
  );
}

function policyWith(bug: HeldPlacesBug | undefined): PolicyOf<Owner> {
  if (bug === 'holds-nothing') return () => 'all';
  if (bug !== 'joins-at-the-newest') return releasePolicy;
  return (object, newest) => {
    const limits = releasePolicy(object, newest);
    return limits === 'all' ? limits : { ...limits, revisionWhileHeld: newest };
  };
}

/** The world's own oracles hold where everything is changed at once. */
function withoutOracles({
  wrongPlan: _plan,
  wrongEffect: _effect,
  wrongState: _state,
  memory: _memory,
  ...world
}: World) {
  return world;
}

function releases({ resource, placesOf }: HeldKind, { begin }: World): Neighbour {
  const atFirst = placesOf(begin);
  return edits('unhold', resource, (owner) =>
    atFirst
      .filter((place) => !releasedIn(owner).includes(place))
      .map((place) => ({
        label: `releases ${place}`,
        patch: { metadata: { annotations: { [releaseAnnotation]: releasing(owner, place) } } },
      })),
  );
}

/** What was complete at some time: `Deployment web:1`. */
function remember(seen: readonly string[], store: Store, { resource }: HeldKind): readonly string[] {
  const current = objectsOf(store, resource).flatMap((owner) => completeIn(owner, store) ?? []);
  return [...new Set([...seen, ...current])];
}

function completeIn(owner: Owner, store: Store): string | undefined {
  const { namespace = '' } = owner.metadata;
  const key = { namespace, name: owner.status?.currentRevision ?? '' };
  const revision = store.objects.get(slotOf(controllerRevisions, key))?.object as
    { readonly data?: object } | undefined;
  const data = JSON.stringify(revision?.data ?? '');
  const image = /web:\d+/.exec(data)?.[0];
  const kind = data.includes('statefulSetTemplate')
    ? 'StatefulSet'
    : data.includes('cloneSetTemplate')
      ? 'CloneSet'
      : 'Deployment';
  return image === undefined ? undefined : `${kind} ${image}`;
}

/** E: what is not released is not deleted and not changed in its pods, and what joins gets what was complete. */
function wrongEffect(
  { request, before, after }: Effect,
  complete: readonly string[],
  { resource, childKinds, placeOf, describe }: HeldKind,
): string | undefined {
  if (!childKinds.some(({ kind }) => kind === request.resource.kind)) return undefined;
  const slot = slotOf(request.resource, 'key' in request ? request.key : request.object.metadata);
  const [held, next] = [before, after].map(({ objects }) => objects.get(slot)?.object as Child | undefined);
  const child = held ?? next;
  const [owner] = objectsOf(before, resource);
  if (child === undefined || owner === undefined || releasedIn(owner).includes(placeOf(child)))
    return undefined;
  const named = `the ${request.resource.kind} of ${placeOf(child)}, which is held,`;
  if (request.verb === 'delete') return `${named} is deleted`;
  if (next === undefined) return undefined;
  const now = describe(next);
  if (held === undefined) return complete.includes(now) ? undefined : `${named} is made as ${now}`;
  return now === describe(held) ? undefined : `${named} becomes ${now}`;
}

/** L: one child in each place, where it is released, of the template; all of them as many pods as are asked for. */
function missingIn(store: Store, kind: HeldKind): string | undefined {
  const [owner] = objectsOf(store, kind.resource);
  if (owner === undefined) return undefined;
  const released = releasedIn(owner);
  const asked = kind.asked(owner);
  const places = kind.placesOf(store);
  const children = kind.childKinds.flatMap((resource) => objectsOf(store, resource)) as readonly Child[];
  let newest = 0;
  for (const place of places) {
    const found = children.filter((child) => kind.placeOf(child) === place).map(kind.describe);
    if (found.length !== 1) return `${place} has ${found.join(', ')}`;
    if (found[0] === asked) newest += 1;
    else if (released.includes(place)) return `${place} has ${found[0]}, and ${asked} is wanted`;
  }
  const replicas = children.reduce((sum, { spec }) => sum + (spec?.replicas ?? 1), 0);
  const wanted = kind.replicas(owner, places.length);
  if (replicas !== wanted) return `${wanted} replicas are asked for, and there are ${replicas}`;
  const also = kind.missing?.(store, owner);
  if (also !== undefined) return also;
  const ready = owner.status?.conditions?.find(({ type }) => type === 'Ready')?.status;
  return (ready === 'True') === (newest === places.length)
    ? undefined
    : `Ready is ${ready}, and ${newest} of ${places.length} run the template`;
}
