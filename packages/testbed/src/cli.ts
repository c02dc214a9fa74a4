#!/usr/bin/env node
import { fileURLToPath } from 'node:url';
import { CommanderError } from 'commander';
import { CommandFailure, exitCodes } from './command/command-failure.ts';
import { createProgram } from './command/program.ts';

const interrupted = new AbortController();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => interrupted.abort());

const args = process.argv.slice(2);
const program = createProgram({
  script: fileURLToPath(import.meta.url),
  args,
  streams: { out: process.stdout, err: process.stderr },
  signal: interrupted.signal,
});
try {
  await program.parseAsync(args, { from: 'user' });
} catch (error) {
  process.exitCode = exitCodeOf(error);
}

function exitCodeOf(error: unknown): number {
  // Commander has said what was wrong already; help and version end with 0.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodes.usage;
  process.stderr.write(`atoll-testbed: ${error instanceof Error ? error.message : String(error)}\n`);
  return error instanceof CommandFailure ? error.exitCode : exitCodes.failed;
}
