import { controllerOf } from '@atoll/kube';
import type { KubeObject, Stored } from '@atoll/kube';
import type { RecordedEvent } from '../recorded-event.ts';
import type { Check, Violation } from './violation.ts';

/** What the rule needs to know of a child, in a recorded history as in an explored state. */
export interface LiveChild {
  readonly uid: string;
  readonly ownerUid: string;
  /** The pool, subset or node that it serves. */
  readonly place: string;
}

/** Children that share their owner and place with an earlier one: each is one too many. */
export function surplusChildren(live: Iterable<LiveChild>): readonly LiveChild[] {
  const taken = new Set<string>();
  const surplus: LiveChild[] = [];
  for (const child of live) {
    const place = `${child.ownerUid} ${child.place}`;
    if (taken.has(place)) surplus.push(child);
    taken.add(place);
  }
  return surplus;
}

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
    const live = new Map<string, LiveChild>();
    const violations: Violation[] = [];
    // Whoever is there already may be listed in any order: the first complete moment is the start.
    const started = events.filter(({ initial }) => initial);
    for (const event of started) apply(event, rule, live);
    for (const twin of surplusChildren(live.values())) violations.push(violationOf(twin, 'from the start'));
    for (const event of events) {
      if (event.initial || !rule.resources.includes(event.resource)) continue;
      const wasLive = live.has(event.uid);
      apply(event, rule, live);
      if (wasLive || !live.has(event.uid)) continue;
      const twin = surplusChildren(live.values()).find(({ uid }) => uid === event.uid);
      if (twin !== undefined) {
        const name = event.namespace === undefined ? event.name : `${event.namespace}/${event.name}`;
        violations.push(violationOf(twin, `${event.resource} ${name} at version ${event.version}`));
      }
    }
    return violations;
  };
}

function apply(event: RecordedEvent, rule: ChildRule, live: Map<string, LiveChild>): void {
  if (!rule.resources.includes(event.resource)) return;
  const child = event.type === 'DELETED' ? undefined : liveChildOf(event, rule);
  if (child === undefined) live.delete(event.uid);
  else live.set(event.uid, child);
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
