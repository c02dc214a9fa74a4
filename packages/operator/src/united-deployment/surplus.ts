import { byAge } from '../children/child.ts';
import type { Child } from './child.ts';
import { isSettled, type SubsetDecision, type Surplus, type Understood } from './decision.ts';
import type { UnitedDeploymentSnapshot } from './observe.ts';
import { waitsForReplacement } from './removal.ts';

/**
 * Who goes: twins always; children of removed subsets at once, or, where the user asks for it, when every subset is as
 * it should be; children of another kind when their successor is there, or available. So a successor that is refused
 * costs no pod.
 */
export function surplusOf(
  snapshot: UnitedDeploymentSnapshot,
  { kind }: Understood,
  live: readonly Child[],
  subsets: readonly SubsetDecision[],
): { readonly surplus: readonly Surplus[]; readonly awaited: readonly Child[] } {
  const waits = waitsForReplacement(snapshot.owner.object);
  const allSettled = subsets.every(isSettled);
  const surplus: Surplus[] = [];
  const awaited: Child[] = [];
  for (const child of live) {
    if (child.subset === undefined) continue;
    const subset = subsets.find(({ subset: { name } }) => name === child.subset);
    if (subset === undefined) {
      if (waits && !allSettled) awaited.push(child);
      else surplus.push({ child, because: { removed: true } });
      continue;
    }
    const { child: first } = subset;
    if (child === first) continue;
    if (child.kind === kind && first !== undefined) {
      const byStatus = byAge(child, first) < 0;
      surplus.push({ child, because: { twinOf: first.object.metadata.name, byStatus } });
    } else if (first !== undefined && (waits ? isSettled(subset) : true)) {
      surplus.push({ child, because: { replacedBy: `${kind} ${first.object.metadata.name}` } });
    } else awaited.push(child);
  }
  return { surplus, awaited };
}
