import { spawn, type ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '..');

/** A check that looks at files only: no server, no test runner. */
export interface Check {
  readonly name: string;
  readonly command: readonly string[];
  /** What to do when it fails. */
  readonly mend: string;
}

const cache = ['--cache', '--cache-strategy=content', '--cache-location=node_modules/.cache/format'];

export const checks: readonly Check[] = [
  {
    name: 'format',
    // Files whose content was found well formatted before are not parsed again.
    command: ['prettier', '--check', '--log-level=warn', ...cache, '.'],
    mend: 'npm run format',
  },
  { name: 'lint', command: ['oxlint', '--type-aware'], mend: 'see the findings above' },
  { name: 'types', command: ['tsc', '--noEmit', '-p', '.'], mend: 'see the errors above' },
  {
    name: 'generated files',
    command: ['node', 'scripts/generate.ts', '--check'],
    mend: 'npm run generate',
  },
];

const running = new Set<ChildProcess>();
let interruptedBy: NodeJS.Signals | undefined;
const interruptions: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM'];

/** A terminal sends Ctrl-C to every process of the group, so the commands have it already. */
function interrupt(signal: NodeJS.Signals): void {
  interruptedBy ??= signal;
  if (signal !== 'SIGINT' || !process.stdin.isTTY) for (const child of running) child.kill(signal);
  endIfInterrupted();
}

/** With the commands, and without those that would have come. */
function endIfInterrupted(): void {
  if (interruptedBy !== undefined && running.size === 0) process.exit(128 + constants.signals[interruptedBy]);
}

/**
 * Runs a command in the tree's root with its output shown; resolves to its exit code (1 where a signal ended it). Ctrl-C ends it, and
 * then this process. `env`: variables besides our own.
 */
export function runCommand(
  command: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<number> {
  const [program = '', ...args] = command;
  for (const signal of interruptions) process.off(signal, interrupt).on(signal, interrupt);
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    running.add(child);
    child.on('error', (error) => {
      running.delete(child);
      endIfInterrupted();
      reject(new Error(`Cannot start ${program}: ${error.message}`));
    });
    child.on('exit', (code, signal) => {
      running.delete(child);
      // That the command ended by Ctrl-C can be known here before Ctrl-C itself is: nothing else is begun.
      if (signal !== null && interruptions.includes(signal)) interrupt(signal);
      endIfInterrupted();
      if (interruptedBy === undefined) resolve(code ?? 1);
    });
  });
}

/** Runs every check, also after one failed; resolves to the names of those that failed. */
export async function runChecks(): Promise<readonly string[]> {
  const failed: string[] = [];
  for (const check of checks) {
    const started = performance.now();
    const code = await runCommand(check.command);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    if (code === 0) {
      console.log(`ok      ${check.name} (${seconds} s)`);
    } else {
      failed.push(check.name);
      console.log(`FAILED  ${check.name} (${seconds} s): ${check.mend}`);
    }
  }
  return failed;
}
