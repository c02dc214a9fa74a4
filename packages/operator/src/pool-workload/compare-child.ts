import type { LabelSelector, Taint, Instant, Stored } from '@atoll/kube';
import { sameJson } from '../engine/same-meaning.ts';
import type { ChildWorkload } from './child.ts';
import { differs, finishChild } from './keep-pods.ts';
import type { Place, RenderedChild } from './render-child.ts';
import type { ChildTemplate } from './template.ts';

/** How a child has to be written. */
export interface Difference {
  readonly object: RenderedChild;
  readonly kind: 'outdated' | 'drifted';
}

/** A child that was found to be as it should be, and all of its place that its template does not say. */
interface Same {
  readonly live: Stored<ChildWorkload>;
  readonly asked: Asked;
}

interface Asked {
  readonly ownerUid: string;
  readonly ownerName: string;
  readonly selector: LabelSelector;
  readonly pool: string;
  readonly taints: readonly Taint[];
  readonly revision: string;
  readonly replicas: number | undefined;
  readonly knownToOldOperator: boolean;
}

/**
 * Children that were found to be as they should be, by name, for each template. Most changes of a child are of its
 * status, which decides nothing here: comparing what does is thirty times cheaper than rendering it anew.
 */
const same = new WeakMap<ChildTemplate, Map<string, Same>>();

/** What is to be written so that the child is what its place asks for; undefined: nothing. */
export function compareChild(
  place: Place,
  live: Stored<ChildWorkload>,
  now: Instant,
): Difference | undefined {
  const { template } = place.revision;
  const asked = askedOf(place);
  const found = same.get(template) ?? new Map<string, Same>();
  const id = `${live.metadata.namespace ?? ''}/${live.metadata.name}`;
  const known = found.get(id);
  if (known !== undefined && asksTheSame(known.asked, asked) && holdsTheSame(known.live, live)) {
    if (known.live !== live) found.set(id, { live, asked });
    return undefined;
  }
  const object = finishChild(place, live, now);
  const kind = differs(object, live);
  if (kind !== undefined) return { object, kind };
  same.set(template, found.set(id, { live, asked }));
  return undefined;
}

function askedOf({ owner, pool, revision, replicas, knownToOldOperator }: Place): Asked {
  const { uid, name } = owner.object.metadata;
  return {
    ownerUid: uid,
    ownerName: name,
    selector: owner.object.spec.selector,
    pool: pool.name,
    taints: pool.taints,
    revision: revision.label,
    replicas,
    knownToOldOperator,
  };
}

function asksTheSame(a: Asked, b: Asked): boolean {
  return (
    a.ownerUid === b.ownerUid &&
    a.ownerName === b.ownerName &&
    a.pool === b.pool &&
    a.revision === b.revision &&
    a.replicas === b.replicas &&
    a.knownToOldOperator === b.knownToOldOperator &&
    sameJson(a.selector, b.selector) &&
    sameJson(a.taints, b.taints)
  );
}

/** Everything of a child that is compared with what is wanted. */
function holdsTheSame(a: Stored<ChildWorkload>, b: Stored<ChildWorkload>): boolean {
  if (a === b) return true;
  const [left, right] = [a.metadata, b.metadata];
  return (
    left.uid === right.uid &&
    sameJson(left.labels, right.labels) &&
    sameJson(left.annotations, right.annotations) &&
    sameJson(left.ownerReferences, right.ownerReferences) &&
    sameJson(a.spec, b.spec)
  );
}
