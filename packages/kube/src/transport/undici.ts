import { createRequire } from 'node:module';
import type { Pool as PoolClass, ProxyAgent } from 'undici';

/*
 * What is used of undici, from its files: its index loads fetch, web sockets, caches and mocks too, 5 MB in every
 * process and 40 ms of every start. Its version is pinned, so the places of its files are as well.
 */
const require = createRequire(import.meta.url);

export const Pool = require('undici/lib/dispatcher/pool.js') as typeof PoolClass;

/** Few need it, and it needs what the index adds to dispatchers. */
export function loadProxyAgent(): typeof ProxyAgent {
  return (require('undici') as { readonly ProxyAgent: typeof ProxyAgent }).ProxyAgent;
}
