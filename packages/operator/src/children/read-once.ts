/**
 * Reads each object once: objects of a cache are frozen, so what was read of one stays true. Equal objects then give the same
 * template, by which `compare-child.ts` remembers what it compared: without that a reconcile of a thousand children computes five
 * times as long.
 */
export function readOnce<From extends object, Read>(read: (from: From) => Read): (from: From) => Read {
  const known = new WeakMap<From, { readonly read: Read }>();
  return (from) => {
    const found = known.get(from) ?? { read: read(from) };
    if (Object.isFrozen(from)) known.set(from, found);
    return found.read;
  };
}
