import { annotations, labels, nodePools, type NodePool, type PoolWorkload } from '@atoll/api';
import { compileSelector, InvalidSelectorError, selectorMatches } from '@atoll/kube';
import type { ObjectKey, Pod, Reader, Resource, Stored, Taint } from '@atoll/kube';
import type { Readers } from '../caches.ts';
import type { Finding } from '../causes/finding.ts';
import { findingsOf, type Findings } from '../causes/findings.ts';
import { nameConflicts, type NameConflict } from '../places/name-conflict.ts';
import { ownedChildren } from '../places/owned-children.ts';
import type { Place } from '../places/place.ts';
import { isTerminating, type ChildWorkload } from '../children/child.ts';
import { childName } from '../children/names.ts';
import {
  decideRevision,
  readHistory,
  type Revision,
  type RevisionDecision,
} from '../children/revisions/revision.ts';
import { seenAs } from '../engine/seen.ts';
import type { Seen } from '../engine/step.ts';
import { poolPlaces, type Child, type ChildKind } from './child.ts';
import type { Owner } from './rendering/render-child.ts';
import { readTemplate, revisionData } from './template.ts';

export interface SelectedPool extends Place {
  readonly pool: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  /** As the pool's status counts them; undefined where nobody counts. */
  readonly nodes: number | undefined;
  /** The name of its child, present or to come. */
  readonly childName: string;
  /** Being deleted: it keeps the child that it has until it is gone, and gets no other. */
  readonly terminating: boolean;
}

/** What the spec asks for, as far as it can be understood. */
export type Desired =
  | {
      readonly ok: true;
      /** In the order of their names; pools that are being deleted only as long as they have a child. */
      readonly places: readonly SelectedPool[];
      readonly revision: RevisionDecision<ChildKind>;
      readonly replicas: number | undefined;
    }
  | { readonly ok: false; readonly reason: 'InvalidSelector' | 'InvalidTemplate'; readonly problem: string };

export interface PoolWorkloadSnapshot {
  readonly owner: Owner;
  /** False while a cache has not been filled: then nothing that is absent proves anything. */
  readonly certain: boolean;
  readonly desired: Desired;
  /** Owned by UID, of both kinds, terminating ones included; in the order of kind and name. */
  readonly children: readonly Child[];
  /** The pools of children that are not selected, or are gone, as they were seen. */
  readonly departures: Readonly<Record<string, Seen>>;
  /** By pool, for selected pools whose child of the wanted kind is absent. */
  readonly nameConflicts: Readonly<Record<string, NameConflict>>;
  readonly history: readonly Revision<ChildKind>[];
  /** Of children that are StatefulSets, by the child's uid; none where they have not all been read. */
  readonly pods: Readonly<Record<string, readonly Stored<Pod>[]>>;
  /** Why children are not healthy, by the uid of the child, as far as that was found. */
  readonly findings: Readonly<Record<string, Finding>>;
}

export type PoolWorkloadReaders = Pick<
  Readers,
  'nodePools' | 'deployments' | 'statefulSets' | 'controllerRevisions' | 'poolPods'
>;

export function observe(
  resource: Resource<PoolWorkload>,
  workloads: Reader<PoolWorkload>,
  readers: PoolWorkloadReaders,
  findings: Findings,
  key: ObjectKey,
): PoolWorkloadSnapshot | undefined {
  const object = workloads.get(key);
  if (object === undefined) return undefined;
  const { nodePools, deployments, statefulSets, controllerRevisions } = readers;
  const certain = [workloads, nodePools, deployments, statefulSets, controllerRevisions].every(
    (reader) => reader.synced,
  );
  const owner: Owner = { resource, object };
  const history = readHistory(controllerRevisions.by('owner', object.metadata.uid), revisionData);
  const matching = desiredOf(owner, readers, history);
  const children = childrenOf(owner, readers, matching.ok ? matching.places : []);
  const desired = matching.ok ? { ...matching, places: staying(matching.places, children) } : matching;
  return {
    owner,
    certain,
    desired,
    children,
    departures: departuresOf(children, desired, readers),
    nameConflicts: desired.ok ? conflictsOf(owner, desired, children, readers) : {},
    history,
    pods: podsOf(children, readers),
    findings: findingsOf(children, findings),
  };
}

function podsOf(children: readonly Child[], { poolPods }: PoolWorkloadReaders): PoolWorkloadSnapshot['pods'] {
  if (!poolPods.synced) return {};
  const stateful = children.filter(({ kind }) => kind === 'StatefulSet');
  return Object.fromEntries(
    stateful.map(({ object: { metadata } }) => [metadata.uid, poolPods.by('owner', metadata.uid)]),
  );
}

function desiredOf(
  owner: Owner,
  readers: PoolWorkloadReaders,
  history: readonly Revision<ChildKind>[],
): Desired {
  const { spec, metadata, status } = owner.object;
  const selected = selectPools(owner, readers.nodePools);
  if (!selected.ok) return selected;
  const given = readTemplate(spec);
  if (!given.ok) return { ok: false, reason: 'InvalidTemplate', problem: given.problem };
  const { namespace = '' } = metadata;
  const revision = decideRevision(
    metadata.name,
    given.template,
    history,
    (name) => readers.controllerRevisions.get({ namespace, name }) !== undefined,
    status?.collisionCount ?? 0,
  );
  return { ok: true, places: selected.pools, revision, replicas: given.replicas };
}

/** An absent selector is not taken for "none": nothing may be deleted because a field is missing. */
function selectPools(
  owner: Owner,
  nodePools: Reader<NodePool>,
): Extract<Desired, { ok: false }> | { readonly ok: true; readonly pools: readonly SelectedPool[] } {
  const { nodepoolSelector } = owner.object.spec as { readonly nodepoolSelector?: object };
  if (nodepoolSelector === undefined || nodepoolSelector === null) {
    return { ok: false, reason: 'InvalidSelector', problem: 'spec.nodepoolSelector is missing' };
  }
  try {
    const selector = compileSelector(nodepoolSelector, 'spec.nodepoolSelector');
    const pools = nodePools
      .list()
      .filter((pool) => selectorMatches(selector, pool.metadata.labels))
      .map((pool) => selectedPool(owner, pool));
    return { ok: true, pools: pools.sort((a, b) => (a.name < b.name ? -1 : 1)) };
  } catch (error) {
    if (!(error instanceof InvalidSelectorError)) throw error;
    return { ok: false, reason: 'InvalidSelector', problem: error.message };
  }
}

/** What was read of a pool, by the owner's uid: the name of a child is a hash, and pools seldom change. */
const selectedPools = new WeakMap<Stored<NodePool>, Map<string, SelectedPool>>();

function selectedPool(owner: Owner, pool: Stored<NodePool>): SelectedPool {
  const { uid } = owner.object.metadata;
  const byOwner = selectedPools.get(pool) ?? new Map<string, SelectedPool>();
  const known = byOwner.get(uid);
  if (known !== undefined) return known;
  const selected = readPool(owner, pool);
  selectedPools.set(pool, byOwner.set(uid, selected));
  return selected;
}

function readPool(owner: Owner, pool: Stored<NodePool>): SelectedPool {
  const { name, labels: poolLabels = {} } = pool.metadata;
  const { readyNodeNum, unreadyNodeNum } = pool.status ?? {};
  const counted = readyNodeNum !== undefined || unreadyNodeNum !== undefined;
  return {
    name,
    pool: name,
    labels: poolLabels,
    taints: pool.spec?.taints ?? [],
    nodes: counted ? (readyNodeNum ?? 0) + (unreadyNodeNum ?? 0) : undefined,
    childName: childName(owner.object.metadata, name),
    terminating: isTerminating(pool),
  };
}

/** Without pools that are being deleted and have nothing that runs. */
function staying(pools: readonly SelectedPool[], children: readonly Child[]): readonly SelectedPool[] {
  const served = new Set(children.filter(({ object }) => !isTerminating(object)).map(({ place }) => place));
  return pools.filter((pool) => !pool.terminating || served.has(pool.name));
}

function childrenOf(
  owner: Owner,
  readers: PoolWorkloadReaders,
  pools: readonly SelectedPool[],
): readonly Child[] {
  const poolByName = new Map(pools.map((pool) => [pool.childName, pool.name]));
  return ownedChildren(
    owner,
    poolPlaces.childKinds,
    (kind) => readerOf(readers, kind),
    (child) => poolByName.get(child.metadata.name) ?? poolNamedBy(child),
  );
}

/**
 * The selector of a child cannot be changed by anybody, so it is asked first. The old operator maps by the annotation,
 * and the label says the same.
 */
export function poolNamedBy({ spec, metadata }: ChildWorkload): string | undefined {
  const named =
    spec?.selector?.matchLabels?.[labels.poolName] ??
    metadata.annotations?.[annotations.refNodePool] ??
    metadata.labels?.[labels.poolName];
  return named === '' ? undefined : named;
}

function departuresOf(
  children: readonly Child[],
  desired: Desired,
  readers: PoolWorkloadReaders,
): Record<string, Seen> {
  if (!desired.ok) return {};
  const selected = new Set(desired.places.map((pool) => pool.name));
  const departures: Record<string, Seen> = {};
  for (const { place: pool } of children) {
    if (pool === undefined || selected.has(pool)) continue;
    const found = readers.nodePools.get({ name: pool });
    // Whether it is selected is not known, so its child stays as it is.
    if (found === undefined && readers.nodePools.isUnreadable?.({ name: pool }) === true) continue;
    departures[pool] = seenAs(nodePools, { name: pool }, found);
  }
  return departures;
}

function conflictsOf(
  owner: Owner,
  { places, revision }: Extract<Desired, { ok: true }>,
  children: readonly Child[],
  readers: PoolWorkloadReaders,
): Readonly<Record<string, NameConflict>> {
  const { kind } = revision.update.template;
  return nameConflicts(owner, kind, places, children, readerOf(readers, kind));
}

export function readerOf(
  readers: Pick<PoolWorkloadReaders, 'deployments' | 'statefulSets'>,
  kind: ChildKind,
): Reader<ChildWorkload> {
  return kind === 'Deployment' ? readers.deployments : readers.statefulSets;
}
