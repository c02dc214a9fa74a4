import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  compileSelector,
  everything,
  InvalidSelectorError,
  nothing,
  requirementMatches,
  selectorMatches,
  selectorProblems,
  type Labels,
  type Selector,
} from './label-selector.ts';
import type { LabelSelector } from '../types/index.ts';
import { formatSelector, parseSelectorText } from './label-selector-text.ts';

describe('a selector in a spec', () => {
  test('absent selects nothing and empty selects everything', () => {
    expect(compileSelector(undefined)).toBe(nothing);
    expect(compileSelector(null)).toBe(nothing);
    expect(selectorMatches(nothing, { a: 'b' })).toBe(false);
    expect(selectorMatches(nothing, undefined)).toBe(false);
    expect(selectorMatches(compileSelector({}), undefined)).toBe(true);
    expect(selectorMatches(everything, { a: 'b' })).toBe(true);
  });

  test('labels and expressions must all be met', () => {
    const selector = compileSelector({
      matchLabels: { app: 'web' },
      matchExpressions: [
        { key: 'tier', operator: 'In', values: ['a', 'b'] },
        { key: 'env', operator: 'NotIn', values: ['test'] },
        { key: 'zone', operator: 'Exists' },
        { key: 'old', operator: 'DoesNotExist', values: [] },
      ],
    });
    expect(selectorMatches(selector, { app: 'web', tier: 'a', zone: '' })).toBe(true);
    expect(selectorMatches(selector, { app: 'web', tier: 'a', zone: '', env: 'prod' })).toBe(true);
    expect(selectorMatches(selector, { app: 'web', tier: 'a', zone: '', env: 'test' })).toBe(false);
    expect(selectorMatches(selector, { app: 'web', tier: 'c', zone: '' })).toBe(false);
    expect(selectorMatches(selector, { app: 'web', tier: 'a' })).toBe(false);
    expect(selectorMatches(selector, { app: 'web', tier: 'a', zone: '', old: '' })).toBe(false);
  });

  test('names that every object inherits are no labels', () => {
    expect(
      selectorMatches(
        compileSelector({ matchExpressions: [{ key: 'constructor', operator: 'Exists' }] }),
        {},
      ),
    ).toBe(false);
    expect(
      selectorMatches(
        compileSelector({ matchExpressions: [{ key: 'toString', operator: 'DoesNotExist' }] }),
        {},
      ),
    ).toBe(true);
  });

  test.each<[LabelSelector, string]>([
    [{ matchLabels: { 'a b': 'c' } }, 'spec.selector.matchLabels: "a b" name must consist of'],
    [{ matchLabels: { a: 'b c' } }, 'spec.selector.matchLabels[a]: "b c" must be empty or consist of'],
    [
      { matchExpressions: [{ key: 'a', operator: 'in', values: ['b'] }] },
      'spec.selector.matchExpressions[0].operator: "in" is no selector operator',
    ],
    [
      { matchExpressions: [{ key: 'a', operator: 'In' }] },
      'spec.selector.matchExpressions[0].values: must not be empty where the operator is In',
    ],
    [
      { matchExpressions: [{ key: 'a', operator: 'NotIn', values: [] }] },
      'spec.selector.matchExpressions[0].values: must not be empty',
    ],
    [
      { matchExpressions: [{ key: 'a', operator: 'Exists', values: ['b'] }] },
      'spec.selector.matchExpressions[0].values: must be empty',
    ],
    [
      { matchExpressions: [{ key: '', operator: 'Exists' }] },
      'spec.selector.matchExpressions[0].key: "" name must not be empty',
    ],
    [
      { matchExpressions: [{ key: 'a', operator: 'In', values: ['x', '-'] }] },
      'spec.selector.matchExpressions[0].values[1]: "-" must be',
    ],
  ])('%j is refused with its field', (selector, message) => {
    expect(() => compileSelector(selector)).toThrow(message);
  });

  test('all problems are returned together', () => {
    const selector: LabelSelector = {
      matchLabels: { a: '-' },
      matchExpressions: [{ key: 'b', operator: 'Is' }],
    };
    expect(() => compileSelector(selector, 'spec.pools')).toThrow(InvalidSelectorError);
    expect(selectorProblems(selector, 'spec.pools').map(({ path }) => path)).toEqual([
      'spec.pools.matchLabels[a]',
      'spec.pools.matchExpressions[0].operator',
    ]);
  });
});

describe('comparing numbers', () => {
  test.each<[string | undefined, 'Gt' | 'Lt', string[], boolean]>([
    ['4', 'Gt', ['3'], true],
    ['3', 'Gt', ['3'], false],
    ['2', 'Lt', ['3'], true],
    ['-5', 'Lt', ['-4'], true],
    ['10', 'Gt', ['9'], true],
    ['+4', 'Gt', ['3'], true],
    [undefined, 'Gt', ['3'], false],
    [undefined, 'Lt', ['3'], false],
    ['a', 'Gt', ['3'], false],
    ['4', 'Gt', ['x'], false],
    ['4', 'Gt', [], false],
    ['4', 'Gt', ['1', '2'], false],
    ['4.5', 'Gt', ['3'], false],
    ['9223372036854775808', 'Gt', ['3'], false],
    ['9223372036854775807', 'Gt', ['9223372036854775806'], true],
  ])('%j %s %j is %j', (value, operator, values, matches) => {
    expect(requirementMatches({ key: 'n', operator, values }, value === undefined ? {} : { n: value })).toBe(
      matches,
    );
  });
});

describe('the text form', () => {
  test.each<[string, string]>([
    ['', ''],
    [' ', ''],
    ['x=a,y=b,z=c', 'x=a,y=b,z=c'],
    ['x==a', 'x=a'],
    ['x!=a', 'x!=a'],
    ['x = a , y!= b', 'x=a,y!=b'],
    ['x', 'x'],
    ['!x', '!x'],
    [' ! x ', '!x'],
    ['x in (b,a)', 'x in (a,b)'],
    ['x notin (a,b,b)', 'x notin (a,b)'],
    ['x in (a)', 'x=a'],
    ['x in (,a)', 'x in (,a)'],
    ['x=', 'x='],
    ['x=,z=b', 'x=,z=b'],
    ['x in ()', 'x='],
    ['x>1', 'x>1'],
    ['x < 7', 'x<7'],
    ['b,a', 'a,b'],
    ['in=a', 'in=a'],
    ['notin in (in)', 'notin=in'],
    ['example.com/zone in (a),!old', '!old,example.com/zone=a'],
    ['x==a,z in(a,b)', 'x=a,z in (a,b)'],
  ])('%j is read as %j', (text, canonical) => {
    expect(formatSelector(parseSelectorText(text))).toBe(canonical);
  });

  test.each([
    '=a',
    'a,',
    ',a',
    'a=b,,c=d',
    'a in',
    'a in (b',
    'a in b',
    'a in (b c)',
    'a=b c',
    'a!',
    '!',
    '!a=b',
    'a=b=c',
    'a===b',
    '-a=b',
    'a=-b',
    'a>x',
    'a>',
    'a>-1',
    '(a)',
    'a/b/c',
    'x=a||y=b',
    'a in (b))',
  ])('%j is refused, quoting it', (text) => {
    expect(() => parseSelectorText(text)).toThrow(`invalid selector ${JSON.stringify(text)}`);
  });

  test('a selector of nothing cannot be written', () => {
    expect(() => formatSelector(nothing)).toThrow(RangeError);
  });
});

const key = fc.constantFrom('a', 'b', 'example.com/c');
const value = fc.constantFrom('', 'x', 'y', '7', '12');
const labels: fc.Arbitrary<Labels> = fc.dictionary(key, value);
const selectors: fc.Arbitrary<Selector> = fc.array(
  fc.oneof(
    fc.record({
      key,
      operator: fc.constantFrom('In', 'NotIn'),
      values: fc.uniqueArray(value, { minLength: 1 }),
    }),
    fc.record({ key, operator: fc.constantFrom('Exists', 'DoesNotExist'), values: fc.constant([]) }),
    fc.record({
      key,
      operator: fc.constantFrom('Gt', 'Lt'),
      values: fc.tuple(fc.constantFrom('0', '7', '10')),
    }),
  ),
);

test('a selector and its text select the same labels', () => {
  fc.assert(
    fc.property(selectors, labels, (selector, on) => {
      const text = formatSelector(selector);
      expect(selectorMatches(parseSelectorText(text), on)).toBe(selectorMatches(selector, on));
      expect(formatSelector(parseSelectorText(text))).toBe(text);
    }),
  );
});

test('In and NotIn, Exists and DoesNotExist are opposites', () => {
  fc.assert(
    fc.property(key, fc.array(value, { minLength: 1 }), labels, (on, values, of) => {
      expect(requirementMatches({ key: on, operator: 'In', values }, of)).toBe(
        !requirementMatches({ key: on, operator: 'NotIn', values }, of),
      );
      expect(requirementMatches({ key: on, operator: 'Exists', values: [] }, of)).toBe(
        !requirementMatches({ key: on, operator: 'DoesNotExist', values: [] }, of),
      );
    }),
  );
});
