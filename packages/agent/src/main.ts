#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';

/*
 * Small nodes: it answers a few requests a day, and what V8 takes to make code fast (of JavaScript, and of the HTTP parser, which is
 * WebAssembly) would be a sixth of its memory.
 */
for (const flag of ['--no-opt', '--no-maglev', '--no-wasm-tier-up', '--no-wasm-dynamic-tiering'])
  setFlagsFromString(flag);

// As the operator does: from the second start on nothing is compiled again. Without effect where the folder cannot be written.
const cacheHome = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
enableCompileCache(process.env['NODE_COMPILE_CACHE'] ?? join(cacheHome, 'atoll', 'compiled'));
await import('./start-up/command-line.ts');
