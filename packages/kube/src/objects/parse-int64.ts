/** A 64-bit integer as Go's `strconv.ParseInt` reads it; undefined where the text is none. */
export function parseInt64(text: string | undefined): bigint | undefined {
  // Templates of custom kinds are not typed, and the API server refuses a number that is not quoted.
  if (typeof text !== 'string' || !/^[+-]?[0-9]+$/.test(text)) return undefined;
  const value = BigInt(text.replace(/^\+/, ''));
  return BigInt.asIntN(64, value) === value ? value : undefined;
}
