import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';

/** A process of its own that runs commands, each after the one before; `and then` where it goes on after them. */
function run(...commands: readonly string[]) {
  const script = `
    import { runCommand } from ${JSON.stringify(join(import.meta.dirname, 'checks.ts'))};
    for (const command of process.argv.slice(1)) console.log('code', await runCommand(['sh', '-c', command]));
    console.log('and then');`;
  return spawnSync(process.execPath, ['--input-type=module', '-e', script, ...commands], {
    encoding: 'utf8',
    timeout: 60_000,
  });
}

it('goes on after a command that failed', () => {
  expect(run('exit 3', 'exit 0').stdout).toBe('code 3\ncode 0\nand then\n');
});

it.each([
  ['INT', 130],
  ['TERM', 143],
])('begins nothing after a command that SIG%s ended, also before the signal arrives here', (signal, code) => {
  const { stdout, status } = run(`kill -${signal} $$`, 'echo begun');
  expect({ stdout, status }).toEqual({ stdout: '', status: code });
});

it('ends the command that runs, and itself, by a signal of its own', () => {
  const { stdout, status } = run('exit 0', 'kill -TERM $PPID; exec sleep 30');
  expect({ stdout, status }).toEqual({ stdout: 'code 0\n', status: 143 });
});
