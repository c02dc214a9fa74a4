#!/usr/bin/env node
import { useCompileCache } from './program/compile-cache.ts';

useCompileCache();
const { runKubectlEds } = await import('./eds/kubectl-eds.ts');
process.exitCode = await runKubectlEds(process);
