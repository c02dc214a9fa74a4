import fc from 'fast-check';
import { expect, it } from 'vitest';
import { mergePatch } from '../../../simulation/model/patches.ts';
import type { Json } from '../../../simulation/model/json.ts';
import { sameJson } from '../same-meaning.ts';
import { statusDiff } from './status-diff.ts';

const table: readonly (readonly [string, object | undefined, object, object | undefined])[] = [
  ['nothing for equal content in another order', { a: 1, b: { c: 2 } }, { b: { c: 2 }, a: 1 }, undefined],
  ['nothing for a field that is undefined', { a: 1 }, { a: 1, b: undefined }, undefined],
  ['everything for a status that is not there', undefined, { a: 1 }, { a: 1 }],
  ['only what changed, in depth', { a: { b: 1, c: 2 } }, { a: { b: 1, c: 3 } }, { a: { c: 3 } }],
  ['null for what is no more', { a: 1, b: 2 }, { a: 1 }, { b: null }],
  ['lists as a whole', { a: [1, 2] }, { a: [2, 1] }, { a: [2, 1] }],
];
it.each(table)('a status patch has %s', (_, from, to, patch) => {
  expect(statusDiff(from, to)).toEqual(patch);
});

it('a status patch turns any status into any other', () => {
  const value = fc.letrec((tie) => ({
    status: fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value')),
    value: fc.oneof(
      { maxDepth: 3 },
      fc.integer(),
      fc.string(),
      fc.array(fc.integer(), { maxLength: 3 }),
      tie('status'),
    ),
  }));
  fc.assert(
    fc.property(value.status, value.status, (from, to) => {
      const patch = statusDiff(from as object, to as object);
      const result = patch === undefined ? from : mergePatch(from as Json, patch as Json);
      expect(sameJson(result, to)).toBe(true);
      expect(statusDiff(to as object, to as object)).toBeUndefined();
    }),
  );
});
