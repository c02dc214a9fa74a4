import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { contains, sameJson } from './same-meaning.ts';

function nested(levels: number, kind: 'object' | 'list', innermost: unknown): unknown {
  let value = innermost;
  for (let level = 0; level < levels; level += 1) value = kind === 'list' ? [value] : { a: value };
  return value;
}

const forEveryDepth = (holds: (depth: number, kind: 'object' | 'list') => void): void =>
  fc.assert(fc.property(fc.integer({ min: 0, max: 10_000 }), fc.constantFrom('object', 'list'), holds), {
    numRuns: 30,
    examples: [
      [10_000, 'object'],
      [10_000, 'list'],
    ],
  });

describe('of values of up to 10,000 levels', () => {
  test('sameJson finds what differs at the last level only', () => {
    forEveryDepth((depth, kind) => {
      const value = nested(depth, kind, { b: 1, c: 2 });
      expect(sameJson(value, nested(depth, kind, { c: 2, b: 1, d: undefined }))).toBe(true);
      expect(sameJson(value, nested(depth, kind, { b: 1 }))).toBe(false);
      expect(sameJson(value, nested(depth, kind, { b: 1, c: 2, d: null }))).toBe(false);
    });
  });

  test('contains finds what is there beside others at the last level, and misses what is not', () => {
    forEveryDepth((depth, kind) => {
      const value = nested(depth, kind, { b: 1, c: 2 });
      expect(contains(value, nested(depth, kind, { b: 1, d: null }))).toBe(true);
      expect(contains(value, nested(depth, kind, { b: 2 }))).toBe(false);
    });
  });
});

test.each([
  [{ a: 1 }, undefined, true],
  [{ a: 1 }, { a: undefined }, true],
  [{ a: 1 }, { a: null }, false],
  [{}, { a: null }, true],
  [{ a: [1, 2] }, { a: [1] }, false],
  [{ a: [{ b: 1, c: 2 }] }, { a: [{ b: 1 }] }, true],
  [undefined, { a: 1 }, false],
  ['1', 1, false],
])('%j contains %j: %s', (actual, wanted, holds) => {
  expect(contains(actual, wanted)).toBe(holds);
});
