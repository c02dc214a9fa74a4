import { expect, it } from 'vitest';
import { requestTimeout } from './request-timeout.ts';

it.each([
  ['5', 5_000],
  ['0', 0],
  ['05', 5_000],
  ['5s', 5_000],
  ['1m', 60_000],
  ['250ms', 250],
  ['', undefined],
  ['-5', undefined],
  ['-5s', undefined],
  ['1.5', undefined],
  ['soon', undefined],
])('"%s" is %s ms', (text, milliseconds) => {
  expect(requestTimeout(text)).toBe(milliseconds);
});
