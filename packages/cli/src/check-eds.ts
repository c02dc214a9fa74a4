#!/usr/bin/env node
import { useCompileCache } from '@atoll/kube/compile-cache';

useCompileCache('atoll');
const { runCheckEds } = await import('./check/check-eds-command.ts');
process.exitCode = await runCheckEds(process);
