import { ownField } from '@atoll/kube';
import { allocate, type Allocation, type AllocationInput, type SubsetNumbers } from './allocate.ts';
import { readBounds } from './bounds.ts';
import { listNumbers } from './subset.ts';

/**
 * The numbers that subsets have and keep, because those of the spec (`asked`) would take replicas away from one of them; undefined: they
 * would not. Adaptive, what finds no node goes elsewhere all the same.
 *
 * Reservation is left out: there the number of a subset follows its pods.
 */
export function keepNumbers(
  input: AllocationInput,
  found: Readonly<Record<string, number>>,
  asked: Allocation,
): Allocation | undefined {
  const { subsets, mode } = input;
  if (mode === 'reservation') return undefined;
  const kept = mode === 'adaptive' ? withMoves(input, found) : found;
  const numbers = Object.keys(asked.replicas).map((name) => ({
    name,
    keeps: ownField(kept, name) ?? 0,
    wanted: asked.replicas[name] ?? 0,
  }));
  if (subsets.length === 0 || numbers.every(({ keeps, wanted }) => wanted >= keeps)) return undefined;
  const others = numbers.filter(({ keeps, wanted }) => wanted !== keeps);
  const listed = listNumbers(
    others.map(({ name, keeps, wanted }) => [name, `${keeps} instead of ${wanted}`]),
  );
  const problem = asked.effective.ok ? '' : `; afterwards: ${asked.effective.message}`;
  const message = `so that no pod goes, the subsets keep the replicas that OpenKruise left (${listed}) until spec.replicas, a number of spec.topology.subsets or the strategy changes${problem}`;
  return {
    replicas: Object.fromEntries(numbers.map(({ name, keeps }) => [name, keeps])),
    effective: { ok: false, message },
  };
}

/** A subset with room keeps its number as its minimum; one without keeps the pods that have a node, and the others go to those after it. */
function withMoves(
  { total, subsets, mode, current }: AllocationInput,
  found: Readonly<Record<string, number>>,
): Readonly<Record<string, number>> {
  const isFull = (name: string): boolean => ownField(current, name)?.unschedulable === true;
  if (!subsets.some(({ name }) => isFull(name))) return found;
  const given = subsets.map((each) => ({ ...each, standing: ownField(current, each.name) }));
  const sum = subsets.reduce((all, { name }) => all + (ownField(found, name) ?? 0), 0);
  const bounded = readBounds(total, given).subsets.map(({ subset: { name }, min, max }): SubsetNumbers => {
    const here = ownField(found, name) ?? 0;
    const most = Math.max(max, here);
    return {
      name,
      minReplicas: isFull(name) ? Math.min(min, here) : here,
      maxReplicas: most === Infinity ? undefined : most,
    };
  });
  return allocate({ total: Math.max(total ?? 0, sum), subsets: bounded, mode, current }).replicas;
}
