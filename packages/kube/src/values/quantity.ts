/**
 * Resource quantities (`500m`, `1.5Gi`, `1e3`), exactly. Rules: `k8s.io/apimachinery/pkg/api/resource`,
 * Kubernetes 1.36.
 */
export interface Quantity {
  /** The amount in billionths: the finest that Kubernetes has. */
  readonly nano: bigint;
  readonly format: QuantityFormat;
}

/** How the text was written, which decides its canonical form: `12e6`, `12Mi` or `12M`. */
export type QuantityFormat = 'DecimalExponent' | 'BinarySI' | 'DecimalSI';

const billion = 1_000_000_000n;
const largestBinary = ((1n << 63n) - 1n) * billion;
/** Larger exponents serve no resource and would only let a short text use much memory. */
const largestExponent = 64;

const decimalSuffixes = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const binarySuffixes = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const syntax = /^([+-]?)([0-9]*)(?:\.([0-9]*))?([eE][+-]?[0-9]+|[a-zA-Z]*)$/;

/**
 * Reads a quantity as it may stand in a manifest: text, or a bare number. Amounts below a billionth are rounded
 * away from zero, binary ones above 2⁶³−1 are capped. Throws a RangeError that quotes the value where it is not a quantity.
 */
export function parseQuantity(value: string | number): Quantity {
  const text = String(value);
  const [, sign, whole = '', fraction = '', suffix = ''] = syntax.exec(text) ?? [];
  if (sign === undefined || (whole === '' && fraction === '')) throw invalid(text);
  const unit = unitOf(suffix);
  if (unit === undefined) throw invalid(text);

  const digits = BigInt(whole + fraction) * (unit.base === 2 ? 1n << BigInt(unit.exponent) : 1n);
  const power = 9 - fraction.length + (unit.base === 10 ? unit.exponent : 0);
  const exact = power >= 0 ? digits * 10n ** BigInt(power) : divideUp(digits, 10n ** BigInt(-power));
  const nano = unit.format === 'BinarySI' && exact > largestBinary ? largestBinary : exact;
  const format = unit.format === 'BinarySI' && nano > 0n && nano < billion ? 'DecimalSI' : unit.format;
  return { nano: sign === '-' ? -nano : nano, format };
}

/** Whether {@link parseQuantity} accepts the value. */
export function isQuantity(value: unknown): value is string | number {
  if (typeof value !== 'string' && typeof value !== 'number') return false;
  try {
    parseQuantity(value);
    return true;
  } catch {
    return false;
  }
}

/** The canonical text: the largest suffix that leaves no fraction, in the family the quantity was written in. */
export function formatQuantity(quantity: Quantity): string {
  const { nano, format } = quantity;
  if (nano === 0n) return '0';
  const sign = nano < 0n ? '-' : '';
  const amount = nano < 0n ? -nano : nano;
  const binary = format === 'BinarySI' && amount >= 1024n * billion && amount % billion === 0n;
  return sign + (binary ? formatBinary(amount / billion) : formatDecimal(amount, format));
}

function unitOf(suffix: string): { base: 2 | 10; exponent: number; format: QuantityFormat } | undefined {
  if (/^[eE][+-]?[0-9]/.test(suffix)) {
    const exponent = Number(suffix.slice(1));
    return Math.abs(exponent) > largestExponent
      ? undefined
      : { base: 10, exponent, format: 'DecimalExponent' };
  }
  const decimal = decimalSuffixes.indexOf(suffix);
  if (decimal !== -1) return { base: 10, exponent: decimal * 3 - 9, format: 'DecimalSI' };
  const binary = binarySuffixes.indexOf(suffix);
  return binary === -1 ? undefined : { base: 2, exponent: binary * 10, format: 'BinarySI' };
}

function formatBinary(units: bigint): string {
  let mantissa = units;
  let power = 0;
  while (power < binarySuffixes.length - 1 && mantissa % 1024n === 0n) {
    mantissa /= 1024n;
    power++;
  }
  return `${mantissa}${binarySuffixes[power]}`;
}

function formatDecimal(nano: bigint, format: QuantityFormat): string {
  let mantissa = nano;
  let power = 0;
  while (mantissa % 1000n === 0n && (format === 'DecimalExponent' || power < decimalSuffixes.length - 1)) {
    mantissa /= 1000n;
    power++;
  }
  if (format !== 'DecimalExponent') return `${mantissa}${decimalSuffixes[power]}`;
  const exponent = power * 3 - 9;
  return exponent === 0 ? `${mantissa}` : `${mantissa}e${exponent}`;
}

function divideUp(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}

function invalid(text: string): RangeError {
  return new RangeError(
    `invalid quantity ${JSON.stringify(text)}: expected a number with an optional suffix, like 500m, 1.5Gi, 2k or 1e3`,
  );
}
