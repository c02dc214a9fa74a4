import { expect, it } from 'vitest';
import { isStrangerHost } from './stranger-host.ts';

it.each([
  [undefined, undefined],
  ['127.0.0.1:10267', undefined],
  ['192.0.2.7', undefined],
  ['[::1]:10267', undefined],
  ['[fe80::1]', undefined],
  ['localhost', undefined],
  ['LocalHost:10267', undefined],
  ['node-1:10267', 'node-1'],
  ['NODE-1', 'node-1'],
])('a request for %s is for a server on %s', (host, own) => {
  expect(isStrangerHost(host, own)).toBe(false);
});

it.each([
  ['pages.example.com:10267', undefined],
  ['pages.example.com', 'node-1'],
  ['localhost.example.com', undefined],
  ['127.0.0.1.example.com', undefined],
  ['127.0.0.1@example.com', undefined],
  ['[::1].example.com', undefined],
  ['localhost:10267:80', undefined],
  ['node-1', undefined],
  ['', undefined],
])('a request for %j is of a stranger to a server on %s', (host, own) => {
  expect(isStrangerHost(host, own)).toBe(true);
});
