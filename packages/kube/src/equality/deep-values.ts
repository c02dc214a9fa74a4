/** For tests: `levels` objects and lists in each other, in the order of the pattern, around the innermost value. */
export function nested(levels: number, pattern: readonly ('object' | 'list')[], innermost: unknown): object {
  let value: unknown = innermost;
  for (let level = levels; level > 0; level -= 1) {
    const kind = pattern[level % pattern.length] ?? 'object';
    value = kind === 'list' ? [value] : { a: value, n: 'x' };
  }
  return value as object;
}
