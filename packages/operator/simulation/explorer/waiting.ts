import type { State } from './state.ts';
import { resourceOfSlot } from '../model/store.ts';

/** Resources that something of is not delivered yet, in the order of their names. */
export function pendingResources(state: State): readonly string[] {
  const names = new Set<string>();
  for (const [resource, events] of state.pending) if (events.length > 0) names.add(resource);
  for (const slot of state.echoes.keys()) names.add(resourceOfSlot(slot));
  return [...names].sort();
}

/** What waits to be delivered arrives sooner or later, whatever else goes on: fair actions without an edge of their own. */
export function deliveriesDue(state: State): readonly string[] {
  const due: string[] = [];
  for (const [resource, events] of state.pending) if (events.length > 0) due.push(`deliver ${resource}`);
  for (const slot of state.echoes.keys()) due.push(`echo ${resourceOfSlot(slot)}`);
  return due;
}

/** A reconcile begins with what has arrived of each resource: so many of the events that wait, at most `limits`. All choices. */
export function* prefixes(limits: readonly number[]): Generator<readonly number[]> {
  const counts = limits.map(() => 0);
  for (;;) {
    yield [...counts];
    let at = 0;
    while (at < counts.length && counts[at] === limits[at]) counts[at++] = 0;
    if (at === counts.length) return;
    counts[at] = (counts[at] ?? 0) + 1;
  }
}

/** The count that stands for everything of a resource, its echoes included. */
export function allOf(state: State, resource: string): number {
  const waiting = state.pending.get(resource)?.length ?? 0;
  for (const slot of state.echoes.keys()) if (resourceOfSlot(slot) === resource) return waiting + 1;
  return waiting;
}

/** The fair deliveries that a choice of prefixes takes. */
export function arrivalsOf(
  deliveries: readonly string[],
  resources: readonly string[],
  counts: readonly number[],
  limits: readonly number[],
): readonly string[] {
  return deliveries.filter((due) => {
    const at = resources.indexOf(due.slice(due.indexOf(' ') + 1));
    const count = counts[at] ?? 0;
    return due.startsWith('echo') ? count === limits[at] : count > 0;
  });
}
