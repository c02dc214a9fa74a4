import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatQuantity, isQuantity, parseQuantity } from './quantity.ts';

describe('the canonical form is the API server’s', () => {
  test.each<[string | number, string]>([
    ['0', '0'],
    ['0n', '0'],
    ['0Ki', '0'],
    ['-0', '0'],
    ['+0.0', '0'],
    ['00012', '12'],
    ['1', '1'],
    [2, '2'],
    [0.5, '500m'],
    ['.5', '500m'],
    ['5.', '5'],
    ['-1', '-1'],
    ['+1', '1'],
    ['100m', '100m'],
    ['1000m', '1'],
    ['1500m', '1500m'],
    ['1.5', '1500m'],
    ['0.1', '100m'],
    ['0.001', '1m'],
    ['0.0001', '100u'],
    ['1n', '1n'],
    ['1000n', '1u'],
    ['1u', '1u'],
    ['0.1n', '1n'],
    ['-0.1n', '-1n'],
    ['1.0000000001', '1000000001n'],
    ['1k', '1k'],
    ['1000k', '1M'],
    ['1500', '1500'],
    ['1000', '1k'],
    ['10000', '10k'],
    ['1234567', '1234567'],
    ['1M', '1M'],
    ['1G', '1G'],
    ['1T', '1T'],
    ['1P', '1P'],
    ['1E', '1E'],
    ['0.5E', '500P'],
    ['9E', '9E'],
    ['1Ki', '1Ki'],
    ['1024Ki', '1Mi'],
    ['1Mi', '1Mi'],
    ['1.5Gi', '1536Mi'],
    ['1Ti', '1Ti'],
    ['1Pi', '1Pi'],
    ['1Ei', '1Ei'],
    ['0.5Ki', '512'],
    ['1023Ki', '1023Ki'],
    ['1000Ki', '1000Ki'],
    ['0.5Mi', '512Ki'],
    ['-1.5Gi', '-1536Mi'],
    ['1.1Ki', '1126400m'],
    ['0.0009765625Ki', '1'],
    ['0.0001Ki', '102400u'],
    ['16Ei', '9223372036854775807'],
    ['-16Ei', '-9223372036854775807'],
    ['1e3', '1e3'],
    ['1E3', '1e3'],
    ['12e6', '12e6'],
    ['1e4', '10e3'],
    ['1e-3', '1e-3'],
    ['1.5e3', '1500'],
    ['1e0', '1'],
    ['100e-9', '100e-9'],
    ['1e21', '1e21'],
    ['1e+3', '1e3'],
    ['100E-3', '100e-3'],
    ['1e-12', '1e-9'],
    ['1e5', '100e3'],
  ])('%s becomes %s', (text, canonical) => {
    expect(formatQuantity(parseQuantity(text))).toBe(canonical);
  });

  test('decimal amounts beyond the largest suffix keep their value', () => {
    expect(formatQuantity(parseQuantity('1000E'))).toBe('1000E');
  });
});

test.each([
  '',
  '.',
  '+',
  '-',
  ' 1',
  '1 ',
  '1i',
  '1.1.M',
  '1+1.0M',
  '0.1mi',
  '0.1am',
  'aoeu',
  '.5i',
  '-3.01i',
  '-3.01e-',
  '1e',
  '1K',
  '1ki',
  '1e999999999',
  '1mi',
  '1.5.5',
  '1e3k',
  '0x10',
  'NaN',
  'Infinity',
])('%j is no quantity', (text) => {
  expect(isQuantity(text)).toBe(false);
  expect(() => parseQuantity(text)).toThrow(`invalid quantity ${JSON.stringify(text)}`);
});

test('values that are neither text nor number are no quantities', () => {
  expect([null, undefined, {}, [], true].some(isQuantity)).toBe(false);
});

const suffix = fc.constantFrom(
  '',
  'n',
  'u',
  'm',
  'k',
  'M',
  'G',
  'T',
  'P',
  'E',
  'Ki',
  'Mi',
  'Gi',
  'Ti',
  'Pi',
  'Ei',
  'e3',
  'E-3',
  'e12',
);
const text = fc
  .tuple(fc.constantFrom('', '-', '+'), fc.nat(1_000_000), fc.option(fc.nat(99_999)), suffix)
  .map(([sign, whole, fraction, unit]) => `${sign}${whole}${fraction === null ? '' : `.${fraction}`}${unit}`);

test('printing keeps the amount, and the canonical form is a fixed point', () => {
  fc.assert(
    fc.property(text, (written) => {
      const quantity = parseQuantity(written);
      const canonical = formatQuantity(quantity);
      expect(parseQuantity(canonical).nano).toBe(quantity.nano);
      expect(formatQuantity(parseQuantity(canonical))).toBe(canonical);
    }),
  );
});
