import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';

const commandLine = fileURLToPath(new URL('command-line.ts', import.meta.url));

it(
  'an operator whose kubeconfig is not answered ends when it is asked to',
  { timeout: 120_000 },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'operator-'));
    onTestFinished(async () => rm(folder, { recursive: true, force: true }));
    const kubeconfig = join(folder, 'config');
    execFileSync('mkfifo', [kubeconfig]);
    const operator = spawn(process.execPath, [commandLine, '--kubeconfig', kubeconfig], { stdio: 'ignore' });
    onTestFinished(() => void operator.kill('SIGKILL'));
    const ended = once(operator, 'exit');
    // Waits until it is opened to be read. Nothing is ever written to it.
    await using _writer = await open(kubeconfig, 'w');
    operator.kill('SIGTERM');
    expect(await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 15_000))])).toEqual([
      0,
      null,
    ]);
  },
);
