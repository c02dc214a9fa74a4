#!/usr/bin/env node
import { fileURLToPath } from 'node:url';
import { runCommand } from './command/run-command.ts';

const interrupted = new AbortController();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => interrupted.abort());
// Whoever read the output is gone (`| head`): what was begun is ended.
process.stdout.on('error', () => interrupted.abort());

process.exitCode = await runCommand({
  script: fileURLToPath(import.meta.url),
  args: process.argv.slice(2),
  streams: { out: process.stdout, err: process.stderr },
  signal: interrupted.signal,
});
