/** The names of both, each once, in order: what a world remembers must not depend on how it came about. */
export function merged(a: readonly string[], b: readonly string[]): readonly string[] {
  return [...new Set([...a, ...b])].sort();
}
