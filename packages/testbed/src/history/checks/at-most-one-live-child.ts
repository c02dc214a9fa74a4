import { controllerOf } from '@atoll/kube';
import type { KubeObject, Stored } from '@atoll/kube';
import type { RecordedEvent } from '../recorded-event.ts';
import type { Check, Violation } from './violation.ts';

/** What the rule needs to know of a child. */
interface LiveChild {
  readonly uid: string;
  readonly ownerUid: string;
  /** The pool, subset or node that it serves. */
  readonly place: string;
}

/** Children that share their owner and place with an earlier one: each is one too many. */
function duplicateChildren(live: Iterable<LiveChild>): readonly LiveChild[] {
  const taken = new Set<string>();
  const excess: LiveChild[] = [];
  for (const child of live) {
    const place = placeOf(child);
    if (taken.has(place)) excess.push(child);
    taken.add(place);
  }
  return excess;
}

/** What counts as a child, and in which place. */
export interface ChildRule {
  /** Resources whose objects are children; more than one where kinds may take turns. */
  readonly resources: readonly string[];
  /** The label that names the place, or how to read it. */
  readonly place: string | ((object: Stored<KubeObject>) => string | undefined);
}

/**
 * At no moment do two children without deletionTimestamp have the same controller uid and place. Versions of one
 * etcd order the events of all resources, so "moment" is exact.
 */
export function atMostOneLiveChild(rule: ChildRule): Check {
  return ({ events }) => {
    const live = new LiveChildren();
    const violations: Violation[] = [];
    const ours = events.filter(({ resource }) => rule.resources.includes(resource));
    // What is there already is listed in no order of time: the first moment is the whole list.
    for (const event of ours.filter(({ initial }) => initial)) live.put(event.uid, liveChildOf(event, rule));
    for (const duplicate of duplicateChildren(live.values()))
      violations.push(violationOf(duplicate, 'from the start'));
    for (const event of ours.filter(({ initial }) => !initial)) {
      const before = live.get(event.uid);
      const child = event.type === 'DELETED' ? undefined : liveChildOf(event, rule);
      live.put(event.uid, child);
      if (child === undefined || child.place === before?.place || live.at(child) === 1) continue;
      const name = event.namespace === undefined ? event.name : `${event.namespace}/${event.name}`;
      violations.push(violationOf(child, `${event.resource} ${name} at version ${event.version}`));
    }
    return violations;
  };
}

/** Who is live now, and how many at each place. */
class LiveChildren {
  readonly #byUid = new Map<string, LiveChild>();
  readonly #counts = new Map<string, number>();

  get(uid: string): LiveChild | undefined {
    return this.#byUid.get(uid);
  }

  values(): Iterable<LiveChild> {
    return this.#byUid.values();
  }

  at(child: LiveChild): number {
    return this.#counts.get(placeOf(child)) ?? 0;
  }

  put(uid: string, child: LiveChild | undefined): void {
    const before = this.#byUid.get(uid);
    if (before !== undefined) this.#counts.set(placeOf(before), this.at(before) - 1);
    if (child === undefined) {
      this.#byUid.delete(uid);
      return;
    }
    this.#byUid.set(uid, child);
    this.#counts.set(placeOf(child), this.at(child) + 1);
  }
}

function placeOf({ ownerUid, place }: LiveChild): string {
  return `${ownerUid} ${place}`;
}

function liveChildOf({ object, uid }: RecordedEvent, { place }: ChildRule): LiveChild | undefined {
  const ownerUid = controllerOf(object)?.uid;
  const found = typeof place === 'string' ? object.metadata.labels?.[place] : place(object);
  if (ownerUid === undefined || found === undefined) return undefined;
  return object.metadata.deletionTimestamp === undefined ? { uid, ownerUid, place: found } : undefined;
}

function violationOf({ ownerUid, place, uid }: LiveChild, when: string): Violation {
  return {
    rule: 'at most one live child',
    message: `owner ${ownerUid} has a second live child for "${place}": ${uid}, ${when}`,
  };
}
