/** `intstr.IntOrString` where it means a number or a share of a total: `3` or `"25%"`. */
export type IntOrPercent = number | string;

/** The meaning of an {@link IntOrPercent}. */
export type ParsedIntOrPercent =
  { readonly type: 'int'; readonly value: number } | { readonly type: 'percent'; readonly value: number };

/**
 * Reads a whole number or a whole percentage. Throws a RangeError that quotes the value where it is neither:
 * `"5"` (text without %), `"12.5%"`, `"abc"`, `1.5`. Negative values are read; whether they make sense is the
 * field's own rule. Source: `intstr.GetScaledValueFromIntOrPercent`.
 */
export function parseIntOrPercent(value: IntOrPercent): ParsedIntOrPercent {
  if (typeof value === 'number') {
    if (!Number.isSafeInteger(value)) throw invalid(value);
    return { type: 'int', value };
  }
  const [, digits] = /^([+-]?[0-9]+)%$/.exec(value) ?? [];
  const percent = Number(digits);
  if (digits === undefined || !Number.isSafeInteger(percent)) throw invalid(value);
  return { type: 'percent', value: percent };
}

/** Whether {@link parseIntOrPercent} accepts the value. */
export function isIntOrPercent(value: unknown): value is IntOrPercent {
  if (typeof value !== 'number' && typeof value !== 'string') return false;
  try {
    parseIntOrPercent(value);
    return true;
  } catch {
    return false;
  }
}

/**
 * The number that a value means for a total. Whole numbers are as they are, also above the total; percentages are
 * taken of `total` and rounded up or down to a whole (towards +∞ and −∞). Throws as {@link parseIntOrPercent}.
 */
export function scaleIntOrPercent(value: IntOrPercent, total: number, rounding: 'up' | 'down'): number {
  const parsed = parseIntOrPercent(value);
  if (parsed.type === 'int') return parsed.value;
  // The product of whole numbers is exact, so that 7 % of 100 is 7 and not 8.
  const hundredfold = parsed.value * total;
  const scaled = rounding === 'up' ? Math.ceil(hundredfold / 100) : Math.floor(hundredfold / 100);
  return scaled === 0 ? 0 : scaled;
}

function invalid(value: IntOrPercent): RangeError {
  return new RangeError(
    `invalid value ${JSON.stringify(value)}: expected a whole number like 3 or a whole percentage like "25%"`,
  );
}
