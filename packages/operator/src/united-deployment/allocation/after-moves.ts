import type { Step } from '../../engine/step.ts';
import type { Decision, SubsetDecision } from '../decision.ts';
import type { Scaling } from './scale-order.ts';

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
 * quota may not have room for them. So what grows at the expense of others is written after them, and not where
 * such a write was dropped (`dependsOn`). Whatever fits into the total beside what all have now waits for nothing.
 * A write that the API server refuses for good holds nobody back: a subset that cannot be written must not keep the
 * others from standing in for it.
 */
export function afterMoves(
  steps: Steps,
  { places }: Decision,
  scaling: readonly Scaling[],
): Steps & { readonly later: readonly Step[] } {
  const waiting = growingAtTheExpense(scaling);
  if (waiting.size === 0) return { ...steps, later: [] };
  const shrinking = scaling.filter(({ present, wanted }) => wanted < present);
  const names = new Set(shrinking.map(({ name }) => name));
  const dependsOn = places.flatMap(({ place, child, orphan }) =>
    names.has(place.name) ? ((child ?? orphan)?.object.metadata.uid ?? []) : [],
  );
  const split = inTwoStages(steps, ({ target = '' }) => waiting.has(target), dependsOn);
  // Of what is not known yet to be ours nothing is written on which the others could depend.
  return shrinking.every(({ now }) => now) ? split : { ...split, later: [] };
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
    later: [...steps.creates, ...steps.applies]
      .filter(waits)
      .map((step): Step => ({ ...step, dependsOn: [...(step.dependsOn ?? []), ...dependsOn] })),
  };
}

/** Subsets whose growth does not fit into the total as long as all have what they have. */
function growingAtTheExpense(subsets: readonly Scaling[]): ReadonlySet<string> {
  const waiting = new Set<string>();
  let room = subsets.reduce((sum, { present, wanted }) => sum + wanted - present, 0);
  for (const { name, present, wanted, now } of subsets) {
    const growth = wanted - present;
    if (growth <= 0 || !now) continue;
    if (growth <= room) room -= growth;
    else waiting.add(name);
  }
  return waiting;
}

/** `spec.replicas` of the child; 0 where there is none. */
export function presentOf({ child }: Pick<SubsetDecision, 'child'>): number {
  return child === undefined ? 0 : (child.object.spec?.replicas ?? 1);
}
