#!/usr/bin/env node
import { useCompileCache } from '@atoll/kube/compile-cache';

// Before anything else is loaded: it saves a third of a start's processor time and a tenth of its memory.
useCompileCache('atoll');
await import('./start-up/command-line.ts');
