import { spawn } from 'node:child_process';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '..');

/** A check that looks at files only: no server, no test runner. */
export interface Check {
  readonly name: string;
  readonly command: readonly string[];
  /** What to do when it fails. */
  readonly mend: string;
}

export const checks: readonly Check[] = [
  { name: 'format', command: ['prettier', '--check', '--log-level=warn', '.'], mend: 'npm run format' },
  { name: 'lint', command: ['oxlint', '--type-aware'], mend: 'see the findings above' },
  { name: 'types', command: ['tsc', '--noEmit', '-p', '.'], mend: 'see the errors above' },
  {
    name: 'generated files',
    command: ['node', 'scripts/generate.ts', '--check'],
    mend: 'npm run generate',
  },
];

/** Runs a command in the tree's root with its output shown; resolves to its exit code (1 where a signal ended it). */
export function runCommand(command: readonly string[]): Promise<number> {
  const [program = '', ...args] = command;
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
    const passOn = (signal: NodeJS.Signals): void => {
      child.kill(signal);
    };
    process.on('SIGINT', passOn).on('SIGTERM', passOn);
    child.on('error', (error) => {
      reject(new Error(`Cannot start ${program}: ${error.message}`));
    });
    child.on('exit', (code) => {
      process.off('SIGINT', passOn).off('SIGTERM', passOn);
      resolve(code ?? 1);
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
