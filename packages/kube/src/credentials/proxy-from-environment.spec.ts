import { expect, it } from 'vitest';
import { proxyFromEnvironment } from './proxy-from-environment.ts';

const proxy = 'http://proxy:3128';

it.for([
  ['https://api.example.com:6443', { HTTPS_PROXY: proxy }, proxy],
  ['https://api.example.com', { https_proxy: 'proxy:3128' }, proxy],
  ['https://api.example.com', { HTTP_PROXY: proxy }, undefined],
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
] as const)('for %s with %j is %s', ([server, environment, expected]) => {
  expect(proxyFromEnvironment(server, environment)).toBe(expected);
});

it('shows no password of a proxy that it cannot use', () => {
  const environment = { https_proxy: 'me:p@ss:word@[proxy:3128' };
  expect(() => proxyFromEnvironment('https://api.example.com', environment)).toThrow(
    'HTTPS_PROXY: "…@[proxy:3128"; allowed: a URL that begins with http://, https:// or socks5://',
  );
});
