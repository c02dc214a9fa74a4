import fc from 'fast-check';
import { expect, test } from 'vitest';
import { deepFreeze, StringPool } from './freeze.ts';

const json = fc.jsonValue({ maxDepth: 4 });

function copy<V>(value: V): V {
  return structuredClone(value);
}

function isFrozen(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(isFrozen);
}

test('a value stays the same, and is frozen down to the last leaf, whatever is known', () => {
  fc.assert(
    fc.property(json, json, (value, other) => {
      for (const known of [undefined, other, value].map((each) => deepFreeze(copy(each)))) {
        const frozen = deepFreeze(copy(value), new StringPool(2), known);
        expect(frozen).toEqual(value);
        expect(Object.keys(Object(frozen))).toHaveLength(Object.keys(Object(value)).length);
        expect(isFrozen(frozen)).toBe(true);
      }
    }),
  );
});

test('a value that is as it was is the one that was', () => {
  fc.assert(
    fc.property(json, (value) => {
      const known = deepFreeze(copy(value));
      expect(Object.is(deepFreeze(copy(value), undefined, known), known)).toBe(true);
    }),
    {
      examples: [
        [JSON.parse('{"__proto__":{"a":"a text of some length"}}')],
        [JSON.parse('{"__proto__":1}')],
      ],
    },
  );
});

test('what did not change is taken from the earlier version, and that one stays as it was', () => {
  const before = deepFreeze({
    spec: { list: [{ name: 'a' }, { name: 'b' }] },
    status: { ready: 0, old: true },
  });
  const text = JSON.stringify(before);
  const after = deepFreeze(
    { spec: { list: [{ name: 'a' }, { name: 'b' }] }, status: { ready: 1 } },
    undefined,
    before as object,
  ) as typeof before;
  expect(after).toEqual({ spec: { list: [{ name: 'a' }, { name: 'b' }] }, status: { ready: 1 } });
  expect(after.spec).toBe(before.spec);
  expect(JSON.stringify(before)).toBe(text);
});

test('of a list that changed, the elements in their old places are shared', () => {
  const known = deepFreeze([{ name: 'a' }, { name: 'b' }]);
  const longer = deepFreeze([{ name: 'a' }, { name: 'c' }, { name: 'b' }], undefined, known);
  expect(longer).toEqual([{ name: 'a' }, { name: 'c' }, { name: 'b' }]);
  expect(longer[0]).toBe(known[0]);
});

test.each(['__proto__', 'constructor', 'toString'])('a field called %s is a field', (name) => {
  const parse = (below: string): object => JSON.parse(`{"${name}":${below}}`) as object;
  for (const below of ['{}', '"text"', '[]', 'null']) {
    for (const known of [{}, parse('{}'), parse(below)].map((each) => deepFreeze(each))) {
      const frozen = deepFreeze(parse(below), undefined, known);
      expect(Object.hasOwn(frozen, name)).toBe(true);
      expect(JSON.stringify(frozen)).toBe(`{"${name}":${below}}`);
    }
  }
});
