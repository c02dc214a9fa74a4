import { expect, it } from 'vitest';
import { proxyFromEnvironment } from './proxy-from-environment.ts';

const proxy = 'http://proxy:3128';

it.for([
  ['https://api.example.com:6443', { HTTPS_PROXY: proxy }, proxy],
  ['https://api.example.com', { https_proxy: 'proxy:3128' }, proxy],
  ['https://api.example.com', { HTTP_PROXY: proxy }, undefined],
  // Go takes both for the same, and curl only this one for a proxy that resolves names itself.
  ['https://api.example.com', { HTTPS_PROXY: 'socks5h://me@proxy:1080' }, 'socks5://me@proxy:1080'],
  ['https://api.example.com', { ALL_PROXY: proxy }, undefined],
  ['http://api.example.com', { HTTP_PROXY: proxy }, proxy],
  ['https://localhost:6443', { HTTPS_PROXY: proxy }, undefined],
  ['https://127.0.0.1:6443', { HTTPS_PROXY: proxy }, undefined],
  ['https://[::1]:6443', { HTTPS_PROXY: proxy }, undefined],
  ['https://api.example.com', { HTTPS_PROXY: proxy, NO_PROXY: '*' }, undefined],
  ['https://api.example.com', { HTTPS_PROXY: proxy, NO_PROXY: 'x, example.com' }, undefined],
  ['https://example.com', { HTTPS_PROXY: proxy, NO_PROXY: 'example.com' }, undefined],
  ['https://example.com', { HTTPS_PROXY: proxy, NO_PROXY: '.example.com' }, proxy],
  ['https://badexample.com', { HTTPS_PROXY: proxy, NO_PROXY: 'example.com' }, proxy],
  ['https://a.example.com:6443', { HTTPS_PROXY: proxy, no_proxy: 'a.example.com:6443' }, undefined],
  ['https://a.example.com:6443', { HTTPS_PROXY: proxy, no_proxy: 'a.example.com:443' }, proxy],
  ['https://10.1.2.3', { HTTPS_PROXY: proxy, NO_PROXY: '10.0.0.0/8' }, undefined],
  ['https://11.1.2.3', { HTTPS_PROXY: proxy, NO_PROXY: '10.0.0.0/8' }, proxy],
  ['https://11.1.2.3', { HTTPS_PROXY: proxy, NO_PROXY: '10.0.0.0/' }, proxy],
  ['https://10.1.2.3', { HTTPS_PROXY: proxy, NO_PROXY: '10.1.2.3' }, undefined],
  ['https://10.1.2.3:6443', { HTTPS_PROXY: proxy, NO_PROXY: '10.1.2.3:6443' }, undefined],
  ['https://10.1.2.3:6443', { HTTPS_PROXY: proxy, NO_PROXY: '10.1.2.3:443' }, proxy],
  ['https://[fd00::1]', { HTTPS_PROXY: proxy, NO_PROXY: 'fd00::/8' }, undefined],
  ['https://[fe80::1]', { HTTPS_PROXY: proxy, NO_PROXY: 'fd00::/8' }, proxy],
  ['https://[fd00::1]', { HTTPS_PROXY: proxy, NO_PROXY: 'fd00::/129, fd00%0::/8, /8' }, proxy],
  ['https://[fd00::1]', { HTTPS_PROXY: proxy, NO_PROXY: '10.0.0.0/8' }, proxy],
  ['https://[fd00::1]', { HTTPS_PROXY: proxy, NO_PROXY: 'FD00:0::1' }, undefined],
  ['https://[fd00::1]:6443', { HTTPS_PROXY: proxy, NO_PROXY: '[fd00::1]:6443' }, undefined],
  ['https://[fd00::1]:6443', { HTTPS_PROXY: proxy, NO_PROXY: '[fd00::1]:443' }, proxy],
  ['https://[fd00::1]', { HTTPS_PROXY: proxy, NO_PROXY: 'fd00::2, ::1' }, proxy],
  ['https://[::ffff:127.0.0.1]', { HTTPS_PROXY: proxy }, undefined],
  ['https://api.example.com', { HTTPS_PROXY: proxy, NO_PROXY: ':443, [, ]:443, *:443' }, proxy],
  ['https://api.example.com', { HTTPS_PROXY: proxy, NO_PROXY: 'example.com:' }, undefined],
  ['https://api.example.com', { HTTPS_PROXY: proxy, https_proxy: 'http://other' }, proxy],
  [
    'https://api.example.com',
    { HTTPS_PROXY: '', https_proxy: proxy, NO_PROXY: '', no_proxy: '*' },
    undefined,
  ],
] as const)('for %s with %j is %s', ([server, environment, expected]) => {
  expect(proxyFromEnvironment(server, environment)).toBe(expected);
});

it('shows no password of a proxy that it cannot use', () => {
  const environment = { https_proxy: 'me:p@ss:word@[proxy:3128' };
  expect(() => proxyFromEnvironment('https://api.example.com', environment)).toThrow(
    'HTTPS_PROXY: "…@[proxy:3128"; allowed: a URL that begins with http://, https:// or socks5://',
  );
});

it('says how a % is written in the password of a proxy', () => {
  const environment = { HTTPS_PROXY: 'http://me:50%off@proxy:3128' };
  expect(() => proxyFromEnvironment('https://api.example.com', environment)).toThrow(
    'HTTPS_PROXY: "http://…@proxy:3128"; allowed: a URL that begins with http://, https:// or socks5://, with %25 for a % in its user and password',
  );
});
