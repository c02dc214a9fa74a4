import { expect, it } from 'vitest';
import { duration, InvalidValue, listenAddress, text, trueOrFalse, wholeNumber } from './value-parsers.ts';

const upTo9 = wholeNumber(1, 9);
const time = duration('a duration like 5s');
const name = text('a name');

it.each<[string, (given: string) => unknown, string, unknown]>([
  ['the smallest number', upTo9, '1', 1],
  ['the greatest number', upTo9, '9', 9],
  ['true', trueOrFalse, 'true', true],
  ['false', trueOrFalse, 'false', false],
  ['a duration', time, '1m30s', 90_000],
  ['no time', time, '0', 0],
  ['a port on all addresses', listenAddress, ':8080', ':8080'],
  ['an IPv6 address', listenAddress, '[::1]:0', '[::1]:0'],
  ['an IPv4 address in one of IPv6', listenAddress, '[::ffff:127.0.0.1]:80', '[::ffff:127.0.0.1]:80'],
  ['nowhere', listenAddress, '0', '0'],
  ['a name', name, 'a', 'a'],
])('%s is taken', (_, parse, given, value) => {
  expect(parse(given)).toBe(value);
});

it.each<[string, { (given: string): unknown; readonly allowed: string }, string]>([
  ['one less than the smallest', upTo9, '0'],
  ['one more than the greatest', upTo9, '10'],
  ['a part of a number', upTo9, '1.5'],
  ['a number in another notation', upTo9, '1e0'],
  ['a negative number', upTo9, '-1'],
  ['no number', upTo9, ''],
  ['yes', trueOrFalse, 'yes'],
  ['a duration without a unit', time, '5'],
  ['a negative duration', time, '-5s'],
  ['a port alone', listenAddress, '8080'],
  ['a port that is too large', listenAddress, ':65536'],
  ['an IPv6 address without brackets', listenAddress, '::1:80'],
  ['brackets around no IPv6 address', listenAddress, '[zz]:80'],
  ['an IPv4 address in brackets', listenAddress, '[127.0.0.1]:80'],
  ['too many colons in brackets', listenAddress, '[:::]:80'],
  ['a bracket alone', listenAddress, '[::1:80'],
  ['nothing', name, ''],
])('%s is refused with what is allowed', (_, parse, given) => {
  expect(() => parse(given)).toThrow(new InvalidValue(`Allowed is ${parse.allowed}.`));
});
