/**
 * A field of an object of JSON, undefined where the object has none of that name itself: what it inherits (`constructor`,
 * `toString`) is no field, and people name labels and fields as they like.
 */
export function ownField<V>(fields: Readonly<Record<string, V>>, name: string): V | undefined {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}
