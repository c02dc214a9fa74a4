import { canonicalJson, deployments, stableHash, statefulSets } from '@atoll/kube';
import type { Instant, Stored } from '@atoll/kube';
import type { ChildWorkload } from '../../children/child.ts';
import { childName } from '../../children/names.ts';
import { triedRevision } from '../../children/revisions/revision.ts';
import type { SelectedPool } from '../../places/pools/select-pools.ts';
import type { ChildKind } from '../../pool-workload/child.ts';
import { isTooLong } from '../../pool-workload/holds.ts';
import { finishChild } from '../../pool-workload/rendering/finish-child.ts';
import type { Owner, RenderInput } from '../../pool-workload/rendering/render-child.ts';
import type { PoolTemplate } from '../../pool-workload/template.ts';
import { canBeTried } from './can-be-tried.ts';
import type { ChildTrial } from './trial.ts';

export interface PoolTrial extends ChildTrial {
  readonly kind: ChildKind;
  /** undefined: no pool is selected, and the template is tried for one that does not exist. */
  readonly pool: string | undefined;
}

export interface TrialInput {
  readonly owner: Owner;
  readonly template: PoolTemplate;
  readonly replicas: number | undefined;
  readonly pools: readonly PoolPlace[];
  /** Live children of the template's kind, by pool. */
  readonly children: ReadonlyMap<string, Stored<ChildWorkload>>;
  readonly now: Instant;
}

/** Renderings differ by what their pool's taints add. More than these are not tried: the conditions show what is refused. */
const maxRenderings = 3;
/** A template is tried also where it would not run yet. */
const nowhere = { name: 'pool', taints: [] };

/**
 * The children that stand for all: of the pools with the same taints one as a new child, because that is judged field
 * by field; and of all one as a change of a child that is there, because some fields cannot be changed, and those are
 * the template's. So a thousand pools cost two requests, and four where their taints differ.
 */
export function trialsOf(input: TrialInput): readonly PoolTrial[] {
  const groups = new Map<string, PoolPlace[]>();
  // A pool whose name is too long for a label gets no child, and must not stand for others.
  for (const pool of input.pools.filter(({ name }) => input.children.has(name) || !isTooLong(name))) {
    const key = canonicalJson(pool.taints);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [pool]);
    else group.push(pool);
  }
  const largest = [...groups.values()].sort((a, b) => b.length - a.length).slice(0, maxRenderings);
  if (largest.length === 0) return [trial(input, nowhere, undefined, undefined)];
  const places = largest.flatMap(
    (pools) => pools.find((pool) => input.children.has(pool.name)) ?? pools.slice(0, 1),
  );
  const asNew = places.map((place) => trial(input, place, place.name, undefined));
  const occupied = places.find(({ name }) => input.children.has(name));
  const live = occupied === undefined ? undefined : input.children.get(occupied.name);
  if (occupied === undefined || live === undefined) return asNew;
  const changed = trial(input, occupied, occupied.name, live);
  return canBeTried(changed.object, live) ? [...asNew, changed] : asNew;
}

type PoolPlace = Pick<SelectedPool, 'name' | 'taints'>;

function trial(
  { owner, template, replicas, children, now }: TrialInput,
  place: PoolPlace,
  pool: string | undefined,
  live: Stored<ChildWorkload> | undefined,
): PoolTrial {
  const { metadata, spec } = owner.object;
  const content = [metadata.namespace, template, replicas ?? null, spec.selector, place.taints];
  const revision = triedRevision(metadata.name, template);
  const name = live?.metadata.name ?? childName(metadata, place.name);
  // A template that is being written now is none that an old operator has seen.
  const known = { knownToOldOperator: { template: false, replicas: false }, history: [] };
  const wanted: RenderInput = { owner, pool: place, name, revision, replicas, ...known };
  return {
    key: stableHash([content, live?.metadata.uid ?? null, live?.metadata.generation ?? null], 20),
    resource: template.kind === 'Deployment' ? deployments : statefulSets,
    object: finishChild(wanted, live, now),
    uid: live?.metadata.uid,
    kind: template.kind,
    pool,
    occupied: children.has(place.name),
  };
}
