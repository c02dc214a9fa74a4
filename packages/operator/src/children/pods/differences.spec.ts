import { expect, it } from 'vitest';
import { differencesBetween } from './differences.ts';

const tag = `registry.example.com/${'a'.repeat(40)}:v`;

it.each<readonly [string, unknown, unknown, readonly string[]]>([
  ['nothing', { a: 1 }, { a: 1 }, []],
  ['a value', { a: { b: 1 } }, { a: { b: 2 } }, ['spec.a.b is 2 (child: 1)']],
  ['what is missing', {}, { a: 1 }, ['spec.a is set (child: none)']],
  ['what is too much', { a: 1 }, {}, ['spec.a is not set (child: set)']],
  [
    'elements by their names, wherever they stand',
    {
      list: [
        { name: 'x', v: 1 },
        { name: 'y', v: 1 },
      ],
    },
    {
      list: [
        { name: 'y', v: 2 },
        { name: 'x', v: 1 },
      ],
    },
    ['spec.list[y].v is 2 (child: 1)'],
  ],
  ['other lists as a whole', { list: [1] }, { list: [1, 2] }, ['spec.list is [1,2] (child: [1])']],
  [
    'the end of long values',
    { image: `${tag}1` },
    { image: `${tag}2` },
    [`spec.image is …${`"${tag}2"`.slice(-40)} (child: …${`"${tag}1"`.slice(-40)})`],
  ],
])('names %s', (_what, found, wanted, differences) => {
  expect(differencesBetween(found, wanted, 'spec')).toEqual(differences);
});
