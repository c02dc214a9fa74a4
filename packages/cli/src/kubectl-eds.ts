#!/usr/bin/env node
import { useCompileCache } from '@atoll/kube/compile-cache';

useCompileCache('atoll');
const { runKubectlEds } = await import('./eds/kubectl-eds.ts');
process.exitCode = await runKubectlEds(process);
