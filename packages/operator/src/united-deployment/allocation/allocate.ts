import { ownField } from '@atoll/kube';
import { allocateAdaptively, allocateByBounds } from './allocate-in-order.ts';
import { allocateReserving } from './allocate-reserving.ts';
import { allocateSpecified } from './allocate-specified.ts';
import type { Allocation, AllocationInput, SubsetNumbers } from './allocation.ts';
import { mostReplicas } from './share.ts';
import type { Decision, Subset } from './subset.ts';

export type * from './allocation.ts';

/**
 * How many replicas each subset of the spec is to have. Pure, never throws, and never leaves a subset without an answer.
 *
 * Where the numbers of the spec can be met the sum is the total (in reservation at least the total) and `effective` is
 * ok. Where they cannot, each allocator has its fallback, documented there, and `effective` has the reason. Asked again after
 * its answer was carried out, it gives the same answer.
 */
export function allocate({ total, subsets: given, mode, current }: AllocationInput): Allocation {
  const problems: string[] = [];
  const subsets: Subset[] = [];
  for (const numbers of given) {
    if (subsets.some(({ name }) => name === numbers.name)) {
      problems.push(`subset ${numbers.name} stands twice: the first counts`);
      continue;
    }
    const standing = ownField(current, numbers.name);
    subsets.push({ ...withoutNulls(numbers), standing });
  }
  const all = isTotal(total) ? total : undefined;
  if (total !== all)
    problems.push(`spec.replicas ${String(total)} is no number of replicas: it counts as left out`);
  const decision = decide(all, subsets, mode);
  // Nothing anywhere is what somebody asked for who scales to 0, whatever the subsets are to have otherwise.
  const stopped = all === 0 && [...decision.replicas.values()].every((replicas) => replicas === 0);
  if (!stopped) problems.push(...decision.problems);
  return {
    replicas: Object.fromEntries(subsets.map(({ name }) => [name, decision.replicas.get(name) ?? 0])),
    effective: problems.length === 0 ? { ok: true } : { ok: false, message: problems.join('; ') },
  };
}

function decide(
  total: number | undefined,
  subsets: readonly Subset[],
  mode: AllocationInput['mode'],
): Decision {
  if (subsets.length === 0) return withoutSubsets(total);
  switch (mode) {
    case 'reservation':
      return allocateReserving(total, subsets);
    case 'adaptive':
      return allocateAdaptively(total, subsets);
    case 'fixed':
      return subsets.some(isBounded) ? allocateByBounds(total, subsets) : allocateSpecified(total, subsets);
  }
}

/** Nothing can be anywhere; that is trouble as soon as somebody wants something. */
function withoutSubsets(total: number | undefined): Decision {
  const problems =
    total === 0
      ? []
      : [`spec.topology.subsets is empty: spec.replicas ${total ?? '(not set)'} have no place`];
  return { replicas: new Map(), problems };
}

function isBounded({ minReplicas, maxReplicas }: SubsetNumbers): boolean {
  return minReplicas !== undefined || maxReplicas !== undefined;
}

function isTotal(total: number | undefined): total is number {
  return Number.isSafeInteger(total) && Number(total) >= 0 && Number(total) <= mostReplicas;
}

/** `null` is how some clients leave a field out. */
function withoutNulls({ name, replicas, minReplicas, maxReplicas }: SubsetNumbers): SubsetNumbers {
  return {
    name,
    replicas: replicas ?? undefined,
    minReplicas: minReplicas ?? undefined,
    maxReplicas: maxReplicas ?? undefined,
  };
}
