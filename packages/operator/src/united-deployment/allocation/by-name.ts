/** Byte order of the names: every tie in an allocation ends here, so that no order of a list or a map decides. */
export function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}
