/**
 * What a strategic merge patch must know of a type: its fields that are not merged in the plain way. Fields that are not
 * named are: objects are merged field by field, everything else, lists too, is replaced as a whole.
 */
export interface PatchSchema {
  readonly fields?: Readonly<Record<string, PatchField>>;
}

/** How one field is merged. */
export type PatchField =
  /** An object with such fields somewhere below. */
  | { readonly type: 'object'; readonly schema: PatchSchema }
  /** A list of objects, of which those with the same value of `mergeKey` are merged. */
  | { readonly type: 'list'; readonly mergeKey: string; readonly element: PatchSchema }
  /** A list of strings, each of which stands in it once. */
  | { readonly type: 'set' };

/** A field that holds an object with fields of its own manner. */
export function objectOf(schema: PatchSchema): PatchField {
  return { type: 'object', schema };
}

/** A field that holds a list whose elements are merged by a key. */
export function listBy(mergeKey: string, element: PatchSchema = {}): PatchField {
  return { type: 'list', mergeKey, element };
}

/** A field that holds a list of strings without order. */
export const setOfStrings: PatchField = { type: 'set' };
