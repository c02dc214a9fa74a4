import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PodTemplateSpec } from '../types/index.ts';
import { mergePodTemplate } from './merge-pod-template.ts';
import { listBy, objectOf } from './patch-schema.ts';
import { StrategicMergeError } from './strategic-merge-error.ts';
import { strategicMerge } from './strategic-merge.ts';

const schema = {
  fields: {
    list: listBy('name', { fields: { inner: listBy('id') } }),
    set: { type: 'set' as const },
    object: objectOf({ fields: { list: listBy('name') } }),
  },
};

const a = { name: 'a', x: 1 };
const b = { name: 'b', x: 2 };
const c = { name: 'c', x: 3 };

const rows: readonly (readonly [string, object, object, object])[] = [
  [
    'merges objects',
    { o: { x: 1, y: { z: 1 } } },
    { o: { y: { w: 2 } } },
    { o: { x: 1, y: { z: 1, w: 2 } } },
  ],
  ['deletes by null', { o: { x: 1, y: 2 } }, { o: { x: null, z: null } }, { o: { y: 2 } }],
  ['adds without nulls and directives', {}, { o: { x: null, y: 1, $retainKeys: ['y'] } }, { o: { y: 1 } }],
  ['replaces what is of another type', { o: 1 }, { o: { x: 1 } }, { o: { x: 1 } }],
  ['replaces lists that nobody merges', { l: [1, 2] }, { l: [3] }, { l: [3] }],
  ['replaces an object', { o: { x: 1 } }, { o: { $patch: 'replace', y: 2 } }, { o: { y: 2 } }],
  ['replaces by nothing', { o: { x: 1 } }, { o: { $patch: 'replace', x: null } }, { o: {} }],
  ['empties an object', { o: { x: 1 } }, { o: { $patch: 'delete' } }, { o: {} }],
  ['deletes nothing from nothing', {}, { o: { $patch: 'delete' } }, {}],
  [
    'merges elements by their key',
    { list: [a, b] },
    { list: [{ name: 'b', y: 1 }] },
    { list: [a, { ...b, y: 1 }] },
  ],
  ['puts new elements first', { list: [a, b] }, { list: [c] }, { list: [c, a, b] }],
  [
    'keeps the order of the patch',
    { list: [a, b, c] },
    { list: [{ name: 'c' }, { name: 'a' }] },
    { list: [b, c, a] },
  ],
  ['deletes an element', { list: [a, b] }, { list: [{ name: 'a', $patch: 'delete' }] }, { list: [b] }],
  ['replaces a list', { list: [a, b] }, { list: [{ $patch: 'replace' }, c] }, { list: [c] }],
  ['empties a list', { list: [a, b] }, { list: [{ $patch: 'replace' }] }, { list: [] }],
  ['leaves a list that the patch does not fill', { list: [a] }, { list: [] }, { list: [a] }],
  [
    'merges lists in lists',
    { list: [{ name: 'a', inner: [{ id: 1, v: 1 }] }] },
    { list: [{ name: 'a', inner: [{ id: 1, v: 2 }, { id: 2 }] }] },
    { list: [{ name: 'a', inner: [{ id: 1, v: 2 }, { id: 2 }] }] },
  ],
  [
    'merges lists in objects',
    { object: { list: [a] } },
    { object: { list: [b] } },
    { object: { list: [b, a] } },
  ],
  ['adds to a set once', { set: ['x', 'y'] }, { set: ['y', 'z'] }, { set: ['x', 'y', 'z'] }],
  ['takes from a set', { set: ['x', 'y'] }, { '$deleteFromPrimitiveList/set': ['x', 'q'] }, { set: ['y'] }],
  [
    'takes from and adds to a set',
    { set: ['x'] },
    { set: ['y'], '$deleteFromPrimitiveList/set': ['x'] },
    { set: ['y'] },
  ],
  ['takes nothing from a set that is not there', {}, { '$deleteFromPrimitiveList/set': ['x'] }, {}],
  [
    'orders a list',
    { list: [a, b, c] },
    { '$setElementOrder/list': [{ name: 'c' }, { name: 'a' }] },
    { list: [b, c, a] },
  ],
  [
    'orders a list that it changes',
    { list: [a, b] },
    { '$setElementOrder/list': [{ name: 'b' }, { name: 'c' }, { name: 'a' }], list: [c] },
    { list: [b, c, a] },
  ],
  [
    'orders a list that it makes',
    {},
    { '$setElementOrder/list': [{ name: 'b' }, { name: 'a' }], list: [b, a] },
    { list: [b, a] },
  ],
  ['orders a set', { set: ['x', 'y'] }, { '$setElementOrder/set': ['y', 'x'] }, { set: ['y', 'x'] }],
  [
    'orders nothing by an empty order',
    { list: [a] },
    { '$setElementOrder/list': [], list: [b] },
    { list: [b, a] },
  ],
  ['orders no list that is not there', {}, { '$setElementOrder/list': [] }, {}],
  ['deletes a list that it orders', { list: [a] }, { '$setElementOrder/list': [], list: null }, {}],
  ['retains keys', { x: 1, y: 2 }, { $retainKeys: ['x', 'z'], z: 3 }, { x: 1, z: 3 }],
  [
    'retains keys in elements',
    { list: [{ name: 'a', x: 1 }] },
    { list: [{ name: 'a', $retainKeys: ['name', 'y'], y: 2 }] },
    { list: [{ name: 'a', y: 2 }] },
  ],
  ['replaces everything', { x: 1 }, { $patch: 'replace', y: 2 }, { y: 2 }],
  [
    'replaces in an element that is new',
    { list: [a] },
    { list: [{ name: 'b', o: { $patch: 'replace', x: 1 } }] },
    { list: [{ name: 'b', o: { x: 1 } }, a] },
  ],
  [
    'replaces in a list that it replaces',
    { list: [a] },
    { list: [{ $patch: 'replace' }, { name: 'a', o: { $patch: 'replace', x: 1 } }] },
    { list: [{ name: 'a', o: { x: 1 } }] },
  ],
  [
    'replaces in an object that it replaces',
    { o: { p: 1 } },
    { o: { $patch: 'replace', q: { $patch: 'replace', x: 1 }, r: { $patch: 'replace' } } },
    { o: { q: { x: 1 }, r: {} } },
  ],
  [
    'replaces in a list that nobody merges',
    { l: [1] },
    { l: [{ o: { $patch: 'replace', x: 1 } }] },
    { l: [{ o: { x: 1 } }] },
  ],
  [
    'replaces a list in an element that is new',
    { list: [a] },
    { list: [{ name: 'b', inner: [{ $patch: 'replace' }, { id: 1 }, { id: 2, $patch: 'delete' }] }] },
    { list: [{ name: 'b', inner: [{ id: 1 }] }, a] },
  ],
  [
    'replaces nothing in a list that is new',
    {},
    { list: [{ name: 'b', o: { $patch: 'replace', x: 1 } }] },
    { list: [{ name: 'b' }] },
  ],
  ['merges fields of any name', { constructor: [1] }, { constructor: [2] }, { constructor: [2] }],
];

describe('a strategic merge', () => {
  it.each(rows)('%s', (_title, original, patch, result) => {
    const [before, given] = [structuredClone(original), structuredClone(patch)];
    expect(strategicMerge(original, patch, schema)).toEqual(result);
    expect([original, patch]).toEqual([before, given]);
  });

  const wrong: readonly (readonly [string, object, unknown, string])[] = [
    ['a patch that is none', {}, [1], 'must be an object, and is a list'],
    ['a list that is none', { list: [a] }, { list: 'a' }, 'list: must be a list, and is a string'],
    ['an object that is none', {}, { object: 1 }, 'object: must be an object, and is a number'],
    [
      'an element that is none',
      { list: [a] },
      { list: [b, 'a'] },
      'list[1]: must be an object, and is a string',
    ],
    [
      'an element without its key',
      { list: [a] },
      { list: [{ x: 1 }] },
      'list[0]: has no name, by which the elements of this list are distinguished',
    ],
    [
      'an element below without its key',
      { list: [{ name: 'a', inner: [{ id: 1 }] }] },
      { list: [{ name: 'a', inner: [{ v: 1 }] }] },
      'list[0].inner[0]: has no id, by which the elements of this list are distinguished',
    ],
    [
      'an unknown directive',
      { o: {} },
      { o: { $patch: 'merge' } },
      'o.$patch: "merge" is neither "replace" nor "delete"',
    ],
    [
      'an unknown directive in a list',
      { list: [a] },
      { list: [{ name: 'a', $patch: 'drop' }] },
      'list[0].$patch: "drop" is neither "replace" nor "delete"',
    ],
    [
      'a directive in a list that is not merged',
      { l: [1] },
      { l: [{ $patch: 'replace' }] },
      'l[0].$patch: this list is replaced as a whole',
    ],
    [
      'a deletion from a list that is not merged by value',
      { list: [a] },
      { '$deleteFromPrimitiveList/list': ['a'] },
      '$deleteFromPrimitiveList/list: list is no list that is merged by value',
    ],
    [
      'an order of what is not merged',
      {},
      { '$setElementOrder/l': [] },
      '$setElementOrder/l: l is no list that is merged',
    ],
    [
      'an order that leaves out',
      { list: [a] },
      { '$setElementOrder/list': [{ name: 'a' }], list: [b] },
      '$setElementOrder/list: names not all of list, or in another order',
    ],
    [
      'keys that are set and not retained',
      { x: 1 },
      { $retainKeys: ['x'], y: 1 },
      '$retainKeys: does not name y, which the patch sets',
    ],
  ];

  it.each(wrong)('refuses %s', (_title, original, patch, message) => {
    expect(() => strategicMerge(original, patch, schema)).toThrow(
      expect.objectContaining({ name: 'StrategicMergeError', message }),
    );
  });

  it('names the path of what it refuses', () => {
    const attempt = (): unknown => strategicMerge({ o: {} }, { o: { $patch: 1 } }, schema);
    expect(attempt).toThrow(expect.objectContaining({ path: 'o.$patch' }));
  });
});

describe('a pod template', () => {
  it('is merged by its type', () => {
    const template: PodTemplateSpec = {
      metadata: { labels: { app: 'web' } },
      spec: {
        containers: [{ name: 'main', image: 'i', env: [{ name: 'A', value: '1' }], args: ['x'] }],
        tolerations: [{ key: 'a', operator: 'Exists' }],
      },
    };
    const patch = {
      metadata: { labels: { pool: 'burst' } },
      spec: {
        containers: [{ name: 'main', env: [{ name: 'POOL', value: 'burst' }], args: ['y'] }],
        tolerations: [{ key: 'b', operator: 'Exists' }],
      },
    };
    expect(mergePodTemplate(template, patch)).toEqual({
      metadata: { labels: { app: 'web', pool: 'burst' } },
      spec: {
        containers: [
          {
            name: 'main',
            image: 'i',
            env: [
              { name: 'POOL', value: 'burst' },
              { name: 'A', value: '1' },
            ],
            args: ['y'],
          },
        ],
        tolerations: [{ key: 'b', operator: 'Exists' }],
      },
    });
  });

  const element = fc.record(
    {
      name: fc.constantFrom('a', 'b', 'c'),
      value: fc.nat(3),
      $patch: fc.constantFrom('delete', 'replace', 'x'),
    },
    { requiredKeys: [] },
  );
  const junk = fc.oneof(fc.jsonValue(), fc.record({ spec: fc.record({ containers: fc.array(element) }) }));

  it('is merged with anything, or the patch is refused', () => {
    fc.assert(
      fc.property(junk, junk, (template, patch) => {
        const before = JSON.stringify([template, patch]);
        const result = attempt(() => mergePodTemplate(template as PodTemplateSpec, patch));
        expect(result === 'refused' || typeof result === 'object').toBe(true);
        expect(JSON.stringify([template, patch])).toBe(before);
      }),
      { numRuns: 500 },
    );
  });

  it('is the same after the same patch again, where that deletes, replaces and orders nothing', () => {
    const list = fc.uniqueArray(
      fc.record({ name: fc.constantFrom('a', 'b', 'c', 'd'), image: fc.constantFrom('1', '2') }),
      { selector: ({ name }) => name },
    );
    fc.assert(
      fc.property(list, list, (containers, patched) => {
        const patch = { spec: { containers: patched } };
        const once = mergePodTemplate({ spec: { containers } }, patch);
        expect(mergePodTemplate(once, patch)).toEqual(once);
      }),
    );
  });
});

function attempt(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    if (error instanceof StrategicMergeError) return 'refused';
    throw error;
  }
}
