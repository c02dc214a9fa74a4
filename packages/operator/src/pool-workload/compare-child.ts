import { canonicalJson } from '@atoll/kube';
import type { Instant, Stored } from '@atoll/kube';
import type { ChildWorkload } from './child.ts';
import { differs, finishChild } from './keep-pods.ts';
import type { Place, RenderedChild } from './render-child.ts';
import type { ChildTemplate } from './template.ts';

/** How a child has to be written. */
export interface Difference {
  readonly object: RenderedChild;
  readonly kind: 'outdated' | 'drifted';
}

interface Same {
  readonly template: ChildTemplate;
  readonly rest: string;
}

/**
 * Children that were found to be as they should be, and for which place. Objects of a cache are frozen, so the answer
 * holds as long as the object lives; with a thousand pools only those that changed are rendered in a pass.
 */
const same = new WeakMap<Stored<ChildWorkload>, Same>();

/** What is to be written so that the child is what its place asks for; undefined: nothing. */
export function compareChild(
  place: Place,
  live: Stored<ChildWorkload>,
  now: Instant,
): Difference | undefined {
  const known = same.get(live);
  const rest = restOf(place);
  if (known !== undefined && known.template === place.revision.template && known.rest === rest)
    return undefined;
  const object = finishChild(place, live, now);
  const kind = differs(object, live);
  if (kind !== undefined) return { object, kind };
  same.set(live, { template: place.revision.template, rest });
  return undefined;
}

/** All of a place that its template does not say. */
function restOf({ owner, pool, name, revision, replicas }: Place): string {
  const { uid, name: ownerName } = owner.object.metadata;
  const { selector } = owner.object.spec;
  return canonicalJson([
    uid,
    ownerName,
    selector,
    pool.name,
    pool.taints,
    name,
    revision.label,
    replicas ?? null,
  ]);
}
