import { annotations, labels, nodePools } from '@atoll/api';
import type { PoolWorkload } from '@atoll/api';
import { controllerOf, controllerRevisions, formatKey, groupResourceOf } from '@atoll/kube';
import type { KubeObject, ObjectKey, Resource } from '@atoll/kube';
import { merged } from './merged.ts';
import { sameJson } from '../../src/engine/same-meaning.ts';
import { slotOf } from '../model/store.ts';
import type { Store } from '../model/store.ts';
import { objectsOf } from '../world.ts';
import type { Effect, Planned } from '../world.ts';
import {
  childKindOf,
  childKinds,
  imageIn,
  imageOf,
  imagePutBack,
  isKeptAsLeft,
  isSelected,
  placement,
  poolOf,
} from './pool-workload-objects.ts';
import type { WithPods } from './pool-workload-objects.ts';

/** What a world's oracles need to know: which kind is explored, and which pool's child is refused for ever. */
export interface Rules {
  readonly resource: Resource<PoolWorkload>;
  readonly owners: readonly ObjectKey[];
  readonly refused: string | undefined;
  /** Whether a status must name every child that is known: exact only where nothing comes to be known meanwhile. */
  readonly summaries: boolean;
  /** Children are there that an older operator left: their pods stay as it rendered them, and duplicate children are to be resolved. */
  readonly old: boolean;
  /** No pool that is selected ever leaves. */
  readonly joining: boolean;
}

/** What was true at some moment. */
export interface Memory {
  /** Pools that were there and not selected, or gone while they had a child. */
  readonly left: readonly string[];
  /** Uids of children that were rolled out beside another one in their pool. */
  readonly available: readonly string[];
  /** The image by owner and generation. */
  readonly images: Readonly<Record<string, string>>;
}

export const nothingRemembered: Memory = { left: [], available: [], images: {} };

export function remember(memory: unknown, store: Store, { resource }: Rules): Memory {
  const { left, available, images } = memory as Memory;
  const selected = selectedPools(store);
  const children = childKinds.flatMap((kind) => objectsOf(store, kind)) as readonly WithPods[];
  const isLeft = (pool: string): boolean => !selected.includes(pool);
  const owners = objectsOf(store, resource);
  const seen = owners.map((owner): [string, string] => [generationOf(owner), imageOf(owner)]);
  return {
    left: merged(left, [...objectsOf(store, nodePools).map(nameOf), ...children.map(poolOf)].filter(isLeft)),
    available: merged(available, children.filter((child) => isSuccessor(child, children)).map(uidOf)),
    images: { ...images, ...Object.fromEntries(seen) },
  };
}

/** P, S2: what is made and deleted is what the pools ask for, as the caches show them: not as they once were. */
export function wrongPlan({ plan, known, unread }: Planned): string | undefined {
  if (unread.has(groupResourceOf(nodePools))) return undefined;
  const steps = plan.stages.flatMap((stage) => stage.steps);
  const made = steps.flatMap((step) => (step.do === 'create' && isOfChild(step) ? [step.object] : []));
  const gone = steps.flatMap((step) => {
    if (step.do !== 'delete' || !isOfChild(step)) return [];
    return known.get(slotOf(step.resource, step.key))?.object ?? [];
  });
  const all = [...[...known.values()].map(({ object }) => object), ...made];
  const wrong = [
    ...made.map((child) => wrongCreation(child, known)),
    ...gone.map((child) => wrongDeparture(child, known, all)),
  ];
  return wrong.find((each) => each !== undefined);
}

function isOfChild({ resource }: { readonly resource: Resource<KubeObject> }): boolean {
  return childKinds.includes(resource);
}

function wrongCreation(child: KubeObject, known: Planned['known']): string | undefined {
  const pool = known.get(slotOf(nodePools, { name: poolOf(child) }))?.object;
  const about = `a child is to be made for pool ${poolOf(child)}, which`;
  if (pool === undefined) return `${about} is gone`;
  if (!isLive(pool)) return `${about} is being deleted`;
  return isSelected(pool) ? undefined : `${about} is not selected`;
}

/** One of several children of a pool may go; which one, the truth decides. */
function wrongDeparture(
  child: KubeObject,
  known: Planned['known'],
  all: readonly KubeObject[],
): string | undefined {
  const pool = known.get(slotOf(nodePools, { name: poolOf(child) }))?.object;
  if (pool === undefined || !isSelected(pool) || !isLive(pool)) return undefined;
  const isOther = (each: KubeObject): boolean =>
    !sameObject(each, child) && poolOf(each) === poolOf(child) && sameOwner(each, child);
  return !all.some(isOther)
    ? `the child of pool ${poolOf(child)} is to be deleted, which is selected`
    : undefined;
}

/** E: what the operator must never do to the true store. */
export function wrongEffect(effect: Effect, rules: Rules): string | undefined {
  const { request, before, after } = effect;
  const slot = slotOf(request.resource, 'key' in request ? request.key : request.object.metadata);
  const [held, next] = [before.objects.get(slot)?.object, after.objects.get(slot)?.object] as readonly (
    WithPods | undefined
  )[];
  const { kind } = request.resource;
  if (kind === rules.resource.kind) return wrongStatus(effect, next as PoolWorkload | undefined, rules);
  if (kind === 'NodePool') return 'a pool is written';
  if (held === undefined) return undefined;
  if (!isOwned(held, effect, rules)) return `${kind} ${held.metadata.name} is not ours`;
  if (kind === 'ControllerRevision') return undefined;
  if (request.verb === 'delete') return wrongDeletion(effect, held, rules);
  if (next === undefined) return undefined;
  const back = goesBack(held, next);
  if (back !== undefined) return back;
  if (imageIn(held) === imagePutBack && imageIn(next) === 'web:1') {
    return `the pods of ${held.metadata.name} restart with a template that nobody edited since they were taken over`;
  }
  if (!sameImage(held, next) || !sameTolerations(held, next)) return undefined;
  return sameJson(held.spec?.template, next.spec?.template)
    ? undefined
    : `the pods of ${held.metadata.name} restart although their template is the same`;
}

/** Images and numbers only grow here: an older one is that of a spec that is no more. */
function goesBack(held: WithPods, next: WithPods): string | undefined {
  const { name } = held.metadata;
  if (imageNumber(next) < imageNumber(held)) {
    return `${name} goes back from ${imageIn(held)} to ${imageIn(next)}`;
  }
  const [from, to] = [replicasOf(held), replicasOf(next)];
  return to < from ? `${name} goes back from ${from} to ${to} replicas` : undefined;
}

function replicasOf({ spec }: WithPods): number {
  return (spec as { readonly replicas?: number } | undefined)?.replicas ?? 1;
}

function imageNumber(child: WithPods): number {
  return Number(imageIn(child).slice('web:'.length));
}

/**
 * A child goes when its pool did, or when another one serves it, or when its duplicate serves no less. That its pool ever did
 * is enough here, because a plan is carried out later than it was made: {@link wrongPlan} asks what the caches showed.
 */
function wrongDeletion({ memory, before }: Effect, child: WithPods, rules: Rules): string | undefined {
  const { left, available } = memory as Memory;
  const pool = poolOf(child);
  if (rules.joining && selectedPools(before).includes(pool)) {
    return `the child of pool ${pool} is deleted, which has joined`;
  }
  if (left.includes(pool)) return undefined;
  const successors = childKinds
    .flatMap((kind) => objectsOf(before, kind))
    .filter((each) => each !== child && poolOf(each) === pool && sameOwner(each, child));
  if (successors.length === 0) return `the child of pool ${pool} is deleted, which was always selected`;
  const [owner] = objectsOf(before, rules.resource).filter(({ metadata }) => metadata.uid === ownerOf(child));
  if (owner === undefined || successors.some((each) => available.includes(uidOf(each)))) return undefined;
  // In a world of duplicate children all are of one kind.
  if (rules.old && (child.status?.availableReplicas ?? 0) === 0) return undefined;
  return `the child of pool ${pool} is deleted before its successor is available`;
}

/** A status names the revision of the generation that it claims, and the children in the operator's caches. */
function wrongStatus(
  { memory, cached, after }: Effect,
  owner: PoolWorkload | undefined,
  rules: Rules,
): string | undefined {
  if (owner?.status === undefined) return undefined;
  const { updateRevision = '', workloadSummary = [], observedGeneration } = owner.status;
  const { namespace = '', uid = '' } = owner.metadata;
  const revision = after.objects.get(
    slotOf(controllerRevisions, { namespace, name: updateRevision }),
  )?.object;
  const image = (memory as Memory).images[`${uid} ${observedGeneration}`];
  const named = JSON.stringify((revision as { readonly data?: object } | undefined)?.data ?? image);
  if (image !== undefined && !named.includes(`"${image}"`)) {
    return `the status has generation ${observedGeneration} and describes another template than ${image}`;
  }
  if (!rules.summaries) return undefined;
  const kind = childKindOf(owner);
  const known = [...cached.known]
    .filter(([slot, { object }]) => slot.startsWith(slotOf(kind, { name: '' })) && ownerOf(object) === uid)
    .map(([, { object }]) => object);
  const pools = owner.status.nodepools ?? [];
  const listed = new Set(workloadSummary.map(({ workloadName }) => workloadName));
  const omitted = known.find(
    ({ metadata, ...child }) =>
      metadata.deletionTimestamp === undefined &&
      pools.includes(poolOf({ metadata, ...child })) &&
      !listed.has(metadata.name),
  );
  return omitted === undefined ? undefined : `the status leaves out ${omitted.metadata.name}, which is known`;
}

/** S: what must hold in every state. */
export function wrongState(store: Store, rules: Rules): string | undefined {
  for (const owner of objectsOf(store, rules.resource)) {
    for (const kind of childKinds) {
      const served = childrenOf(owner, store, kind).filter(isLive).map(poolOf);
      if (!rules.old && new Set(served).size !== served.length)
        return `two ${kind.plural} in one pool: ${served.join(', ')}`;
      const bare = childrenOf(owner, store, kind).find(
        (child) => !keepsPlacement(child) && !(rules.old && isLeft(child)),
      );
      if (bare !== undefined) return `${bare.metadata.name} has lost the user's placement`;
    }
    const names = (owner.status?.pools ?? []).map(({ name }) => name);
    if (names.join() !== [...names].sort().join()) return `status.pools is not sorted: ${names.join(', ')}`;
  }
  const stranger = [...store.objects].find(([slot]) => slot.endsWith('/stranger'))?.[1].object;
  return stranger?.metadata.ownerReferences === undefined ? undefined : 'the stranger was adopted';
}

/** L: what is not yet as desired. */
export function missingIn(store: Store, rules: Rules): string | undefined {
  for (const owner of objectsOf(store, rules.resource)) {
    const missing = missingFor(owner, store, rules);
    if (missing === undefined) continue;
    return rules.owners.length === 1 ? missing : `${formatKey(owner.metadata)}: ${missing}`;
  }
  return undefined;
}

function missingFor(owner: PoolWorkload, store: Store, { refused }: Rules): string | undefined {
  const selected = selectedPools(store);
  const wanted = selected.filter((name) => name !== refused).sort();
  const kind = childKindOf(owner);
  const own = childrenOf(owner, store, kind);
  const isWanted = (child: WithPods): boolean =>
    imageIn(child) === imageOf(owner) || isKeptAsLeft(child, owner);
  const have = own.filter(isWanted).map(poolOf);
  const shown = own.map((child) => `${poolOf(child)}@${imageIn(child)}`).join(', ') || 'none';
  if (have.sort().join() !== wanted.join() || own.length !== wanted.length) {
    return `pools ${wanted.join(', ')} want ${imageOf(owner)}; there are ${shown}`;
  }
  const other = childKinds.find((each) => each.kind !== kind.kind);
  if (other !== undefined && childrenOf(owner, store, other).length > 0)
    return `${other.plural} of the old kind are left`;
  return missingOfChildren(own, store) ?? missingInStatus(owner, own, selected, refused);
}

/** What was put on a child, and every taint of its pool borne by its pods. */
function missingOfChildren(own: readonly WithPods[], store: Store): string | undefined {
  for (const child of own) {
    const pool = objectsOf(store, nodePools).find(({ metadata }) => metadata.name === poolOf(child));
    const borne = child.spec?.template?.spec.tolerations?.map(({ key }) => key) ?? [];
    const wanted = [...placement.tolerations, ...(pool?.spec?.taints ?? [])].map(({ key }) => key);
    if (borne.join() !== wanted.join()) return `the pods of ${child.metadata.name} tolerate ${borne.join()}`;
    const label = child.metadata.labels?.[labels.poolName];
    if (label !== poolOf(child)) return `${child.metadata.name} is labelled ${label}`;
    if (child.metadata.annotations?.[annotations.refNodePool] !== label)
      return `${child.metadata.name} names no pool`;
  }
  return undefined;
}

function missingInStatus(
  owner: PoolWorkload,
  own: readonly WithPods[],
  selected: readonly string[],
  refused: string | undefined,
): string | undefined {
  const { status } = owner;
  if (status?.observedGeneration !== owner.metadata.generation) return 'the status is of an older generation';
  const named = status?.nodepools ?? [];
  if (named.join() !== [...selected].sort().join()) return `status.nodepools is ${named.join(', ')}`;
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const gone = own.filter((child) => !isLive(child)).map(poolOf);
  const waiting = [refused, ...gone].filter((pool) => pool !== undefined && selected.includes(pool));
  for (const child of own.filter(isLive)) {
    const summary = status?.pools?.find(({ name }) => name === poolOf(child));
    const { readyReplicas = 0, observedGeneration } = child.status ?? {};
    if (summary?.readyReplicas !== readyReplicas || summary.observedGeneration !== observedGeneration)
      return `the status counts ${summary?.readyReplicas} ready in ${poolOf(child)}, not ${readyReplicas}`;
  }
  const shown = `Ready is ${ready?.status}: ${ready?.reason} ${ready?.message}`;
  if (own.some((child) => isKeptAsLeft(child, owner))) {
    return ready?.status === 'False' && ready.reason === 'OldTemplateKept' ? undefined : shown;
  }
  if (waiting.length === 0) return ready?.status === 'True' ? undefined : shown;
  const namesAll = ready?.status === 'False' && waiting.every((pool) => ready.message?.includes(pool ?? ''));
  return namesAll ? undefined : `the status does not name ${waiting.join()}: ${shown}`;
}

function selectedPools(store: Store): readonly string[] {
  return objectsOf(store, nodePools)
    .filter(isSelected)
    .map((pool) => pool.metadata.name);
}

function childrenOf(owner: KubeObject, store: Store, kind: Resource<KubeObject>): readonly WithPods[] {
  return objectsOf(store, kind).filter((child) => ownerOf(child) === owner.metadata.uid);
}

/** By the workload on whose behalf it is written, in its own namespace; of a late request that is not known. */
function isOwned(object: KubeObject, { before, cached, key }: Effect, { resource }: Rules): boolean {
  const { namespace = '' } = object.metadata;
  const name = controllerOf(object)?.name ?? '';
  // A workload that has just gone: its children are collected whatever is still written to them.
  const isGone = !objectsOf(before, resource).some(({ metadata }) => metadata.uid === ownerOf(object));
  if (isGone && !cached.known.has(slotOf(resource, { namespace, name })))
    return key === `${namespace}/${name}`;
  return objectsOf(before, resource).some(
    ({ metadata }) =>
      metadata.uid === ownerOf(object) &&
      metadata.namespace === object.metadata.namespace &&
      (key === undefined || formatKey(metadata) === key),
  );
}

function keepsPlacement(child: WithPods): boolean {
  const { tolerations = [], nodeSelector, affinity } = child.spec?.template?.spec ?? {};
  return (
    tolerations.some(({ key }) => key === 'mine') &&
    nodeSelector?.['disk'] === 'ssd' &&
    sameJson(affinity?.podAntiAffinity, placement.affinity.podAntiAffinity)
  );
}

/** By an older operator, and not rolled since. */
function isLeft(child: WithPods): boolean {
  return child.metadata.name.includes('-old') && ['web:1', imagePutBack].includes(imageIn(child));
}

function isLive({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp === undefined;
}

/** Others count only where a child has to wait for them; to remember more would only make more states. */
function isSuccessor(child: WithPods, children: readonly WithPods[]): boolean {
  const has = (each: WithPods): boolean =>
    each !== child && poolOf(each) === poolOf(child) && sameOwner(each, child);
  return isRolledOut(child) && children.some(has);
}

function isRolledOut({ metadata, status }: WithPods): boolean {
  return status?.observedGeneration === metadata.generation && (status?.availableReplicas ?? 0) > 0;
}

function sameImage(a: WithPods, b: WithPods): boolean {
  return sameJson(a.spec?.template?.spec.containers, b.spec?.template?.spec.containers);
}

function sameTolerations(a: WithPods, b: WithPods): boolean {
  return sameJson(a.spec?.template?.spec.tolerations, b.spec?.template?.spec.tolerations);
}

function sameOwner(a: KubeObject, b: KubeObject): boolean {
  return ownerOf(a) === ownerOf(b);
}

function sameObject(a: KubeObject, b: KubeObject): boolean {
  return a.kind === b.kind && nameOf(a) === nameOf(b);
}

function ownerOf(object: KubeObject): string | undefined {
  return controllerOf(object)?.uid;
}

function nameOf({ metadata }: KubeObject): string {
  return metadata.name;
}

function uidOf({ metadata }: KubeObject): string {
  return metadata.uid ?? '';
}

function generationOf({ metadata }: KubeObject): string {
  return `${metadata.uid} ${metadata.generation}`;
}
