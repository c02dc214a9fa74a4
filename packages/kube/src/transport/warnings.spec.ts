import { expect, it } from 'vitest';
import { parseWarnings } from './warnings.ts';

it.for([
  [undefined, []],
  ['299 - "unknown field \\"spec.foo\\""', ['unknown field "spec.foo"']],
  ['299 - "one", 299 - "two, with a comma"', ['one', 'two, with a comma']],
  [
    ['299 - "one"', '299 apiserver "two" "Thu, 01 Jan 1970 00:00:00 GMT"'],
    ['one', 'two'],
  ],
  ['199 - "not of Kubernetes"', []],
  ['nonsense', []],
] as const)('of the header %j are %j', ([header, expected]) => {
  expect(parseWarnings(typeof header === 'object' ? [...header] : header)).toEqual(expected);
});
