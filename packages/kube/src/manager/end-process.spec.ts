import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const file = (path: string): string => JSON.stringify(fileURLToPath(new URL(path, import.meta.url)));

let folder: string;
let pipe: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'end-'));
  pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a program that reads a file whose reading never ends. Yields its exit code, and whether it had to be killed. */
async function runWithHungFile(program: string): Promise<readonly unknown[]> {
  const text = `
    const { readFile } = await import('node:fs/promises');
    const { exitOnError } = await import(${file('exit-on-error.ts')});
    const { terminationSignal } = await import(${file('termination-signal.ts')});
    const { endProcess } = await import(${file('end-process.ts')});
    const logger = { info() {} };
    void readFile(${JSON.stringify(pipe)});
    await new Promise((resolve) => setTimeout(resolve, 50));
    ${program}
  `;
  return new Promise((resolve) => {
    const options = { timeout: 20_000, killSignal: 'SIGKILL' } as const;
    const args = ['--input-type=module', '--eval', text];
    execFile(process.execPath, args, options, (error, _, stderr) =>
      resolve([error?.code ?? 0, error?.killed ?? false, stderr]),
    );
  });
}

describe('while a file is read that does not answer', { timeout: 60_000 }, () => {
  it('a process ends with its code', async () => {
    expect(await runWithHungFile('endProcess(process, 1);')).toEqual([1, false, '']);
  });

  it('an error that nobody catches ends the process', async () => {
    const program = "exitOnError(process, 'website'); throw new Error('leadership lost');";
    expect(await runWithHungFile(program)).toEqual([1, false, 'website: leadership lost\n']);
  });

  it('a second signal ends the process', async () => {
    const program = `
      terminationSignal(process, logger);
      process.kill(process.pid, 'SIGTERM');
      setTimeout(() => process.kill(process.pid, 'SIGTERM'), 100);
    `;
    expect(await runWithHungFile(program)).toEqual([143, false, '']);
  });
});
