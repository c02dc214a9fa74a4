import { annotations, conditionTypes, type Subset, type UnitedDeployment } from '@atoll/api';
import { canonicalJson, conditionOf, isFields, ownField, stableHash } from '@atoll/kube';
import type { IntOrPercent, Stored } from '@atoll/kube';
import { isChildLeftByOldOperator } from '../../children/ownership/field-owners.ts';
import { parseJson } from '../../children/parse-json.ts';
import type { Allocation, AllocationMode } from '../allocation/allocate.ts';
import { readShare } from '../allocation/share.ts';
import type { Child } from '../child.ts';
import type { Understood } from '../decision.ts';
import { isStatusOfKruise } from './kruise-manager.ts';

/*
 * Kruise leaves some numbers of subsets otherwise than they are allocated here: ready pods of earlier subsets before the minimum of a later one, no
 * minimum where there was no room (before 1.9), and all as it was where it cannot allocate, as after a `scale` to what the numbers do not add up to. Nobody
 * has asked for pods to move in the moment in which the operator is exchanged. So these numbers stay until a person, or an autoscaler, changes one of those
 * that they come from.
 *
 * Where Kruise has carried out the object as it is, its status has the numbers. Our first status takes its place, with the numbers that are kept and
 * the reason `SubsetReplicasKept`, and holds as long as the generation is the same. By then each child has the note, which outlives other changes of the object.
 */

/** A subset, and the child that serves it or is to become ours again. */
interface Standing {
  readonly name: string;
  readonly child: Child | undefined;
}

/** By subset, the numbers that were found at the take-over and hold for the spec as it is; undefined: there are none. */
export function numbersFound(
  object: Stored<UnitedDeployment>,
  desired: Understood,
  mode: AllocationMode,
  subsets: readonly Standing[],
): Readonly<Record<string, number>> | undefined {
  const { status, metadata } = object;
  const isSeen = status?.observedGeneration === metadata.generation;
  const isLeft = isStatusOfKruise(object) && (isSeen || stopsKruise(desired, mode));
  const isKept =
    isSeen && conditionOf(object, conditionTypes.subsetReplicasEffective)?.reason === 'SubsetReplicasKept';
  if (!isLeft && !isKept) return numbersNoted(subsets, desired, mode);
  return numbersOf(subsets, ({ name }) => ownField(status?.subsetReplicas ?? {}, name));
}

function numbersNoted(
  subsets: readonly Standing[],
  desired: Understood,
  mode: AllocationMode,
): Readonly<Record<string, number>> | undefined {
  const notes = new Map(subsets.map(({ name, child }) => [name, noteOn(child)]));
  const all = [...notes.values()];
  // Hardly ever is there one, and the hash is of all subsets.
  if (all.includes(undefined)) return undefined;
  const hash = numbersHash(desired, mode);
  if (all.some((note) => note?.instead !== hash)) return undefined;
  return numbersOf(subsets, ({ name }) => notes.get(name)?.replicas);
}

/** undefined: not each subset has one. */
function numbersOf(
  subsets: readonly Standing[],
  numberOf: (subset: Standing) => number | undefined,
): Readonly<Record<string, number>> | undefined {
  const numbers = subsets.map((each) => [each.name, numberOf(each)] as const);
  return numbers.every((each): each is readonly [string, number] => each[1] !== undefined)
    ? Object.fromEntries(numbers)
    : undefined;
}

/** What is noted on each child: the number that it keeps, and of which numbers of the spec that holds. */
export function keptNumberNotes(
  desired: Understood,
  mode: AllocationMode,
  { replicas }: Allocation,
): Readonly<Record<string, string>> {
  const instead = numbersHash(desired, mode);
  const notes = Object.entries(replicas).map(([name, number]) => [
    name,
    canonicalJson({ replicas: number, instead }),
  ]);
  return Object.fromEntries(notes) as Readonly<Record<string, string>>;
}

interface Note {
  readonly replicas: number;
  /** Hash of the numbers of the spec for which that holds. */
  readonly instead: unknown;
}

function noteOn(child: Child | undefined): Note | undefined {
  const note = parseJson(child?.object.metadata.annotations?.[annotations.keptNumber]);
  // Where Kruise wrote the child since, it proves nothing.
  if (child === undefined || !isFields(note) || isChildLeftByOldOperator(child.kind, child.object))
    return undefined;
  const { replicas, instead } = note;
  return typeof replicas === 'number' && Number.isSafeInteger(replicas) && replicas >= 0
    ? { replicas, instead }
    : undefined;
}

/** Changes with every number that decides what subsets get. Kruise's webhook filled in a minimum of 0, which the same manifest takes out again. */
function numbersHash({ total, places }: Understood, mode: AllocationMode): string {
  const subsets = places.map(({ spec: { name, replicas, minReplicas, maxReplicas } }) => [
    name,
    replicas ?? null,
    minReplicas ?? 0,
    maxReplicas ?? null,
  ]);
  const bounded = areBounded(places.map(({ spec }) => spec));
  return stableHash({ total: total ?? null, mode, bounded, subsets });
}

/**
 * Whether Kruise cannot allocate these numbers (`reference/uniteddeployment.md` 3.7.3 and 3.7.5): it changes no child then, and writes no status.
 */
function stopsKruise({ total, places }: Understood, mode: AllocationMode): boolean {
  const subsets = places.map(({ spec }) => spec);
  const read = (value: IntOrPercent | undefined): number | undefined => readShare(value, total)?.replicas;
  if (mode !== 'fixed' || areBounded(subsets))
    return subsets.some((each) => (read(each.minReplicas) ?? 0) > (read(each.maxReplicas) ?? Infinity));
  const shares = subsets.flatMap(({ replicas }) => read(replicas) ?? []);
  const areAll = shares.length === subsets.length;
  if (total === undefined) return !areAll;
  const sum = shares.reduce((all, each) => all + each, 0);
  return sum > total || (areAll && sum < total);
}

function areBounded(subsets: readonly Subset[]): boolean {
  return subsets.some(({ minReplicas, maxReplicas }) => (minReplicas ?? maxReplicas) !== undefined);
}
