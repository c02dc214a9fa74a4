import type { PoolWorkload } from '@atoll/api';
import type { ControllerRevision, ObjectKey, Pod, Reader, Resource, Stored } from '@atoll/kube';
import type { Readers } from '../caches.ts';
import type { Finding } from '../causes/finding.ts';
import { findingsOf, type Findings } from '../causes/findings.ts';
import { storedHistory } from '../places/adoption/orphaned-history.ts';
import { besideChildren, nothingBeside, type BesideChildren } from '../places/children/beside-children.ts';
import { ownedChildren } from '../places/children/owned-children.ts';
import { poolsLeft } from '../places/pools/pools-left.ts';
import { poolsInUse, selectPools, type SelectedPool } from '../places/pools/select-pools.ts';
import { readerOf } from '../places/reader-of.ts';
import { installedDefinition, type InstalledDefinition } from '../children/lost-with-definition.ts';
import { childName } from '../children/names.ts';
import { isTemplateToBeApplied, withOldDefaults } from '../children/revisions/old-defaults.ts';
import {
  decideRevision,
  readHistory,
  type Revision,
  type RevisionDecision,
} from '../children/revisions/revision.ts';
import type { Seen } from '../engine/step.ts';
import { formerPools, poolNamedBy, poolPlaces, type Child, type ChildKind } from './child.ts';
import type { KnownToOldOperator, Owner } from './rendering/render-child.ts';
import { knownToOldOperator } from './take-over/known-to-old-operator.ts';
import { ownedBy } from '../children/ownership/owned-by.ts';
import {
  yurtAppDaemonsOfYurt,
  yurtManagersOf,
  type YurtManager,
} from '../children/ownership/yurt-managers.ts';
import { readTemplate, revisionData } from './template.ts';

/** What the spec asks for, as far as it can be understood. */
export type Desired =
  | {
      readonly ok: true;
      /** In the order of their names; pools that are being deleted only as long as they have a child. */
      readonly places: readonly SelectedPool[];
      readonly revision: RevisionDecision<ChildKind>;
      readonly replicas: number | undefined;
      readonly knownToOldOperator: KnownToOldOperator;
    }
  | { readonly ok: false; readonly reason: 'InvalidSelector' | 'InvalidTemplate'; readonly problem: string };

export interface PoolWorkloadSnapshot extends BesideChildren<ChildKind> {
  readonly owner: Owner;
  /** False while a cache has not been filled: then nothing that is absent proves anything. */
  readonly certain: boolean;
  readonly desired: Desired;
  /** Owned by UID, of both kinds, terminating ones included; in the order of kind and name. */
  readonly children: readonly Child[];
  /** The pools of children that are not selected, or are gone, as they were seen. */
  readonly poolsLeft: Readonly<Record<string, Seen>>;
  readonly definitionOfPools: InstalledDefinition;
  /** With those that are to become ours, and those of which that is not clear yet. */
  readonly history: readonly Revision<ChildKind>[];
  /** Revisions that nobody owns and that are to become ours. */
  readonly orphanedHistory: readonly Stored<ControllerRevision>[];
  /** Of children that are StatefulSets, by the child's uid; none where they have not all been read. */
  readonly pods: Readonly<Record<string, readonly Stored<Pod>[]>>;
  /** Why children are not healthy, by the uid of the child, as far as that was found. */
  readonly findings: Readonly<Record<string, Finding>>;
  /** Where OpenYurt's own controller for YurtAppDaemons may run. */
  readonly yurtManagers: readonly YurtManager[];
}

export type PoolWorkloadReaders = Pick<
  Readers,
  'nodePools' | 'definitionOfNodePools' | 'deployments' | 'statefulSets' | 'controllerRevisions' | 'poolPods'
>;

export function observe(
  resource: Resource<PoolWorkload>,
  workloads: Reader<PoolWorkload>,
  readers: PoolWorkloadReaders,
  key: ObjectKey,
  findings: Findings,
): PoolWorkloadSnapshot | undefined {
  const object = workloads.get(key);
  if (object === undefined) return undefined;
  const { nodePools, definitionOfNodePools, deployments, statefulSets, controllerRevisions } = readers;
  const certain = [
    workloads,
    nodePools,
    definitionOfNodePools,
    deployments,
    statefulSets,
    controllerRevisions,
  ].every((reader) => reader.synced);
  const owner: Owner = { resource, object };
  const stored = storedHistory(owner, controllerRevisions, { data: revisionData });
  const history = readHistory(stored.all, revisionData);
  const matching = desiredOf(owner, readers, history);
  const children = childrenOf(owner, readers, matching.ok ? matching.places : []);
  const desired = matching.ok ? { ...matching, places: poolsInUse(matching.places, children) } : matching;
  return {
    owner,
    certain,
    desired,
    children,
    poolsLeft: desired.ok ? poolsLeft(children, desired.places, readers.nodePools) : {},
    definitionOfPools: installedDefinition(nodePools, definitionOfNodePools),
    ...(desired.ok ? besideIn(owner, desired, children, readers) : nothingBeside),
    history,
    orphanedHistory: stored.orphaned,
    pods: podsOf(children, readers),
    findings: findingsOf(children, findings),
    yurtManagers: yurtManagersOf(yurtAppDaemonsOfYurt, deployments),
  };
}

function podsOf(children: readonly Child[], { poolPods }: PoolWorkloadReaders): PoolWorkloadSnapshot['pods'] {
  if (!poolPods.synced) return {};
  const stateful = children.filter(({ kind }) => kind === 'StatefulSet');
  return Object.fromEntries(stateful.map(({ object }) => [object.metadata.uid, ownedBy(poolPods, object)]));
}

function desiredOf(
  owner: Owner,
  readers: PoolWorkloadReaders,
  history: readonly Revision<ChildKind>[],
): Desired {
  const { spec } = owner.object;
  const selected = selectPools(spec.nodepoolSelector, readers.nodePools);
  if (!selected.ok) return { ok: false, reason: 'InvalidSelector', problem: selected.problem };
  const given = readTemplate(spec);
  if (!given.ok) return { ok: false, reason: 'InvalidTemplate', problem: given.problem };
  const { template, replicas } = given;
  const asStored = isTemplateToBeApplied(owner.object) ? undefined : withOldDefaults(template);
  const revision = decideRevision(owner.object, template, history, readers.controllerRevisions, asStored);
  const known = knownToOldOperator(revision, replicas, history);
  return { ok: true, places: selected.pools, revision, replicas, knownToOldOperator: known };
}

function childrenOf(
  owner: Owner,
  readers: PoolWorkloadReaders,
  pools: readonly SelectedPool[],
): readonly Child[] {
  const { metadata } = owner.object;
  const named = (name: string) => pools.find((pool) => childName(metadata, pool.name) === name)?.name;
  return ownedChildren(
    owner,
    poolPlaces.childKinds,
    (kind) => readerOf(readers, kind),
    (child) => poolNamedBy(child) ?? named(child.metadata.name),
  );
}

function besideIn(
  owner: Owner,
  { places, revision }: Extract<Desired, { ok: true }>,
  children: readonly Child[],
  readers: PoolWorkloadReaders,
): BesideChildren<ChildKind> {
  const { kind } = revision.update.template;
  const reader = (each: ChildKind) => readerOf(readers, each);
  const { controllerRevisions: revisions } = readers;
  return besideChildren(
    owner,
    { kind, places },
    children,
    poolPlaces.childKinds,
    reader,
    revisions,
    formerPools,
  );
}
