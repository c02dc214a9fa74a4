import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareResourceVersions, isCertainlyNewer, isNewer } from './resource-version.ts';

describe('resourceVersions', () => {
  test.each([
    ['1', '1', 0],
    ['9', '10', -1],
    ['10', '9', 1],
    ['007', '7', 0],
    ['0', '00', 0],
    ['18446744073709551615', '18446744073709551616', -1],
    ['99999999999999999999', '100000000000000000000', -1],
  ])('%s against %s is %d', (a, b, expected) => {
    expect(Math.sign(compareResourceVersions(a, b) ?? Number.NaN)).toBe(expected);
  });

  test('are ordered as the numbers they are, at any length', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 80n }), fc.bigInt({ min: 0n, max: 2n ** 80n }), (a, b) => {
        expect(Math.sign(compareResourceVersions(String(a), String(b)) ?? Number.NaN)).toBe(
          a < b ? -1 : a > b ? 1 : 0,
        );
        expect(isNewer(String(a), String(b))).toBe(a > b);
        expect(isCertainlyNewer(String(a), String(b))).toBe(a > b);
      }),
    );
  });

  test.each([
    ['', '1'],
    ['-1', '1'],
    ['a', 'b'],
    ['1e3', '5'],
  ])('%j and %j have no order, and what came last is taken', (a, b) => {
    expect(compareResourceVersions(a, b)).toBeUndefined();
    expect(isNewer(a, b)).toBe(true);
    expect(isCertainlyNewer(a, b)).toBe(false);
  });
});
