import { annotations, unitedDeployments, type UnitedDeployment } from '@atoll/api';
import { controllerOf, controllerRevisions, isReady } from '@atoll/kube';
import type { KubeObject } from '@atoll/kube';
import { merged } from '../merged.ts';
import { kindFacts } from '../../../src/united-deployment/subsets/child-kind.ts';
import { sameJson } from '../../../src/engine/same-meaning.ts';
import { slotOf } from '../../model/store.ts';
import type { Store } from '../../model/store.ts';
import { podsOf, smallPods } from '../../neighbours/pods-of-subsets.ts';
import { objectsOf } from '../../world.ts';
import type { Effect } from '../../world.ts';
import {
  childResources,
  imageIn,
  imageOf,
  kindOf,
  modeIn,
  ownerOf,
  partitionIn,
  subsetOf,
  subsetsOf,
} from './united-deployment-objects.ts';
import type { SmallChild } from './united-deployment-objects.ts';
import {
  childrenIn,
  childrenOf,
  isRolledOut,
  ownerIn,
  reserves,
  totalOf,
} from './united-deployment-store.ts';

/** What a world's oracles need to know. */
export interface Rules {
  /** The subset whose child is refused for ever. */
  readonly refused: string | undefined;
  /** The subset whose child may not grow, and how many replicas there must be all the same. */
  readonly kept?: { readonly subset: string; readonly least: number } | undefined;
  /** Children of the wanted kind cannot be made. */
  readonly unserved: boolean;
  /** Numbers follow from the spec and from children alone, not from pods. */
  readonly fixed: boolean;
  /** Somebody scales children by hand, so that their numbers prove nothing about ours. */
  readonly drifts: boolean;
  /** It begins with two children in one subset. */
  readonly duplicates: boolean;
}

/** What was true at some moment. */
export interface Memory {
  /** Subsets that the spec did not name. */
  readonly absent: readonly string[];
  /** Image and subset of children that were rolled out with it. */
  readonly rolled: readonly string[];
  /** By generation: image and sum. */
  readonly versions: Readonly<Record<string, { readonly image: string; readonly total: number | undefined }>>;
  /** The least partition that each subset ever had. */
  readonly partitions: Readonly<Record<string, number>>;
  /** Uids of the pods with which the world began. */
  readonly pods?: readonly string[];
  /** By child: how often its number of replicas changed, and the last one. */
  readonly scaled: Readonly<Record<string, { readonly times: number; readonly last: number }>>;
}

export const nothingRemembered: Memory = {
  absent: [],
  rolled: [],
  versions: {},
  partitions: {},
  scaled: {},
};

export function remember(memory: unknown, store: Store): Memory {
  const old = memory as Memory;
  const owner = ownerIn(store);
  const children = childrenIn(store);
  if (owner === undefined) return old;
  const named = subsetsOf(owner).map(({ name }) => name);
  const versions = {
    ...old.versions,
    [String(owner.metadata.generation)]: { image: imageOf(owner), total: totalOf(owner) },
  };
  return {
    absent: merged(
      old.absent,
      children.map(subsetOf).filter((name) => !named.includes(name)),
    ),
    rolled: merged(
      old.rolled,
      children.filter(isRolledOut).map((child) => `${imageIn(child)} ${subsetOf(child)}`),
    ),
    versions,
    pods: old.pods ?? objectsOf(store, smallPods).map(({ metadata }) => metadata.uid ?? ''),
    partitions: { ...old.partitions, ...leastPartitions(old.partitions, owner) },
    scaled: Object.fromEntries(children.map((child) => scaledBy(old, child))),
  };
}

function leastPartitions(old: Memory['partitions'], owner: UnitedDeployment): Memory['partitions'] {
  const wanted = owner.spec.updateStrategy?.manualUpdate?.partitions ?? {};
  return Object.fromEntries(
    subsetsOf(owner).map(({ name }) => [name, Math.min(old[name] ?? Infinity, wanted[name] ?? 0)]),
  );
}

function scaledBy({ scaled }: Memory, child: SmallChild): readonly [string, Memory['scaled'][string]] {
  const id = child.metadata.uid ?? '';
  const last = child.spec?.replicas ?? 1;
  const known = scaled[id];
  if (known?.last === last) return [id, known];
  return [id, { times: known === undefined ? 0 : known.times + 1, last }];
}

/** E: what the operator must never do to the true store. */
export function wrongEffect(effect: Effect, rules: Rules): string | undefined {
  const { request, before, after } = effect;
  const slot = slotOf(request.resource, 'key' in request ? request.key : request.object.metadata);
  const [held, next] = [before.objects.get(slot)?.object, after.objects.get(slot)?.object];
  const { kind } = request.resource;
  if (kind === 'UnitedDeployment') {
    return wrongOwner(effect, held as UnitedDeployment, next as UnitedDeployment | undefined);
  }
  if (kind === 'Pod') return wrongPod(effect, held, next);
  if (held === undefined) return undefined;
  const owner = ownerIn(before);
  if (!isOurs(held, owner, effect)) return `${kind} ${held.metadata.name} is not ours`;
  if (owner === undefined || ownerOf(held) !== owner.metadata.uid) return undefined;
  if (kind === 'ControllerRevision') return undefined;
  if (request.verb === 'delete') return wrongDeletion(effect, held, owner);
  return next === undefined ? undefined : wrongChange(effect, held as SmallChild, next as SmallChild, rules);
}

/** By uid; of one that is gone, or that the operator does not know to be another one, what is left goes with it. */
function isOurs(object: KubeObject, owner: UnitedDeployment | undefined, { cached }: Effect): boolean {
  const controller = controllerOf(object);
  if (controller?.kind !== unitedDeployments.kind) return false;
  const { namespace = '' } = object.metadata;
  const known = cached.known.get(slotOf(unitedDeployments, { namespace, name: controller.name }))?.object;
  if (known === undefined && owner === undefined) return true;
  return controller.uid === owner?.metadata.uid || controller.uid === known?.metadata.uid;
}

/** S7: the one who scales owns the total; it is filled in where it was left out, and the spec is nobody else's. */
function wrongOwner(
  { memory, request, after }: Effect,
  held: UnitedDeployment,
  next: UnitedDeployment | undefined,
): string | undefined {
  if (next === undefined) return 'the UnitedDeployment is deleted';
  if (request.verb === 'patch' && request.subresource === 'status') {
    return wrongStatus(memory, held, next, after) ?? (reserves(next) ? undefined : wrongFlip(held, next));
  }
  const { replicas, ...rest } = held.spec;
  const filledIn = held.metadata.annotations?.[annotations.totalOfSubsets] === String(replicas);
  const isTheirs = replicas !== undefined && !filledIn;
  if (isTheirs && next.spec.replicas !== replicas) return 'the total is written, which somebody has set';
  const { replicas: _, ...nextRest } = next.spec;
  return sameJson(rest, nextRest) ? undefined : 'the spec of the UnitedDeployment is written';
}

/** S2, L3: the status describes the generation that it names, and a revision is current when all have it. */
function wrongStatus(
  memory: object | undefined,
  held: UnitedDeployment,
  owner: UnitedDeployment,
  store: Store,
): string | undefined {
  const { versions, rolled, pods } = memory as Memory;
  const {
    observedGeneration,
    updatedRevision = '',
    currentRevision,
    subsetReplicas = {},
  } = owner.status ?? {};
  const version = versions[String(observedGeneration)];
  if (version === undefined) return undefined;
  const { namespace = '' } = owner.metadata;
  const slot = slotOf(controllerRevisions, { namespace, name: updatedRevision });
  const data = JSON.stringify(
    (store.objects.get(slot)?.object as { readonly data?: object } | undefined)?.data ?? version.image,
  );
  if (!data.includes(`"${version.image}"`)) {
    return `the status has generation ${observedGeneration} and describes another template than ${version.image}`;
  }
  const named = subsetsOf(owner).map(({ name }) => name);
  const least = objectsOf(store, smallPods).filter(
    (pod) => pods?.includes(pod.metadata.uid ?? '') === true && named.includes(subsetOf(pod)),
  );
  if ((owner.status?.updatedReplicas ?? 0) < least.length) {
    return `the status counts ${owner.status?.updatedReplicas} updated pods, where ${least.length} have always been`;
  }
  // The first revision is current at once.
  const before = held.status?.currentRevision ?? '';
  const advances = before !== '' && currentRevision !== before;
  if (currentRevision !== updatedRevision || !advances) return undefined;
  const early = Object.keys(subsetReplicas).find((name) => !rolled.includes(`${version.image} ${name}`));
  return early === undefined
    ? undefined
    : `${version.image} is the current revision, and subset ${early} never ran it`;
}

/** S6: a child goes when the spec does not name its subset, or when another one serves it. */
function wrongDeletion(
  { memory, before, late }: Effect,
  child: KubeObject,
  owner: UnitedDeployment,
): string | undefined {
  const name = subsetOf(child);
  const isNamed = subsetsOf(owner).some((subset) => subset.name === name);
  if (!isNamed || (late && (memory as Memory).absent.includes(name))) return undefined;
  const others = childrenIn(before).filter((each) => each !== child && subsetOf(each) === name);
  return others.length > 0 ? undefined : `the last child of subset ${name} is deleted, which the spec names`;
}

/** S3, C5: what changes follows from the spec. */
function wrongChange(
  effect: Effect,
  held: SmallChild,
  next: SmallChild,
  { fixed, drifts }: Rules,
): string | undefined {
  const { scaled, versions } = effect.memory as Memory;
  const { name, uid = '' } = next.metadata;
  const times = scaled[uid]?.times ?? 0;
  const changes = held.spec?.replicas !== next.spec?.replicas;
  const unschedulable = fixed ? undefined : wrongMove(effect, held, next);
  if (unschedulable !== undefined) return unschedulable;
  if (imageNumber(next) < imageNumber(held)) {
    return `${name} goes back from ${imageIn(held)} to ${imageIn(next)}`;
  }
  if (fixed && !drifts && changes && times >= Object.keys(versions).length) {
    return `${name} is scaled again, from ${held.spec?.replicas} to ${next.spec?.replicas}, and nobody asked`;
  }
  if (imageIn(held) !== imageIn(next) || modeIn(held) !== modeIn(next)) return undefined;
  const same = JSON.stringify(held.spec?.template) === JSON.stringify(next.spec?.template);
  return same ? undefined : `the pods of ${name} restart although their template is the same`;
}

/** Images only grow here: an older one is that of a spec that is no more. */
function imageNumber(child: SmallChild): number {
  return Number(imageIn(child).slice('web:'.length));
}

/** S5: nothing that is known to be ready goes elsewhere, where nobody asks for fewer. */
function wrongMove(effect: Effect, held: SmallChild, next: SmallChild): string | undefined {
  const { before, memory, cached, request } = effect;
  const { versions } = memory as Memory;
  const known = cached.known.get(slotOf(request.resource, next.metadata))?.object as SmallChild | undefined;
  const ready = known?.status?.readyReplicas ?? 0;
  const left = next.spec?.replicas ?? 1;
  const isFewer = left < (held.spec?.replicas ?? 1);
  const totals = new Set(Object.values(versions).map(({ total }) => total));
  const owner = ownerIn(before);
  if (owner === undefined) return undefined;
  if (reserves(owner)) return totals.size === 1 ? wrongStandIns(effect, [...totals][0]) : undefined;
  const running = objectsOf(before, smallPods).filter(isReady).length;
  if (running > (owner.spec.replicas ?? 0)) return undefined;
  return isFewer && left < ready && totals.size === 1
    ? `${next.metadata.name} goes to ${left} replicas with ${ready} ready`
    : undefined;
}

/**
 * S5: in reservation pods that stood in for others go when these are ready themselves, and not before. Where somebody asks for
 * fewer, the order of the subsets decides which.
 */
function wrongStandIns({ before, after }: Effect, total: number | undefined = 0): string | undefined {
  const kept = (store: Store): number =>
    childrenIn(store).reduce((sum, child) => {
      const ready = podsOf(before, child).filter(isReady).length;
      return sum + Math.min(ready, child.spec?.replicas ?? 1);
    }, 0);
  const least = Math.min(kept(before), total);
  return kept(after) < least ? `${kept(after)} pods stay ready, where ${least} were` : undefined;
}

/** L2: a subset that found no room is not trusted before its window is over. */
function wrongFlip(held: UnitedDeployment, next: UnitedDeployment): string | undefined {
  const { adaptive } = next.spec.topology?.scheduleStrategy ?? {};
  const windowMs = (adaptive?.unschedulableDuration ?? 300) * 1000;
  for (const { name, conditions = [] } of held.status?.subsetStatuses ?? []) {
    const old = conditions.find(({ type }) => type === 'Schedulable');
    const found = next.status?.subsetStatuses?.find((each) => each.name === name);
    const now = found?.conditions?.find(({ type }) => type === 'Schedulable');
    if (old?.status !== 'False' || now?.status === 'False' || found === undefined) continue;
    const lasted = Date.parse(now?.lastTransitionTime ?? '') - Date.parse(old.lastTransitionTime ?? '');
    if (!(lasted >= windowMs)) return `subset ${name} counts as schedulable again before its window is over`;
  }
  return undefined;
}

/** Only the label by which they are counted, and never one that is ready and of the wanted template. */
function wrongPod({ request }: Effect, held: KubeObject | undefined, next: KubeObject | undefined) {
  if (request.verb === 'delete') return `pod ${held?.metadata.name} is deleted`;
  const bare = (pod: KubeObject | undefined): string => {
    const { metadata, ...rest } = pod ?? { metadata: { name: '' } };
    return JSON.stringify([metadata.name, metadata.uid, rest]);
  };
  return bare(held) === bare(next) ? undefined : `pod ${held?.metadata.name} is changed`;
}

/** S: what must hold in every state. */
export function wrongState(store: Store, { drifts, duplicates }: Rules, memory?: Memory): string | undefined {
  const owner = ownerIn(store);
  if (owner === undefined) return undefined;
  for (const resource of childResources) {
    const served = childrenOf(store, resource).map(subsetOf);
    if (!duplicates && new Set(served).size !== served.length)
      return `two ${resource.plural} in one subset: ${served.join(', ')}`;
  }
  const early = childrenIn(store).find((child) => isEarly(child, memory));
  if (early !== undefined) return `the partition of ${early.metadata.name} is ${partitionIn(early)}`;
  const names = (owner.status?.subsetStatuses ?? []).map(({ name }) => name);
  if (new Set(names).size !== names.length) return `status.subsetStatuses names a subset twice`;
  // In reservation pods stand in for those that found no room, beyond the total.
  return drifts || duplicates || reserves(owner) ? undefined : wrongSum(store, owner, memory);
}

/** S4: a StatefulSet or CloneSet updates at most what some version of the spec released. */
function isEarly(child: SmallChild, memory: Memory | undefined): boolean {
  const least = memory?.partitions[subsetOf(child)];
  return (
    least !== undefined &&
    imageIn(child) !== 'web:1' &&
    partitionIn(child) < Math.min(least, child.spec?.replicas ?? 1)
  );
}

/** S2: what children are asked for is never more than the largest total, also while replicas move where there is room. */
function wrongSum(store: Store, owner: UnitedDeployment, memory: Memory | undefined): string | undefined {
  const totals = Object.values(memory?.versions ?? {}).flatMap(({ total }) => total ?? []);
  if (totals.length === 0) return undefined;
  const most = Math.max(...totals, totalOf(owner) ?? 0);
  const children = childrenOf(store, kindFacts[kindOf(owner)].resource);
  const named = subsetsOf(owner).map(({ name }) => name);
  const known = children.filter(
    (child) => named.includes(subsetOf(child)) && memory?.absent.includes(subsetOf(child)) !== true,
  );
  const sum = known.reduce((total, { spec }) => total + (spec?.replicas ?? 1), 0);
  return sum > most ? `${sum} replicas are asked for, where ${most} were the most` : undefined;
}
