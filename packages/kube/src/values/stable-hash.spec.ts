import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { labelValueProblems } from '../objects/resource-names.ts';
import { canonicalJson, stableHash } from './stable-hash.ts';

describe('canonical JSON', () => {
  test.each<[unknown, string]>([
    [{ b: 1, a: { d: [1, 'x', null], c: true } }, '{"a":{"c":true,"d":[1,"x",null]},"b":1}'],
    [{ a: undefined, b: null }, '{"b":null}'],
    [{ 10: 'x', 9: 'y' }, '{"10":"x","9":"y"}'],
    ['a"b', '"a\\"b"'],
    [1.5, '1.5'],
    [-0, '0'],
    [[], '[]'],
  ])('%j is written sorted', (value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });

  test('what is no JSON is an error with its place', () => {
    expect(() => canonicalJson({ a: [1, Number.NaN] })).toThrow('$.a[1]: NaN is no JSON value');
    expect(() => canonicalJson({ a: () => 1 })).toThrow('$.a: ');
  });

  test('it is JSON and keeps the value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(JSON.parse(text))).toBe(text);
      }),
    );
  });
});

describe('the hash', () => {
  test('stays the same from release to release', () => {
    // These stand in the names of objects in clusters: a change here would make every child a stranger.
    expect(stableHash({})).toBe('67dns75th6');
    expect(stableHash({ spec: { replicas: 2 }, kind: 'Deployment' })).toBe('rlm2hfbsmb');
    expect(stableHash(['uid', 'hangzhou'], 5)).toBe('6j8kq');
  });

  test('fits into names and label values', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.integer({ min: 1, max: 50 }), (value, length) => {
        const hash = stableHash(value, length);
        expect(hash).toMatch(/^[b-df-hj-np-tv-xz24-9]+$/);
        expect(hash).toHaveLength(length);
        expect(labelValueProblems(hash)).toEqual([]);
      }),
    );
  });

  test('does not see the order of keys but that of lists', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        expect(stableHash(Object.fromEntries(Object.entries(value).toReversed()))).toBe(stableHash(value));
      }),
    );
    expect(stableHash([1, 2])).not.toBe(stableHash([2, 1]));
  });
});
