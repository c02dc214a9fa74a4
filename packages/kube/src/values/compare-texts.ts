/** Orders texts by their code units, as JavaScript's own sort does: the same in every process, whatever its language. */
export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
