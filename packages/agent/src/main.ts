#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8';
import { useCompileCache } from '@atoll/kube/compile-cache';

/*
 * Small nodes: it answers a few requests a day, and what V8 takes to make code fast (of JavaScript, and of the HTTP parser, which is
 * WebAssembly) would be a sixth of its memory.
 */
for (const flag of ['--no-opt', '--no-maglev', '--no-wasm-tier-up', '--no-wasm-dynamic-tiering'])
  setFlagsFromString(flag);

useCompileCache('atoll');
await import('./start-up/command-line.ts');
