import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isIntOrPercent, parseIntOrPercent, scaleIntOrPercent } from './int-or-percent.ts';

test.each([
  [0, { type: 'int', value: 0 }],
  [7, { type: 'int', value: 7 }],
  [-1, { type: 'int', value: -1 }],
  ['0%', { type: 'percent', value: 0 }],
  ['25%', { type: 'percent', value: 25 }],
  ['+5%', { type: 'percent', value: 5 }],
  ['007%', { type: 'percent', value: 7 }],
  ['150%', { type: 'percent', value: 150 }],
  ['-5%', { type: 'percent', value: -5 }],
] as const)('%j is read', (value, parsed) => {
  expect(parseIntOrPercent(value)).toEqual(parsed);
});

test.each([
  '',
  '%',
  '5',
  'abc',
  'abc%',
  '12.5%',
  '5 %',
  ' 5%',
  '5%%',
  '1e2%',
  1.5,
  Number.NaN,
  Number.POSITIVE_INFINITY,
])('%j is refused', (value) => {
  expect(isIntOrPercent(value)).toBe(false);
  expect(() => parseIntOrPercent(value)).toThrow('expected a whole number');
});

describe('scaling', () => {
  test.each([
    ['25%', 10, 3, 2],
    ['10%', 5, 1, 0],
    ['1%', 1, 1, 0],
    ['0%', 100, 0, 0],
    ['100%', 7, 7, 7],
    ['150%', 3, 5, 4],
    ['7%', 100, 7, 7],
    ['29%', 100, 29, 29],
    ['57%', 100, 57, 57],
    ['33%', 0, 0, 0],
    ['-10%', 5, 0, -1],
    [5, 3, 5, 5],
    [0, 3, 0, 0],
  ] as const)('%s of %d is %d rounded up and %d rounded down', (value, total, up, down) => {
    expect(scaleIntOrPercent(value, total, 'up')).toBe(up);
    expect(scaleIntOrPercent(value, total, 'down')).toBe(down);
  });

  test('both roundings enclose the exact share and differ by at most one', () => {
    fc.assert(
      fc.property(fc.nat(200), fc.nat(1_000_000), (percent, total) => {
        const up = scaleIntOrPercent(`${percent}%`, total, 'up');
        const down = scaleIntOrPercent(`${percent}%`, total, 'down');
        expect(down * 100).toBeLessThanOrEqual(percent * total);
        expect(up * 100).toBeGreaterThanOrEqual(percent * total);
        expect(up - down).toBeLessThanOrEqual(1);
      }),
    );
  });
});
