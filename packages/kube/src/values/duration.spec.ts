import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  formatDuration,
  formatDurationNanoseconds,
  isDuration,
  parseDuration,
  parseDurationNanoseconds,
} from './duration.ts';

const second = 1_000_000_000n;
const minute = 60n * second;
const hour = 60n * minute;

describe('parsing', () => {
  test.each<[string, bigint]>([
    ['0', 0n],
    ['+0', 0n],
    ['-0', 0n],
    ['5s', 5n * second],
    ['30s', 30n * second],
    ['1478s', 1478n * second],
    ['-5s', -5n * second],
    ['+5s', 5n * second],
    ['5.0s', 5n * second],
    ['5.6s', 5_600_000_000n],
    ['5.s', 5n * second],
    ['.5s', second / 2n],
    ['1.004s', 1_004_000_000n],
    ['1.00240s', 1_002_400_000n],
    ['100.00100s', 100_001_000_000n],
    ['10ns', 10n],
    ['11us', 11_000n],
    ['12µs', 12_000n],
    ['12μs', 12_000n],
    ['13ms', 13_000_000n],
    ['15m', 15n * minute],
    ['16h', 16n * hour],
    ['3h30m', 3n * hour + 30n * minute],
    ['10.5s4m', 4n * minute + 10_500_000_000n],
    ['-2m3.4s', -(2n * minute + 3_400_000_000n)],
    ['1h2m3.5s', hour + 2n * minute + 3_500_000_000n],
    ['100ms', 100_000_000n],
    ['1us', 1_000n],
    ['1h2m3s4ms5us6ns', hour + 2n * minute + 3n * second + 4_005_006n],
    ['52763797000ns', 52_763_797_000n],
    ['0.3333333333333333333h', 20n * minute],
    ['9007199254740993ns', 9_007_199_254_740_993n],
    ['9223372036854775807ns', (1n << 63n) - 1n],
    ['-9223372036854775808ns', -(1n << 63n)],
    ['0.100000000000000000000h', 6n * minute],
    ['0.830103483285477580700h', 49n * minute + 48_372_539_827n],
  ])('%s has the length that Go gives it', (text, nanoseconds) => {
    expect(parseDurationNanoseconds(text)).toBe(nanoseconds);
  });

  test.each([
    '',
    '3',
    '-',
    's',
    '.',
    '-.',
    '.s',
    '+.s',
    '1d',
    '1 h',
    ' 1h',
    '1h ',
    '1h-1m',
    '--1s',
    '1.2.3s',
    '\x85\x85',
    '1e3s',
    '1H',
    '9223372036854775808ns',
    '-9223372036854775809ns',
    '3000000h',
    'five minutes',
  ])('%j is refused with a message that quotes it', (text) => {
    expect(() => parseDuration(text)).toThrow(`invalid duration ${JSON.stringify(text)}`);
    expect(isDuration(text)).toBe(false);
  });

  test('milliseconds keep what is below a millisecond', () => {
    expect(parseDuration('1us')).toBe(0.001);
    expect(parseDuration('1m')).toBe(60_000);
  });
});

describe('printing', () => {
  test.each<[bigint, string]>([
    [0n, '0s'],
    [1n, '1ns'],
    [1_100n, '1.1µs'],
    [2_200_000n, '2.2ms'],
    [3_300_000_000n, '3.3s'],
    [4n * minute + 5n * second, '4m5s'],
    [4n * minute + 5_001_000_000n, '4m5.001s'],
    [5n * hour + 6n * minute + 7_001_000_000n, '5h6m7.001s'],
    [8n * minute + 1n, '8m0.000000001s'],
    [10n * minute, '10m0s'],
    [hour, '1h0m0s'],
    [-hour, '-1h0m0s'],
    [(1n << 63n) - 1n, '2562047h47m16.854775807s'],
    [-(1n << 63n), '-2562047h47m16.854775808s'],
  ])('%d nanoseconds are printed as Go prints them', (nanoseconds, text) => {
    expect(formatDurationNanoseconds(nanoseconds)).toBe(text);
  });

  test('milliseconds are printed in the canonical form', () => {
    expect(formatDuration(90_000)).toBe('1m30s');
    expect(formatDuration(0.5)).toBe('500µs');
    expect(() => formatDuration(Number.NaN)).toThrow(RangeError);
  });

  test.each([
    ['10m', '10m0s'],
    ['60s', '1m0s'],
    ['1h2m3.5s', '1h2m3.5s'],
    ['90m', '1h30m0s'],
    ['1us', '1µs'],
    ['1000ms', '1s'],
    ['10s', '10s'],
    ['0', '0s'],
  ])('%s is printed as %s', (text, canonical) => {
    expect(formatDurationNanoseconds(parseDurationNanoseconds(text))).toBe(canonical);
    expect(formatDurationNanoseconds(parseDurationNanoseconds(canonical))).toBe(canonical);
  });

  test('a text is as long as its parts together', () => {
    const units = { h: hour, m: minute, s: second, ms: 1_000_000n, us: 1_000n, ns: 1n };
    const part = fc.tuple(
      fc.integer({ min: 0, max: 99_999 }),
      fc.constantFrom(...(Object.keys(units) as (keyof typeof units)[])),
    );
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 5 }), (parts) => {
        const text = parts.map(([count, unit]) => `${count}${unit}`).join('');
        const total = parts.reduce((sum, [count, unit]) => sum + BigInt(count) * units[unit], 0n);
        expect(parseDurationNanoseconds(text)).toBe(total);
        expect(parseDurationNanoseconds(`-${text}`)).toBe(-total);
      }),
    );
  });

  test('every duration survives printing and parsing', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(1n << 63n), max: (1n << 63n) - 1n }), (nanoseconds) => {
        // Go loses nothing here either: a printed fraction has at most nine digits.
        expect(parseDurationNanoseconds(formatDurationNanoseconds(nanoseconds))).toBe(nanoseconds);
      }),
    );
  });
});
