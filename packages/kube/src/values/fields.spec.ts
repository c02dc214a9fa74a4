import { expect, it } from 'vitest';
import { fieldsOf, isFields } from './fields.ts';

it.each([
  [true, { a: 1 }],
  [true, {}],
  [false, []],
  [false, null],
  [false, 'text'],
  [false, undefined],
])('%s: %j is a JSON object', (is, value) => {
  expect(isFields(value)).toBe(is);
  expect(fieldsOf(value)).toEqual(is ? value : {});
});
