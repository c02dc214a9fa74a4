import { createRequire } from 'node:module';
import type { Dispatcher as DispatcherClass, Pool as PoolClass, ProxyAgent } from 'undici';

/*
 * What is used of undici, from its files: its index loads fetch, web sockets, caches and mocks too, 5 MB in every
 * process and 40 ms of every start. Its version is pinned, so the places of its files are as well.
 */
const require = createRequire(import.meta.url);

export const Pool = require('undici/lib/dispatcher/pool.js') as typeof PoolClass;

/** Few need it. It connects by a method that only the index gives to dispatchers. */
export function loadProxyAgent(): typeof ProxyAgent {
  const Dispatcher = require('undici/lib/dispatcher/dispatcher.js') as typeof DispatcherClass;
  const connect = require('undici/lib/api/api-connect.js') as DispatcherClass['connect'];
  Object.assign(Dispatcher.prototype, { connect });
  return require('undici/lib/dispatcher/proxy-agent.js') as typeof ProxyAgent;
}
