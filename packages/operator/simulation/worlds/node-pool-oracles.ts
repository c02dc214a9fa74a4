import { annotations, labels, nodePools } from '@atoll/api';
import type { NodePool } from '@atoll/api';
import { groupResourceOf, isReady } from '@atoll/kube';
import type { KubeObject } from '@atoll/kube';
import { merged } from './merged.ts';
import { sameJson } from '../../src/engine/same-meaning.ts';
import { slotOf } from '../model/store.ts';
import type { Store } from '../model/store.ts';
import { objectsOf } from '../world.ts';
import type { Effect, Reported } from '../world.ts';
import {
  desiredOf,
  givenAnnotations,
  givenLabels,
  givenTaints,
  hasTaint,
  poolOf,
  recordOf,
  smallNodes,
  somebodys,
  taintOf,
} from './node-pool-objects.ts';
import type { SmallNode } from './node-pool-objects.ts';

type Strings = Readonly<Record<string, string>>;

/** What was true at some moment. */
export interface Memory {
  /** Nodes, behind each generation of a pool, whose labels were once as it wants them. */
  readonly carried: readonly string[];
  /** Nodes by pools that they were ever not in, or asked to leave. */
  readonly absent: readonly string[];
}

export const nothingRemembered: Memory = { carried: [], absent: [] };

/** `names`: of all nodes that there ever are. */
export function remember(memory: unknown, store: Store, names: readonly string[]): Memory {
  const { carried, absent } = memory as Memory;
  const pools = objectsOf(store, nodePools);
  const all = objectsOf(store, smallNodes);
  const right = pools.flatMap((pool) =>
    all.filter((node) => carries(node, pool)).map((node) => `${generationOf(pool)} ${node.metadata.name}`),
  );
  const away = pools.flatMap(({ metadata }) =>
    names
      .filter((name) => {
        const node = all.find((each) => each.metadata.name === name);
        return node === undefined || poolOf(node) !== metadata.name || asksAnew(node);
      })
      .map((name) => `${metadata.name} ${name}`),
  );
  return { carried: merged(carried, right), absent: merged(absent, away) };
}

/** P: a status names every node that the caches show in the pool, also one that was in it before, and not meanwhile. */
export function wrongReport({ writes, key, known, unread }: Reported): string | undefined {
  if (unread.has(groupResourceOf(smallNodes))) return undefined;
  const members = [...known]
    .filter(
      ([slot, { object }]) => slot.startsWith(slotOf(smallNodes, { name: '' })) && poolOf(object) === key,
    )
    .map(([, { object }]) => object)
    .filter((node) => !asksAnew(node))
    .map(({ metadata }) => metadata.name);
  for (const { object, status } of writes) {
    const named = (status as NodePool['status'])?.nodes ?? [];
    const omitted = members.find((name) => !named.includes(name));
    if (omitted !== undefined)
      return `the status of ${object.metadata.name} is to leave out ${omitted}, a member`;
  }
  return undefined;
}

/** By the older label, for another pool than the last time; it counts where it asks to be. */
function asksAnew(node: KubeObject): boolean {
  return desiredOf(node) !== node.metadata.annotations?.[annotations.followedPool];
}

/** E: what the operator must never do to the true store. */
export function wrongEffect(effect: Effect): string | undefined {
  const { before, after, request } = effect;
  if (request.verb !== 'patch') return `${request.verb} is never needed`;
  const slot = slotOf(request.resource, request.key);
  const [old, next] = [before.objects.get(slot)?.object, after.objects.get(slot)?.object];
  if (old === undefined || next === undefined) return 'something is deleted';
  if (request.resource.kind === 'Node') return wrongNode(old as SmallNode, next as SmallNode, before);
  return wrongPool(effect, old as NodePool, next as NodePool);
}

/** S1, S3: only the pool's keys, the record, what was asked for; only values that are recorded as ours go. */
function wrongNode(old: SmallNode, next: SmallNode, store: Store): string | undefined {
  const { name } = old.metadata;
  const record = recordOf(old);
  const membership = wrongMembership(old, next);
  if (membership !== undefined) return membership;
  const ownLabels = [...givenLabels, labels.nodePool];
  const { previousAttributes, earlierAttributes, followedPool } = annotations;
  const ownAnnotations = [...givenAnnotations, previousAttributes, earlierAttributes, followedPool];
  const strange =
    changedKeys(old.metadata.labels, next.metadata.labels).find((key) => !ownLabels.includes(key)) ??
    changedKeys(old.metadata.annotations, next.metadata.annotations).find(
      (key) => !ownAnnotations.includes(key),
    );
  if (strange !== undefined) return `${strange} of ${name} is not ours to write`;
  const kept = (old.spec?.taints ?? []).filter(({ key }) => !givenTaints.includes(key));
  if (kept.some(({ key }) => !hasTaint(next, key))) return `a taint of somebody else is taken from ${name}`;
  const lost = givenTaints.find(
    (key) => taintOf(old, key) !== undefined && taintOf(next, key) === undefined && !isRecorded(old, key),
  );
  if (lost !== undefined) return `the taint ${lost} that somebody else wrote is taken from ${name}`;
  if (!sameJson(old.status, next.status)) return `the status of ${name} is written`;
  const pool = objectsOf(store, nodePools).find(({ metadata }) => metadata.name === poolOf(next));
  for (const key of givenLabels) {
    const value = old.metadata.labels?.[key];
    if (value === undefined || next.metadata.labels?.[key] !== undefined) continue;
    if (record.labels?.[key] !== value) return `a label that somebody else wrote is taken from ${name}`;
    if (pool?.spec?.labels?.[key] === value && poolOf(old) === poolOf(next))
      return `${key}=${value} is taken from ${name}, whose pool ${pool.metadata.name} gives it`;
  }
  return undefined;
}

/** Whether the taint of this key is as a pool put it there. */
function isRecorded(node: SmallNode, key: string): boolean {
  const recorded = recordOf(node).taints?.find((taint) => taint.key === key);
  return recorded !== undefined && (recorded.value ?? '') === taintOf(node, key);
}

/** S3: the label of membership is written only where the older one asks for it. */
function wrongMembership(old: SmallNode, next: SmallNode): string | undefined {
  if (poolOf(old) === poolOf(next)) return undefined;
  const { name } = old.metadata;
  return asksAnew(old) && poolOf(next) === desiredOf(old)
    ? undefined
    : `the membership of ${name} is changed`;
}

/** Of a pool only its type's labels and its status; the status describes its observed generation. */
function wrongPool({ memory, cached, request }: Effect, old: NodePool, next: NodePool): string | undefined {
  const { name } = old.metadata;
  const strange = changedKeys(old.metadata.labels, next.metadata.labels).find(
    (key) => key !== labels.poolType && key !== labels.oldPoolType,
  );
  if (strange !== undefined || !sameJson(old.spec, next.spec)) return `pool ${name} is not ours to write`;
  if (!sameJson(old.metadata.finalizers, next.metadata.finalizers)) return `pool ${name} gets a finalizer`;
  if (request.verb !== 'patch' || request.subresource !== 'status') return undefined;
  const { carried, absent } = memory as Memory;
  const named = next.status?.nodes ?? [];
  const known = [...cached.known.values()].map(({ object }) => object.metadata.name);
  // Where nothing was counted yet, nothing may go on being uncounted.
  const counts = next.status?.nodes !== undefined || old.status?.nodes !== undefined;
  const omitted = known.find(
    (node) => isNode(node) && !absent.includes(`${name} ${node}`) && !named.includes(node),
  );
  if (counts && omitted !== undefined) return `the status leaves out ${omitted}, always a member`;
  const ready = next.status?.conditions?.find(({ type }) => type === 'Ready')?.status === 'True';
  const { observedGeneration = 0 } = next.status ?? {};
  const claimed = generationOf({ metadata: { ...next.metadata, generation: observedGeneration } });
  const bare = ready ? named.find((node) => !carried.includes(`${claimed} ${node}`)) : undefined;
  return bare === undefined
    ? undefined
    : `Ready of generation ${observedGeneration}, which ${bare} never was brought up to`;
}

/** S: stable lists. */
export function wrongState(store: Store): string | undefined {
  for (const { metadata, status } of objectsOf(store, nodePools)) {
    const names = status?.nodes ?? [];
    if (names.join() !== [...names].sort().join())
      return `status.nodes of pool ${metadata.name} is not sorted: ${names.join(', ')}`;
  }
  return undefined;
}

/** L: what is not yet as desired. `refused`: the node that cannot be written; `own`: nodes had a value under `shared`. */
export function missingIn(store: Store, refused: string | undefined, own?: true): string | undefined {
  const pools = objectsOf(store, nodePools);
  const all = objectsOf(store, smallNodes);
  for (const node of all) {
    if (node.metadata.name === refused) continue;
    const pool = pools.find(({ metadata }) => metadata.name === poolOf(node));
    const missing =
      missingOnNode(node, pool) ?? (own && missingOwn(node, pool)) ?? missingMembership(node, pools);
    if (missing !== undefined) return missing;
  }
  for (const pool of pools) {
    const missing = missingOfPool(pool, all, refused);
    if (missing !== undefined) return missing;
  }
  return undefined;
}

/** L1, L2, S2: exactly the attributes of the node's pool, and of no other. */
function missingOnNode(node: SmallNode, pool: NodePool | undefined): string | undefined {
  const { name } = node.metadata;
  const where = `${name} of pool ${pool?.metadata.name ?? 'none'}`;
  for (const key of givenLabels) {
    const [found, wanted] = [node.metadata.labels?.[key], pool?.spec?.labels?.[key]];
    if (found === wanted || (wanted === undefined && found === somebodys)) continue;
    return `${where} has ${key}=${found}, not ${wanted}`;
  }
  for (const key of givenAnnotations) {
    const [found, wanted] = [node.metadata.annotations?.[key], pool?.spec?.annotations?.[key]];
    if (found !== wanted) return `${where} is annotated ${key}=${found}, not ${wanted}`;
  }
  for (const key of givenTaints) {
    const [found, wanted] = [taintOf(node, key), pool === undefined ? undefined : taintOf(pool, key)];
    if (found === wanted || (wanted === undefined && found === somebodys)) continue;
    return `${where} has the taint ${key}=${found}, not ${wanted}`;
  }
  return undefined;
}

/** L2: what it had before it joined is back. */
function missingOwn({ metadata }: SmallNode, pool: NodePool | undefined): string | undefined {
  const found = metadata.labels?.['shared'];
  if (pool?.spec?.labels?.['shared'] !== undefined || found === somebodys) return undefined;
  return `${metadata.name} has left with shared=${found}, and had ${somebodys} before`;
}

/** A request is followed or noted; a pool that does not exist cannot be joined. */
function missingMembership(node: SmallNode, pools: readonly NodePool[]): string | undefined {
  const desired = desiredOf(node);
  const followed = node.metadata.annotations?.[annotations.followedPool];
  const canBeJoined = desired === undefined || pools.some(({ metadata }) => metadata.name === desired);
  if (desired === followed || !canBeJoined) return undefined;
  return `${node.metadata.name} asks for ${desired}, and nobody listens`;
}

function missingOfPool(
  { metadata, status }: NodePool,
  all: readonly SmallNode[],
  refused: string | undefined,
): string | undefined {
  const { name } = metadata;
  if (metadata.labels?.[labels.poolType] !== 'edge') return `pool ${name} is not labelled with its type`;
  // Who cannot be written has not joined yet, and counts all the same.
  const asking = (node: SmallNode): string | undefined =>
    node.metadata.name === refused ? desiredOf(node) : undefined;
  const members = all.filter((node) => (poolOf(node) ?? asking(node)) === name);
  const names = members.map((node) => node.metadata.name).sort();
  if (!sameJson(status?.nodes, names))
    return `status.nodes of pool ${name} is ${JSON.stringify(status?.nodes)}`;
  const ready = members.filter(isReady).length;
  if (status?.readyNodeNum !== ready || status.unreadyNodeNum !== names.length - ready)
    return `pool ${name} counts wrongly`;
  const condition = status.conditions?.find(({ type }) => type === 'Ready');
  const fails = refused !== undefined && names.includes(refused);
  if (!fails && condition?.status !== 'True') return `pool ${name} is not Ready: ${condition?.message}`;
  const namesIt = condition?.status === 'False' && condition.message?.includes(refused ?? '') === true;
  return fails && !namesIt ? `pool ${name} does not name the refused node: ${condition?.message}` : undefined;
}

function changedKeys(old: Strings = {}, next: Strings = {}): readonly string[] {
  return [...new Set([...Object.keys(old), ...Object.keys(next)])].filter((key) => old[key] !== next[key]);
}

function carries(node: SmallNode, { spec }: NodePool): boolean {
  return Object.entries(spec?.labels ?? {}).every(([key, value]) => node.metadata.labels?.[key] === value);
}

/** In these worlds they have such names, and nothing else has. */
function isNode(name: string): boolean {
  return /^n\d+$/.test(name);
}

function generationOf({ metadata }: NodePool): string {
  return `${metadata.name} ${metadata.uid} ${metadata.generation}`;
}
