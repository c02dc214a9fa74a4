import type { Step } from '../../engine/step.ts';
import type { Decision, SubsetDecision } from '../decision.ts';

interface Steps {
  readonly creates: readonly Step[];
  readonly owners: readonly Step[];
  readonly applies: readonly Step[];
}

/** Whether replicas leave the subset because it has no room for them. */
export function movesAway({ judgement, child, replicas }: SubsetDecision): boolean {
  return judgement?.unschedulable === true && child !== undefined && replicas < presentOf({ child });
}

/**
 * Replicas leave a subset only while its status is the one that was seen, so that write may be refused, and what grew
 * meanwhile would be too much: until the next reconcile there would be more pods than the total, and a
 * quota may not have room for them. So what grows at the expense of such a subset is written after it, and not where
 * that write was dropped (`dependsOn`). Whatever fits into the total beside what the subset still has waits for nothing.
 * A write that the API server refuses for good holds nobody back: a subset that cannot be written must not keep the
 * others from standing in for it.
 */
export function afterMoves(steps: Steps, decision: Decision): Steps & { readonly later: readonly Step[] } {
  const waiting = growingAtTheExpense(decision);
  if (waiting.size === 0) return { ...steps, later: [] };
  const leaving = decision.places.filter(movesAway);
  const waits = (step: Step): boolean => waiting.has(step.target ?? '');
  // Whoever owns its fields is decided first, and the child is written in the next reconcile: what grows comes with it.
  const isFor = (name: string) => (step: Step) => step.target === name;
  const isLater = ({ place: { name } }: SubsetDecision): boolean =>
    steps.owners.some(isFor(name)) && !steps.applies.some(isFor(name));
  const dependsOn = leaving.flatMap(({ child }) => child?.object.metadata.uid ?? []);
  const split = inTwoStages(steps, waits, dependsOn);
  return leaving.some(isLater) ? { ...split, later: [] } : split;
}

/** What `waits` comes after the others, and only where what it depends on was written. */
export function inTwoStages<S extends Steps>(
  steps: S,
  waits: (step: Step) => boolean,
  dependsOn: readonly string[],
): S & { readonly later: readonly Step[] } {
  return {
    ...steps,
    creates: steps.creates.filter((step) => !waits(step)),
    applies: steps.applies.filter((step) => !waits(step)),
    later: [...steps.creates, ...steps.applies].filter(waits).map((step): Step => ({ ...step, dependsOn })),
  };
}

/** Subsets whose growth does not fit into the total as long as the others have what they have. */
function growingAtTheExpense({ places }: Decision): ReadonlySet<string> {
  const waiting = new Set<string>();
  if (!places.some(movesAway)) return waiting;
  let room = 0;
  for (const each of places) {
    const present = presentOf(each);
    room += each.replicas - (movesAway(each) ? present : Math.min(present, each.replicas));
  }
  for (const each of places) {
    const growth = each.replicas - presentOf(each);
    if (growth <= 0) continue;
    if (growth <= room) room -= growth;
    else waiting.add(each.place.name);
  }
  return waiting;
}

/** `spec.replicas` of the child; 0 where there is none. */
export function presentOf({ child }: Pick<SubsetDecision, 'child'>): number {
  return child === undefined ? 0 : (child.object.spec?.replicas ?? 1);
}
