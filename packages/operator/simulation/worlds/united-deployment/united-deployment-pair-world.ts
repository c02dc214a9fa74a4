import { labels, unitedDeployments } from '@atoll/api';
import { controllerOf, controllerRevisions, deployments, formatKey } from '@atoll/kube';
import type { CacheEvent, KubeObject, ObjectKey, Resource } from '@atoll/kube';
import { ownerKey } from '../../../src/children/keys-for-child.ts';
import { childName } from '../../../src/children/names.ts';
import type { Controller } from '../../../src/engine/controller.ts';
import type { UnitedDeploymentSnapshot } from '../../../src/united-deployment/observe.ts';
import { orphanFinalizer } from '../../neighbours/orphan-finalizer.ts';
import { creates, deletes, edits } from '../../neighbours/people.ts';
import { atRest } from '../../story.ts';
import { seed, slotOf } from '../../model/store.ts';
import type { Store } from '../../model/store.ts';
import type { Effect, World } from '../../world.ts';
import { changingSteps, seeing } from '../planted.ts';
import { missingCondition } from './united-deployment-goals.ts';
import { united, web } from './united-deployment-objects.ts';
import { ownerIn } from './united-deployment-store.ts';
import { shapeOf, unitedDeploymentWorld } from './united-deployment-world.ts';
import type { UnitedDeploymentWorldOptions } from './united-deployment-world.ts';
import { withPlanted } from '../world-parts.ts';
import { stamp } from '../world-options.ts';

/** Bugs that show only where there are two. */
export type PairBug =
  /** Children are found by the labels that both give. */
  | 'finds-by-labels'
  /** A child's name does not show which owner it has. */
  | 'names-without-owner'
  /** Children enqueue the owner of that name, wherever it is. */
  | 'enqueues-another-namespace'
  /** A child that changes hands enqueues its new owner alone. */
  | 'old-owner-not-requeued'
  /** A child that goes enqueues its owner alone, not those that need its name. */
  | 'freed-name-not-announced';

export interface PairWorldOptions extends UnitedDeploymentWorldOptions {
  /** Besides `edge/web`, with the same selector and the same subset. */
  readonly other: ObjectKey;
  /** The other one comes when the first is as it should be. */
  readonly comesLater?: boolean;
  readonly pairBug?: PairBug;
}

type Memories = Readonly<Record<string, object>>;

/** Two UnitedDeployments that are alike but for their names. */
export function pairWorld(options: PairWorldOptions): World {
  const { other, pairBug, comesLater = false } = options;
  const alone = { subsets: [{ name: 'a' }], total: 1, ...options };
  const base = unitedDeploymentWorld(alone);
  const owners = [web, other];
  const second = united(shapeOf(alone), other);
  const memory = base.memory ?? { begin: {}, next: () => ({}) };
  const world: World = {
    ...base,
    begin: seed(comesLater ? atRest(base).begin : base.begin, unitedDeployments, second, 'uid-other', stamp),
    keys: owners.map(formatKey),
    neighbours: [
      ...base.neighbours,
      orphanFinalizer(unitedDeployments, [deployments as Resource<KubeObject>, controllerRevisions]),
      deletes('orphan', unitedDeployments, () => true, 'Orphan'),
      creates('again', unitedDeployments, [united(shapeOf(alone)), second]),
      edits('hand over', deployments as Resource<KubeObject>, (child) =>
        controllerOf(child)?.uid === 'uid-web' ? [handedOver(child, other)] : [],
      ),
    ],
    memory: {
      begin: Object.fromEntries(owners.map((key) => [formatKey(key), memory.begin])),
      next: (memories, store, now) =>
        Object.fromEntries(
          owners.map((key) => {
            const old = (memories as Memories)[formatKey(key)] ?? {};
            return [formatKey(key), memory.next(old, onlyOf(store, key), now)];
          }),
        ),
    },
    wrongEffect: (effect) => wrongEffect(effect, base, owners),
    wrongState: (store, memories) =>
      firstOf(owners, (key) => {
        return base.wrongState?.(onlyOf(store, key), (memories as Memories | undefined)?.[formatKey(key)]);
      }),
    missing: (store) =>
      firstOf(owners, (key) => {
        const view = onlyOf(store, key);
        const missing = hasOthersName(store, key) ? missingReport(view) : base.missing(view);
        return missing === undefined ? undefined : `${formatKey(key)}: ${missing}`;
      }),
  };
  return withPlanted<UnitedDeploymentSnapshot>(world, (controller, caches) => {
    const cache = caches.find(({ resource }) => resource === deployments);
    return withBug(controller, () => cache?.list() ?? [], pairBug);
  });
}

/** E: nothing that is the other one's; and each for itself as if it were alone. */
function wrongEffect(effect: Effect, base: World, owners: readonly ObjectKey[]): string | undefined {
  const { request, before, after, memory, key } = effect;
  const own = owners.find((each) => formatKey(each) === key);
  const other = owners.find((each) => formatKey(each) !== key);
  if (own === undefined || other === undefined) return undefined;
  const slot = slotOf(request.resource, 'key' in request ? request.key : request.object.metadata);
  const held = before.objects.get(slot)?.object;
  const others = uidOf(before, other);
  const isOthers = held !== undefined && (controllerOf(held)?.uid ?? held.metadata.uid) === others;
  if (isOthers) return `${key} writes ${request.resource.kind} ${held.metadata.name} of ${formatKey(other)}`;
  return base.wrongEffect?.({
    ...effect,
    before: onlyOf(before, own),
    after: onlyOf(after, own),
    memory: (memory as Memories | undefined)?.[formatKey(own)],
  });
}

/** Somebody makes the other one the owner. */
/** As one of its current revision, which has the same template. */
function handedOver(
  { metadata: { name, ownerReferences = [], labels: found = {} } }: KubeObject,
  other: ObjectKey,
) {
  const given = ownerReferences.map((each) => ({ ...each, name: other.name, uid: 'uid-other' }));
  const revision = found[labels.subsetRevision]?.replace(web.name, other.name) ?? '';
  return {
    label: `hands ${name} over to ${other.name}`,
    patch: { metadata: { ownerReferences: given, labels: { [labels.subsetRevision]: revision } } },
  };
}

/** Whether the other one has the child whose name this one's child would get. */
function hasOthersName(store: Store, key: ObjectKey): boolean {
  const uid = uidOf(store, key) ?? '';
  const name = childName({ name: key.name, uid }, 'a');
  const held = store.objects.get(slotOf(deployments, { ...key, name }))?.object;
  const holder = held === undefined ? undefined : controllerOf(held)?.uid;
  return holder !== undefined && holder !== uid;
}

/** L: an object without its child reports why. */
function missingReport(view: Store): string | undefined {
  const owner = ownerIn(view);
  return owner === undefined ? undefined : missingCondition(owner, 'Ready', 'False', 'exists already');
}

function uidOf(store: Store, key: ObjectKey): string | undefined {
  return store.objects.get(slotOf(unitedDeployments, key))?.object.metadata.uid;
}

const views = new WeakMap<Store['objects'], Map<string, Store>>();

/** The store as if there were no other UnitedDeployment. */
function onlyOf(store: Store, key: ObjectKey): Store {
  const known = views.get(store.objects) ?? new Map<string, Store>();
  views.set(store.objects, known);
  const name = formatKey(key);
  const view = known.get(name) ?? { ...store, objects: withoutOthers(store, key) };
  known.set(name, view);
  return view;
}

function withoutOthers({ objects }: Store, key: ObjectKey): Store['objects'] {
  const own = slotOf(unitedDeployments, key);
  const others = [...objects].filter(([slot]) => slot !== own && slot.startsWith(prefix));
  const uids = new Set(others.map(([, { object }]) => object.metadata.uid));
  return new Map(
    [...objects].filter(([, { object }]) => {
      return !uids.has(object.metadata.uid) && !uids.has(controllerOf(object)?.uid);
    }),
  );
}

const prefix = slotOf(unitedDeployments, { name: '' });

function firstOf<T>(list: readonly T[], ask: (each: T) => string | undefined): string | undefined {
  for (const each of list) {
    const found = ask(each);
    if (found !== undefined) return found;
  }
  return undefined;
}

function withBug(
  controller: Controller<UnitedDeploymentSnapshot>,
  known: () => readonly KubeObject[],
  bug: PairBug | undefined,
): Controller<UnitedDeploymentSnapshot> {
  switch (bug) {
    case 'finds-by-labels':
      return seeing(controller, (snapshot) => {
        const { namespace } = snapshot.owner.object.metadata;
        const children = known()
          .filter(({ metadata }) => metadata.namespace === namespace)
          .map((object) => ({
            kind: 'Deployment' as const,
            object: object as UnitedDeploymentSnapshot['children'][number]['object'],
            place: object.metadata.labels?.[labels.subsetName],
          }));
        return { ...snapshot, children };
      });
    case 'names-without-owner':
      return changingSteps(controller, (step) => {
        if (step.do !== 'create' || step.resource.kind !== 'Deployment') return [step];
        const name = childName({ name: web.name, uid: 'uid-web' }, 'a');
        const metadata = { ...step.object.metadata, name };
        return [{ ...step, object: { ...step.object, metadata } }];
      });
    case 'enqueues-another-namespace':
      return withKeysOfChildren(controller, (_event, keys) =>
        keys.map((key) => key.replace(/^.*\//, 'edge/')),
      );
    case 'old-owner-not-requeued':
      return withKeysOfChildren(controller, (event, keys) =>
        event.type === 'updated' ? ownerAlone(event) : keys,
      );
    case 'freed-name-not-announced':
      return withKeysOfChildren(controller, (event, keys) =>
        event.type === 'deleted' ? ownerAlone(event) : keys,
      );
    case undefined:
      return controller;
  }
}

function withKeysOfChildren(
  controller: Controller<UnitedDeploymentSnapshot>,
  change: (event: CacheEvent<KubeObject>, keys: readonly string[]) => readonly string[],
): Controller<UnitedDeploymentSnapshot> {
  return {
    ...controller,
    sources: controller.sources.map((source) =>
      source.reader.resource === deployments
        ? { ...source, keysFor: (event) => change(event, [...source.keysFor(event)]) }
        : source,
    ),
  };
}

function ownerAlone({ object }: CacheEvent<KubeObject>): readonly string[] {
  const key = ownerKey(unitedDeployments, object);
  return key === undefined ? [] : [key];
}
