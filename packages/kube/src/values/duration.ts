/**
 * Go durations, the text form of `metav1.Duration` (`1h30m`, `100ms`, `1.5s`). Rules: Go's `time.ParseDuration`
 * and `Duration.String`, a signed 64-bit count of nanoseconds.
 */

const nanosecondsPerUnit: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n, // U+00B5, micro sign
  μs: 1_000n, // U+03BC, Greek letter mu
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};

const maxNanoseconds = (1n << 63n) - 1n;
const component = /([0-9]*)(\.[0-9]*)?([^0-9.]*)/y;

/**
 * The length of a Go duration in nanoseconds. Fractions below a nanosecond are cut off.
 * Throws a RangeError that quotes the text where it is none, or longer than 292 years.
 */
export function parseDurationNanoseconds(text: string): bigint {
  const negative = text.startsWith('-');
  const unsigned = negative || text.startsWith('+') ? text.slice(1) : text;
  if (unsigned === '0') return 0n;
  if (unsigned === '') throw invalid(text, 'a number with a unit is missing');

  let total = 0n;
  component.lastIndex = 0;
  while (component.lastIndex < unsigned.length) {
    const [, whole = '', fraction = '', unit = ''] = component.exec(unsigned) ?? [];
    if (whole === '' && fraction.length <= 1) throw invalid(text, 'a number is missing');
    if (unit === '') throw invalid(text, 'a unit is missing');
    const scale = nanosecondsPerUnit[unit];
    if (scale === undefined) throw invalid(text, `unknown unit "${unit}"`);
    total += BigInt(whole === '' ? '0' : whole) * scale + fractionOf(fraction.slice(1), scale);
    if (total > maxNanoseconds + (negative ? 1n : 0n)) throw invalid(text, 'it is too long');
  }
  return negative ? -total : total;
}

/**
 * The length of a Go duration in milliseconds, with a fraction where the text has one.
 * Throws a RangeError that quotes the text where it is none.
 */
export function parseDuration(text: string): number {
  return Number(parseDurationNanoseconds(text)) / 1e6;
}

/** Whether {@link parseDuration} accepts the text. */
export function isDuration(text: string): boolean {
  try {
    parseDurationNanoseconds(text);
    return true;
  } catch {
    return false;
  }
}

/** The canonical text (`1h0m0s`, `1.5s`, `100ms`, `0s`) of a number of milliseconds. */
export function formatDuration(milliseconds: number): string {
  if (!Number.isFinite(milliseconds)) throw new RangeError(`${milliseconds} is no duration`);
  return formatDurationNanoseconds(BigInt(Math.round(milliseconds * 1e6)));
}

/** The canonical text of a number of nanoseconds: what Go prints, so that a value read and written again is stable. */
export function formatDurationNanoseconds(nanoseconds: bigint): string {
  if (nanoseconds === 0n) return '0s';
  const sign = nanoseconds < 0n ? '-' : '';
  const length = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  if (length < 1_000n) return `${sign}${length}ns`;
  if (length < 1_000_000n) return `${sign}${decimal(length, 1_000n)}µs`;
  if (length < 1_000_000_000n) return `${sign}${decimal(length, 1_000_000n)}ms`;

  const minutes = length / 60_000_000_000n;
  const seconds = `${decimal(length % 60_000_000_000n, 1_000_000_000n)}s`;
  if (minutes === 0n) return sign + seconds;
  const hours = minutes / 60n;
  return hours === 0n ? `${sign}${minutes}m${seconds}` : `${sign}${hours}h${minutes % 60n}m${seconds}`;
}

/** Go computes fractions in floating point, so that `0.3333333333333333333h` is 20 minutes; digits beyond 63 bits are dropped. */
function fractionOf(digits: string, unit: bigint): bigint {
  let value = 0n;
  let scale = 1;
  for (const digit of digits) {
    const next = value * 10n + BigInt(digit);
    if (next > maxNanoseconds) break;
    value = next;
    scale *= 10;
  }
  return BigInt(Math.trunc(Number(value) * (Number(unit) / scale)));
}

function decimal(value: bigint, unit: bigint): string {
  const fraction = (value % unit)
    .toString()
    .padStart(unit.toString().length - 1, '0')
    .replace(/0+$/, '');
  return fraction === '' ? `${value / unit}` : `${value / unit}.${fraction}`;
}

function invalid(text: string, why: string): RangeError {
  return new RangeError(
    `invalid duration ${JSON.stringify(text)}: ${why}; expected a form like 1h30m, 90s or 250ms`,
  );
}
