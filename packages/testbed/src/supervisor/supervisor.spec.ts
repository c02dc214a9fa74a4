import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { endAbandoned } from './end-abandoned.ts';
import { identifyProcess, isRunning, type ProcessIdentity } from './process-identity.ts';
import { readProcessRecord } from './process-record.ts';
import type { Exit, ProgramSpec } from './protocol.ts';
import { Supervisor } from './supervisor.ts';

function sleeper(directory: string, name: string, layer = 1, script = 'exec sleep 300'): ProgramSpec {
  return { name, file: '/bin/sh', args: ['-c', script], logFile: join(directory, `${name}.log`), layer };
}

function newDirectory(): string {
  return mkdtempSync(join(tmpdir(), 'atoll-supervisor-'));
}

function identify(pid: number): ProcessIdentity {
  const identity = identifyProcess(pid);
  if (identity === undefined) throw new Error(`no process ${pid}`);
  return identity;
}

async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error('the condition did not come true within 60 s');
    await delay(10);
  }
}

describe('the supervisor', () => {
  it('ends programs layer by layer and removes the directory', async () => {
    const directory = newDirectory();
    const order: string[] = [];
    const supervisor = new Supervisor(directory, undefined, (exit) => order.push(exit.name));
    await supervisor.start(sleeper(directory, 'store', 0));
    await supervisor.start(sleeper(directory, 'server', 1));
    await supervisor.start(sleeper(directory, 'client', 2));
    await supervisor.shutdown(5000);
    expect(order).toEqual(['client', 'server', 'store']);
    expect(existsSync(directory)).toBe(false);
  });

  it('ends a paused program, and kills one that will not end', async () => {
    const directory = newDirectory();
    const exits: Exit[] = [];
    const supervisor = new Supervisor(directory, undefined, (exit) => exits.push(exit));
    await supervisor.start(sleeper(directory, 'paused'));
    await supervisor.signal('paused', 'SIGSTOP');
    await supervisor.start(
      sleeper(directory, 'stubborn', 2, 'trap "" TERM; echo ready; while true; do sleep 0.1; done'),
    );
    await until(() => readFileSync(join(directory, 'stubborn.log'), 'utf8').includes('ready'));
    await supervisor.shutdown(200);
    expect(exits.map(({ name, signal }) => [name, signal])).toEqual([
      ['stubborn', 'SIGKILL'],
      ['paused', 'SIGTERM'],
    ]);
  });

  it('reports when a program ends, and starts it again under the same name', async () => {
    const directory = newDirectory();
    const exits: Exit[] = [];
    const supervisor = new Supervisor(directory, undefined, (exit) => exits.push(exit));
    await supervisor.start(sleeper(directory, 'short', 1, 'exit 7'));
    await until(() => exits.length === 1);
    expect(exits[0]).toMatchObject({ name: 'short', code: 7 });
    await supervisor.start(sleeper(directory, 'short'));
    await expect(supervisor.start(sleeper(directory, 'short'))).rejects.toThrow('short runs already');
    await supervisor.shutdown(5000);
  });

  it('names the file that cannot be started', async () => {
    const directory = newDirectory();
    const supervisor = new Supervisor(directory, undefined, () => undefined);
    const spec = { ...sleeper(directory, 'absent'), file: '/nonexistent/program' };
    await expect(supervisor.start(spec)).rejects.toThrow('cannot start /nonexistent/program');
    await supervisor.shutdown(0);
  });

  it('leaves nothing when its owner is killed', async () => {
    const directory = newDirectory();
    const file = join(directory, '..', `atoll-supervisor-file-${process.pid}`);
    writeFileSync(file, 'secret');
    const owner = fork(new URL('./owner.fixture.ts', import.meta.url), [directory, file], { execArgv: [] });
    const [pid] = (await once(owner, 'message')) as [number];
    const program = identify(pid);
    owner.kill('SIGKILL');
    await until(() => !isRunning(program) && !existsSync(directory));
    expect(existsSync(file)).toBe(false);
  });

  it('leaves nothing when it is killed itself', async () => {
    const directory = newDirectory();
    const supervisor = new Supervisor(directory, undefined, () => undefined);
    const program = identify(await supervisor.start(sleeper(directory, 'orphan')));
    const own = readProcessRecord(directory)?.supervisor;
    if (own === undefined) throw new Error('no record');
    process.kill(own.pid, 'SIGKILL');
    await until(() => !isRunning(program) && !existsSync(directory));
    await expect(supervisor.start(sleeper(directory, 'late'))).rejects.toThrow('the control plane has ended');
  });

  it('has written down what to clear away when both are killed', async () => {
    const directory = newDirectory();
    const owner = fork(new URL('./owner.fixture.ts', import.meta.url), [directory], { execArgv: [] });
    const [pid] = (await once(owner, 'message')) as [number];
    const program = identify(pid);
    const record = readProcessRecord(directory);
    if (record === undefined) throw new Error('no record');
    expect(endAbandoned(directory)).toBe(false);
    // Both at the same instant, before one can see the end of the other.
    execFileSync('kill', ['-STOP', String(record.supervisor.pid)]);
    owner.kill('SIGKILL');
    process.kill(record.supervisor.pid, 'SIGKILL');
    await until(() => !isRunning(record.supervisor));
    expect(isRunning(program)).toBe(true);
    expect(endAbandoned(directory)).toBe(true);
    await until(() => !isRunning(program));
    expect(existsSync(directory)).toBe(false);
  });
});
