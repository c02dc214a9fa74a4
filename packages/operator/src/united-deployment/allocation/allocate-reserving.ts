import { withoutContradiction } from './allocate-in-order.ts';
import { readBounds } from './bounds.ts';
import { presentReplicas, type Decision, type Subset } from './subset.ts';

/**
 * Adaptive with reservation (`reference/uniteddeployment.md`, 3.7.7): pods that find no node are kept, and what exceeds
 * the room of their subset is given to later subsets once more, so that the sum may exceed the total by the substitutes.
 * A subset has all the room there is, unless it was marked or has reserved pods: then it has what it has, less those.
 *
 * In the order of the spec each gets its minimum, then those that can be scheduled their maximum and the others what
 * they have, never less than was already given to them, so that a minimum that is raised is obeyed. Where that is
 * still less than the total in pods, reserved ones included, because no subset with room may have more, the subsets
 * without room get the rest in the order of the spec: pending pods are what a cluster grows by.
 *
 * The fallback where a minimum is above its maximum: the subset stays where it is, drawn between the two.
 */
export function allocateReserving(total: number | undefined, subsets: readonly Subset[]): Decision {
  const { problems, ...bounds } = readBounds(total, subsets, unreserved);
  const bounded = bounds.subsets.map(withoutContradiction);
  const records = new Map(bounded.map(({ subset }) => [subset.name, { given: 0, room: roomOf(subset) }]));
  let left = bounds.total;

  function giveUpTo(name: string, wanted: number): void {
    const record = records.get(name);
    if (record === undefined || left <= 0) return;
    const more = Math.max(0, Math.min(wanted - record.given, left));
    record.given += more;
    record.room -= more;
    left -= record.room >= 0 ? more : Math.max(0, more + record.room);
  }

  for (const { subset, min } of bounded) giveUpTo(subset.name, min);
  for (const { subset, max } of bounded) {
    giveUpTo(subset.name, isUnschedulable(subset) ? Math.min(presentReplicas(subset), max) : max);
  }
  const given = [...records.values()].reduce((sum, record) => sum + record.given, 0);
  let missing = Math.min(left, bounds.total - given);
  for (const { subset, max } of bounded) {
    const record = records.get(subset.name);
    if (record === undefined || missing <= 0) break;
    const more = Math.max(0, Math.min(max - record.given, missing));
    record.given += more;
    missing -= more;
  }
  return { replicas: new Map([...records].map(([name, record]) => [name, record.given])), problems };
}

function roomOf(subset: Subset): number {
  const { standing } = subset;
  if (standing === undefined || !(isUnschedulable(subset) || standing.marked)) return Infinity;
  return standing.replicas - standing.reservedPods;
}

function isUnschedulable({ standing }: Subset): boolean {
  return standing?.unschedulable === true;
}

/** Others stand in for reserved pods, so that without a total both would be counted. */
function unreserved(subset: Subset): number {
  return Math.max(0, presentReplicas(subset) - (subset.standing?.reservedPods ?? 0));
}
