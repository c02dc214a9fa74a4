/** A 64-bit integer as Go's `strconv.ParseInt` reads it; undefined where the text is none. */
export function parseInt64(text: string | undefined): bigint | undefined {
  if (text === undefined || !/^[+-]?[0-9]+$/.test(text)) return undefined;
  const value = BigInt(text.replace(/^\+/, ''));
  return BigInt.asIntN(64, value) === value ? value : undefined;
}
