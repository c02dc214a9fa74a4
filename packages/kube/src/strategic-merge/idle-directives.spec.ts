import { describe, expect, it } from 'vitest';
import { idleDirectives } from './idle-directives.ts';
import { listBy, objectOf } from './patch-schema.ts';
import { strategicMerge } from './strategic-merge.ts';

const schema = {
  fields: {
    list: listBy('name', { fields: { inner: listBy('id') } }),
    object: objectOf({ fields: { list: listBy('name') } }),
  },
};

const a = { name: 'a', x: { y: 1 } };
const replace = { $patch: 'replace' };
const drop = { $patch: 'delete' };

describe('a directive that finds nothing to act on', () => {
  it.each<readonly [string, object, object, readonly string[]]>([
    ['replaces an object that is not there', {}, { o: { ...replace, x: 1 } }, ['o replace, dropped']],
    ['replaces one below what is new', {}, { o: { p: { ...replace, x: 1 } } }, ['o.p replace, dropped']],
    ['deletes an object that is not there', { x: 1 }, { o: drop }, ['o delete']],
    [
      'deletes an element that is not there',
      { list: [a] },
      { list: [{ name: 'b', ...drop }] },
      ['list[0] delete'],
    ],
    [
      'replaces in an element that is there',
      { list: [a] },
      { list: [{ name: 'a', z: { ...replace, x: 1 } }] },
      ['list[0].z replace, dropped'],
    ],
    [
      'replaces in an element of a list that is new',
      {},
      { list: [{ name: 'b', x: { ...replace, y: 1 } }] },
      ['list[0].x replace, dropped'],
    ],
    [
      'deletes in an element that is new',
      { list: [a] },
      { list: [{ name: 'b', x: { ...drop, y: 1 } }] },
      ['list[0].x delete'],
    ],
    [
      'deletes in a list that is replaced',
      { list: [a] },
      { list: [replace, { name: 'a', x: drop }] },
      ['list[1].x delete'],
    ],
    [
      'replaces in a list of an object',
      { object: { list: [a] } },
      { object: { list: [{ name: 'a', z: { ...replace, x: 1 } }] } },
      ['object.list[0].z replace, dropped'],
    ],
  ])('%s', (_, original, patch, found) => {
    expect(shown(original, patch)).toEqual(found);
    const dropped = JSON.stringify(patch).includes('"x":1') && found.some((each) => each.endsWith('dropped'));
    if (!dropped) return;
    expect(JSON.stringify(strategicMerge(original, patch, schema))).not.toContain('"x":1');
  });

  it.each<readonly [string, object, object]>([
    ['replaces an object', { o: { x: 1 } }, { o: { ...replace, y: 2 } }],
    ['deletes an object', { o: { x: 1 } }, { o: drop }],
    ['deletes an element', { list: [a] }, { list: [{ name: 'a', ...drop }] }],
    ['replaces in an element', { list: [a] }, { list: [{ name: 'a', x: { ...replace, z: 1 } }] }],
    ['replaces a list', { list: [a] }, { list: [replace, { name: 'b' }] }],
    ['replaces in an element that is new', { list: [a] }, { list: [{ name: 'b', x: { ...replace, y: 1 } }] }],
    [
      'replaces in what is replaced itself',
      { o: { p: { x: 1 } } },
      { o: { ...replace, p: { ...replace, x: 2 } } },
    ],
    ['replaces in a list that is replaced', { list: [a] }, { list: [replace, { name: 'b', x: replace }] }],
    ['replaces in a list that is replaced as a whole', { l: [1] }, { l: [{ o: { ...replace, x: 1 } }] }],
    ['replaces a list that is not there', {}, { list: [replace, { name: 'b' }] }],
    ['is a field without a directive', {}, { o: { x: null }, list: [{ name: 'b' }], constructor: { x: 1 } }],
  ])('is none that %s', (_, original, patch) => {
    expect(shown(original, patch)).toEqual([]);
  });

  it('is looked for in anything', () => {
    for (const patch of [undefined, null, 1, [replace], { list: 1, object: [1] }])
      expect(idleDirectives(null, patch, schema)).toEqual([]);
  });
});

function shown(original: object, patch: object): readonly string[] {
  return idleDirectives(original, patch, schema).map(
    ({ path, directive, drops }) => `${path} ${String(directive)}${drops ? ', dropped' : ''}`,
  );
}
