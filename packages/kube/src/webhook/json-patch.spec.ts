import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonPatchOperation } from '../client/client.ts';
import { jsonPatchBetween } from './json-patch.ts';

/** RFC 6902, as far as objects go. */
function applied(object: object, patch: readonly JsonPatchOperation[]): unknown {
  const result = structuredClone(object) as Record<string, unknown>;
  for (const { op, path, value } of patch) {
    const keys = path
      .split('/')
      .slice(1)
      .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
    const last = keys.pop() ?? '';
    const parent = keys.reduce((at, key) => at[key] as Record<string, unknown>, result);
    if (op !== 'add' && !Object.hasOwn(parent, last)) throw new Error(`${path} is not there`);
    if (op === 'remove') delete parent[last];
    else parent[last] = value;
  }
  return result;
}

const key = fc.constantFrom('a', 'b/c', 'd~e', 'f');
const json = fc.letrec((tie) => ({
  object: fc.dictionary(key, tie('value'), { maxKeys: 3 }),
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(0, 1, 'x', true, null),
    fc.array(fc.integer({ max: 2, min: 0 })),
    tie('object'),
  ),
})).object as fc.Arbitrary<object>;

describe('a JSON patch', () => {
  it('makes the one object of the other, and is empty between equals', () => {
    fc.assert(
      fc.property(json, json, (before, after) => {
        expect(applied(before, jsonPatchBetween(before, after))).toEqual(after);
        expect(jsonPatchBetween(before, structuredClone(before))).toEqual([]);
      }),
    );
  });

  it.each(['constructor', 'toString', '__proto__'])('adds and removes a label called %s', (name) => {
    const without = { metadata: { labels: {} } };
    const labels = JSON.parse(`{"${name}": "x"}`) as Record<string, string>;
    const path = `/metadata/labels/${name}`;
    expect(jsonPatchBetween(without, { metadata: { labels } })).toEqual([{ op: 'add', path, value: 'x' }]);
    expect(jsonPatchBetween({ metadata: { labels } }, without)).toEqual([{ op: 'remove', path }]);
  });

  it('touches only what differs, and escapes keys', () => {
    const before = { metadata: { labels: { 'a/b': 'x', kept: 'y' } }, spec: { list: [1] } };
    const after = { metadata: { labels: { 'a/b': 'z', kept: 'y' } }, spec: { list: [1, 2], more: {} } };
    expect(jsonPatchBetween(before, after)).toEqual([
      { op: 'replace', path: '/metadata/labels/a~1b', value: 'z' },
      { op: 'replace', path: '/spec/list', value: [1, 2] },
      { op: 'add', path: '/spec/more', value: {} },
    ]);
  });
});
