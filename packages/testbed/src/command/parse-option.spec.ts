import { InvalidValue } from '@atoll/kube/command-line';
import { describe, expect, it } from 'vitest';
import {
  parseCount,
  parseLabel,
  parseName,
  parseNames,
  parseSeconds,
  parseTaint,
  splitLabelArguments,
} from './parse-option.ts';

describe('options', () => {
  it.each([
    ['a count', () => parseCount('12'), 12],
    ['no count', () => parseCount('0'), 0],
    ['seconds', () => parseSeconds('60'), 60],
    ['a name', () => parseName('hang-zhou1'), 'hang-zhou1'],
    ['a number of pools', () => parseNames('3'), 3],
    ['names of pools', () => parseNames('hz,sh'), ['hz', 'sh']],
    ['a taint', () => parseTaint('a.b/c=d:NoSchedule'), [{ key: 'a.b/c', value: 'd', effect: 'NoSchedule' }]],
    ['a taint without a value', () => parseTaint('c:NoExecute'), [{ key: 'c', effect: 'NoExecute' }]],
    ['a label', () => parseLabel('a=b=c', { x: 'y' }), { x: 'y', a: 'b=c' }],
  ])('take %s', (_, parse, expected) => {
    expect(parse()).toEqual(expected);
  });

  it.each([
    ['a count below zero', () => parseCount('-1')],
    ['a count that is none', () => parseCount('three')],
    ['a count that is too large', () => parseCount('99999999')],
    ['a lease of no time', () => parseSeconds('0')],
    ['a name with a slash', () => parseName('../x')],
    ['an empty name', () => parseName('')],
    ['a name that is there twice', () => parseNames('a,a')],
    ['an empty name among names', () => parseNames('a,')],
    ['a taint without an effect', () => parseTaint('a=b')],
    ['a taint with an unknown effect', () => parseTaint('a=b:Never')],
    ['a label without a value', () => parseLabel('a')],
  ])('refuse %s', (_, parse) => {
    expect(parse).toThrow(InvalidValue);
  });

  it('distinguish nodes from labels as kubectl does', () => {
    expect(splitLabelArguments(['node-1', 'a=b', 'c=', 'd-', 'node-2'])).toEqual({
      names: ['node-1', 'node-2'],
      labels: { a: 'b', c: '', d: null },
    });
  });
});
