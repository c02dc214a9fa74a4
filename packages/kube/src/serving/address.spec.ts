import { expect, it } from 'vitest';
import { parseAddress } from './address.ts';

it.each([
  ['127.0.0.1:8081', '127.0.0.1', 8081],
  [':8081', undefined, 8081],
  ['[::1]:80', '::1', 80],
  ['localhost:0', 'localhost', 0],
])('%s is understood', (address, host, port) => {
  expect(parseAddress(address)).toEqual({ host, port });
});

it.each(['', '8081', 'localhost', 'localhost:', 'localhost:http', '::1:80', ':65536', 'http://localhost:80'])(
  '%j is refused',
  (address) => {
    expect(() => parseAddress(address)).toThrow(`invalid address ${JSON.stringify(address)}`);
  },
);
