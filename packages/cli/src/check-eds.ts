#!/usr/bin/env node
import { useCompileCache } from './program/compile-cache.ts';

useCompileCache();
const { runCheckEds } = await import('./check/check-eds-command.ts');
process.exitCode = await runCheckEds(process);
