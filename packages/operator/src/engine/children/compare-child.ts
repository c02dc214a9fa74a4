import type { Stored } from '@atoll/kube';
import { sameJson } from '../same-meaning.ts';
import type { ChildWorkload, RenderedChild } from './child.ts';
import { differs } from './keep-pods.ts';

/** How a child has to be written. */
export interface Difference {
  readonly object: RenderedChild;
  readonly kind: 'outdated' | 'drifted';
}

/**
 * All that the rendering of a child depends on besides its template and the child that is there, under the same names
 * each time.
 */
export type Asked = Readonly<Record<string, unknown>>;

/** A child that was found to be as it should be, and what had been asked. */
interface Same {
  readonly live: Stored<ChildWorkload>;
  readonly asked: Asked;
}

/**
 * Children that were found to be as they should be, by name, for each template. Most changes of a child are of its
 * status, which decides nothing here: comparing what does is thirty times cheaper than rendering it anew.
 */
const same = new WeakMap<object, Map<string, Same>>();

/** What is to be written so that the child is what is asked for; undefined: nothing. */
export function compareChild(
  template: object,
  asked: Asked,
  live: Stored<ChildWorkload>,
  finish: () => RenderedChild,
): Difference | undefined {
  const found = same.get(template) ?? new Map<string, Same>();
  const id = `${live.metadata.namespace ?? ''}/${live.metadata.name}`;
  const known = found.get(id);
  if (known !== undefined && asksTheSame(known.asked, asked) && holdsTheSame(known.live, live)) {
    if (known.live !== live) found.set(id, { live, asked });
    return undefined;
  }
  const object = finish();
  const kind = differs(object, live);
  if (kind !== undefined) return { object, kind };
  same.set(template, found.set(id, { live, asked }));
  return undefined;
}

function asksTheSame(a: Asked, b: Asked): boolean {
  return Object.keys(a).every((name) => sameJson(a[name], b[name]));
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
