import { annotations, conditionTypes, type UnitedDeployment } from '@atoll/api';
import { canonicalJson, conditionOf, isFields, ownField, stableHash } from '@atoll/kube';
import type { Stored } from '@atoll/kube';
import { isChildLeftByOldOperator } from '../../children/ownership/field-owners.ts';
import { parseJson } from '../../children/parse-json.ts';
import type { Statement } from '../../engine/status/conditions.ts';
import type { Allocation, AllocationMode } from '../allocation/allocate.ts';
import type { Child } from '../subsets/child.ts';
import type { Understood } from '../decision.ts';
import { areBounded, isLeftSo } from './allocated-by-kruise.ts';
import { isStatusOfKruise } from './kruise-manager.ts';

const { subsetReplicasEffective } = conditionTypes;
const keptReason = 'SubsetReplicasKept';

/*
 * Kruise leaves some numbers of subsets otherwise than they are allocated here: ready pods of earlier subsets before the minimum of a later one, no
 * minimum where there was no room (before 1.9), and all as it was where it cannot allocate, as after a `scale` to what the numbers do not add up to. Nobody
 * has asked for pods to move in the moment in which the operator is exchanged. So these numbers stay until a person, or an autoscaler, changes one of those
 * that they come from.
 *
 * Kruise's status has the numbers. Our first status takes its place, with the numbers that are kept and the reason `SubsetReplicasKept`. It holds as long as
 * the generation is the same, and, before a child is applied, as long as it would say the same. By then each child has the note, which outlives other changes
 * of the object. Where nothing can be decided yet, the condition is Unknown and Kruise's numbers stay in the status.
 */

type Numbers = Readonly<Record<string, number>>;

/** A subset, and the child that runs for it, of whatever kind, or is to become ours again. */
interface Standing {
  readonly name: string;
  readonly child: Child | undefined;
}

/** The numbers that were found at the take-over and hold for the spec as it is. */
export interface NumbersFound {
  /** By subset. */
  readonly numbers: Numbers;
  /** They hold only where this is what the condition says of them. */
  readonly onlyAs?: string | undefined;
}

/** undefined: there are none. */
export function numbersFound(
  object: Stored<UnitedDeployment>,
  desired: Understood,
  mode: AllocationMode,
  subsets: readonly Standing[],
): NumbersFound | undefined {
  const { status, metadata } = object;
  const left = leftByKruise(object);
  const condition = conditionOf(object, subsetReplicasEffective);
  const isKept = left === undefined && condition?.reason === keptReason;
  const numbers = numbersOf(subsets, ({ name }) => ownField(status?.subsetReplicas ?? {}, name));
  const holds =
    left === undefined
      ? isKept && condition.observedGeneration === metadata.generation
      : numbers !== undefined && isLeftSo(numbers, desired, mode, left.isCarriedOut);
  if (numbers !== undefined && holds) return { numbers };
  const noted = numbersNoted(subsets, desired, mode, isKept ? numbers : undefined);
  if (noted !== undefined) return { numbers: noted };
  if (!isKept || numbers === undefined) return undefined;
  return areUnchanged(subsets, desired, mode) ? { numbers, onlyAs: condition.message } : undefined;
}

/** What is known of the numbers in the status where Kruise wrote them. */
interface LeftByKruise {
  /** It has carried out the object as it is. */
  readonly isCarriedOut: boolean;
}

/** undefined: the numbers in the status are ours. */
function leftByKruise(object: Stored<UnitedDeployment>): LeftByKruise | undefined {
  const { generation } = object.metadata;
  if (isStatusOfKruise(object)) return { isCarriedOut: object.status?.observedGeneration === generation };
  const condition = conditionOf(object, subsetReplicasEffective);
  if (condition !== undefined && condition.status !== 'Unknown') return undefined;
  // 0.4.0 stated none before it had decided something.
  const isCarriedOut = condition?.reason === keptReason && condition.observedGeneration === generation;
  return { isCarriedOut };
}

/** What is reported of the numbers as long as nothing can be decided; undefined: what was reported last. */
export function undecidedNumbers(object: Stored<UnitedDeployment>): Statement | undefined {
  if (!isStatusOfKruise(object) || object.status?.subsetReplicas === undefined) return undefined;
  const { isCarriedOut } = leftByKruise(object) ?? { isCarriedOut: false };
  return {
    type: subsetReplicasEffective,
    status: 'Unknown',
    reason: isCarriedOut ? keptReason : 'NotYetObserved',
    message: 'the subsets have the replicas that OpenKruise left, because nothing can be decided yet',
  };
}

/** Where no child was applied of which the numbers of the spec have changed since. */
function areUnchanged(subsets: readonly Standing[], desired: Understood, mode: AllocationMode): boolean {
  const hash = numbersHash(desired, mode);
  return subsets.every(({ child }) => {
    if (child === undefined) return false;
    return isChildLeftByOldOperator(child.kind, child.object) || noteOn(child)?.instead === hash;
  });
}

/** What is noted on the children that are there. Of a subset whose child somebody deleted, the number that was last reported as kept. */
function numbersNoted(
  subsets: readonly Standing[],
  desired: Understood,
  mode: AllocationMode,
  reported: Numbers | undefined,
): Numbers | undefined {
  const notes = new Map(subsets.map(({ name, child }) => [name, noteOn(child)]));
  // Hardly ever is there one, and the hash is of all subsets.
  if ([...notes.values()].every((note) => note === undefined)) return undefined;
  const hash = numbersHash(desired, mode);
  const here = subsets.filter(({ child }) => child !== undefined);
  if (here.some(({ name }) => notes.get(name)?.instead !== hash)) return undefined;
  return numbersOf(subsets, ({ name, child }) =>
    child === undefined ? reported?.[name] : notes.get(name)?.replicas,
  );
}

/** undefined: not each subset has one. */
function numbersOf(
  subsets: readonly Standing[],
  numberOf: (subset: Standing) => number | undefined,
): Numbers | undefined {
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
