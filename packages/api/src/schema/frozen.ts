/**
 * What a schema infers, as data that nobody changes: readonly all the way down, and an optional field is absent
 * rather than undefined.
 */
export type Frozen<T> = unknown extends T
  ? T
  : T extends readonly (infer Item)[]
    ? readonly Frozen<Item>[]
    : T extends object
      ? { readonly [Key in keyof T]: Frozen<Exclude<T[Key], undefined>> }
      : T;
