import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock, type Clock } from '../clock/clock.ts';
import type { ExecPlugin } from './cluster-access.ts';
import { noTerminal } from './plugin-terminal.ts';
import { runPlugin } from './run-plugin.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plugin-'));
});
afterEach(async () => rm(folder, { recursive: true, force: true }));

async function plugin(script: string): Promise<ExecPlugin> {
  const command = join(folder, 'plugin');
  await writeFile(command, `#!/bin/sh\n${script}\n`);
  await chmod(command, 0o755);
  return {
    apiVersion: 'client.authentication.k8s.io/v1',
    command,
    args: [],
    env: {},
    provideClusterInfo: false,
    interactiveMode: 'Never',
  };
}

/** A clock on which a minute lasts 0.6 s. */
const hurried: Clock = {
  ...systemClock,
  setTimer: (milliseconds, callback) => systemClock.setTimer(milliseconds / 100, callback),
};

/** A clock on which an hour lasts 36 ms. */
const immediate: Clock = {
  ...systemClock,
  setTimer: (milliseconds, callback) => systemClock.setTimer(milliseconds / 100_000, callback),
};

describe('a credential plugin', () => {
  it('that ignores SIGTERM is killed, and what it wrote to stderr is in the message', async () => {
    const stubborn = await plugin(`trap '' TERM; echo 'asking the cloud' >&2; while :; do sleep 0.05; done`);
    await expect(runPlugin(stubborn, '', { clock: hurried })).rejects.toThrow(
      /plugin did not end within 60 s: asking the cloud$/,
    );
  });

  it('is done when it ends, also where a child of it holds its output', async () => {
    const forks = await plugin(`sleep 300 & echo $! > '${folder}/child'; echo credential`);
    try {
      expect(await runPlugin(forks, '', { clock: systemClock })).toBe('credential\n');
    } finally {
      process.kill(Number(await readFile(join(folder, 'child'), 'utf8')));
    }
  });

  it('ends with its signal, and is not waited for', async () => {
    const slow = await plugin(`echo $$ > '${folder}/pid'; exec sleep 300`);
    const stop = new AbortController();
    const running = runPlugin(slow, '', { clock: systemClock, signal: stop.signal });
    const pid = async (): Promise<number> => Number(await readFile(join(folder, 'pid'), 'utf8'));
    await expect.poll(pid, { timeout: 60_000 }).toBeGreaterThan(0);
    stop.abort();
    await expect(running).rejects.toThrow(/plugin is not needed any more$/);
    const child = await pid();
    await expect.poll(() => isThere(child), { timeout: 60_000 }).toBe(false);
    await expect(runPlugin(slow, '', { clock: systemClock, signal: stop.signal })).rejects.toThrow(
      /is not needed any more$/,
    );
  });

  it('that cannot be started for want of file descriptors is an error, and ends no process', async () => {
    const file = (path: string): string => JSON.stringify(fileURLToPath(new URL(path, import.meta.url)));
    const source = `
      import fs from 'node:fs';
      import { runPlugin } from ${file('run-plugin.ts')};
      import { systemClock } from ${file('../clock/clock.ts')};
      const open = [];
      try {
        for (;;) open.push(fs.openSync('/dev/null'));
      } catch {}
      const answer = await runPlugin(${JSON.stringify(await plugin('echo credential'))}, '', { clock: systemClock }).catch(String);
      for (const each of open) fs.closeSync(each);
      await new Promise((resolve) => setTimeout(resolve, 10));
      process.stdout.write(answer);
    `;
    const line = [
      '-c',
      'ulimit -n 100 && exec "$0" "$@"',
      process.execPath,
      '--input-type=module',
      '--eval',
      source,
    ];
    const { stdout } = await promisify(execFile)('sh', line);
    expect(stdout).toMatch(/^CredentialError: exec plugin .*plugin: spawn .* EMFILE$/);
  });

  it('shows a code for a person while it runs, and the message of its failure has it too', async () => {
    const login = await plugin(`
      echo 'type the code ABC at another device' >&2
      while [ ! -e '${folder}/typed' ]; do sleep 0.05; done
      exit 3`);
    const typed = Promise.withResolvers<void>();
    const print = (text: Buffer): void => {
      if (text.includes('ABC')) writeFile(join(folder, 'typed'), '').then(typed.resolve, typed.reject);
    };
    await expect(
      runPlugin(login, '', { clock: systemClock, terminal: { ...noTerminal, print } }),
    ).rejects.toThrow(/plugin ended with exit code 3: type the code ABC at another device$/);
    await typed.promise;
  });

  it('gets standard input and error of a terminal, where it may ask', async () => {
    const login = await plugin(`echo 'user name:' >&2; read name; echo "credential of $name"`);
    const file = (path: string): string => JSON.stringify(fileURLToPath(new URL(path, import.meta.url)));
    const source = `
      import { runPlugin } from ${file('run-plugin.ts')};
      import { systemClock as clock } from ${file('../clock/clock.ts')};
      const terminal = { input: true, output: true, print: () => undefined };
      process.stdout.write(await runPlugin(${JSON.stringify(login)}, '', { clock, terminal, interactive: true }));
    `;
    const running = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', source]);
    running.child.stdin?.end('jane\n');
    expect(await running).toEqual({ stdout: 'credential of jane\n', stderr: 'user name:\n' });
  });

  it.for([
    ['nobody is there', noTerminal, '60 s'],
    ['a person may read it', { ...noTerminal, output: true }, '900 s'],
  ] as const)('may take its time where %s', async ([, terminal, time]) => {
    const slow = await plugin('exec sleep 300');
    await expect(runPlugin(slow, '', { clock: immediate, terminal })).rejects.toThrow(
      `did not end within ${time}`,
    );
  });

  it('that prints without end is killed', async () => {
    await expect(runPlugin(await plugin('yes'), '', { clock: systemClock })).rejects.toThrow(
      /plugin printed more than 1048576 bytes$/,
    );
  });
});

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
