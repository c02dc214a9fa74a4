import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it, vi } from 'vitest';
import { isStopped } from '../supervisor/process-identity.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';
import { StartFailure, SupervisedComponent } from './component.ts';

const spec = { name: 'etcd', file: 'etcd', args: [], layer: 0, logFile: 'no such file' };

it('notices an end that is reported together with the start', async () => {
  const supervisor: Pick<Supervisor, 'start'> = {
    start: () => {
      component.ended({ name: 'etcd', pid: 42, code: null, signal: 'SIGKILL' });
      return Promise.resolve(42);
    },
  };
  const component = new SupervisedComponent(supervisor as Supervisor, spec, () => Promise.resolve(false));
  await expect(component.start(1_000)).rejects.toThrow(StartFailure);
  expect(component.pid).toBeUndefined();
});

it('may take two minutes to be ready, as on a machine that is busy with other work', async () => {
  let now = 0;
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => now);
  try {
    const supervisor: Pick<Supervisor, 'start'> = { start: () => Promise.resolve(42) };
    const ready = async () => {
      now += 20_000;
      return Promise.resolve(now >= 120_000);
    };
    const component = new SupervisedComponent(supervisor as Supervisor, spec, ready);
    await expect(component.start()).resolves.toBeUndefined();
  } finally {
    clock.mockRestore();
  }
});

it('is killed once where two ask for it, and reports where it did not run', async () => {
  let running = true;
  const supervisor: Pick<Supervisor, 'start' | 'signal'> = {
    start: () => Promise.resolve(42),
    signal: async () => {
      await Promise.resolve();
      if (!running) throw new Error('etcd is not running');
      running = false;
      component.ended({ name: 'etcd', pid: 42, code: null, signal: 'SIGKILL' });
    },
  };
  const component = new SupervisedComponent(supervisor as Supervisor, spec, () => Promise.resolve(true));
  await component.start(1_000);
  await expect(Promise.all([component.kill(), component.kill()])).resolves.toBeDefined();
  await expect(component.kill()).rejects.toThrow('etcd is not running');
});

it('is paused when none of its threads works any more', async () => {
  const threads = `const { Worker } = require('node:worker_threads');
    for (let i = 0; i < 8; i++) new Worker('for (;;);', { eval: true });
    console.log('started');`;
  const child = spawn(process.execPath, ['-e', threads], { stdio: ['ignore', 'pipe', 'ignore'] });
  await once(child.stdout, 'data');
  try {
    const supervisor: Pick<Supervisor, 'start' | 'signal'> = {
      start: () => Promise.resolve(child.pid ?? 0),
      signal: (_, signal) => Promise.resolve(void child.kill(signal)),
    };
    const component = new SupervisedComponent(supervisor as Supervisor, spec, () => Promise.resolve(true));
    await component.start(1_000);
    for (let round = 0; round < 20; round += 1) {
      await component.pause();
      expect(isStopped(child.pid ?? 0)).toBe(true);
      await component.resume();
    }
  } finally {
    child.kill('SIGKILL');
  }
});

it('is started again when it ends by itself, but not where it does so twice within a minute', async () => {
  let now = 0;
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => now);
  try {
    const supervisor: Pick<Supervisor, 'start'> = { start: () => Promise.resolve(42) };
    const ready = async () => Promise.resolve(true);
    const component = new SupervisedComponent(supervisor as Supervisor, spec, ready, { startsAgain: true });
    await component.start();
    const endsByItself = async (): Promise<boolean> => {
      component.ended({ name: 'etcd', pid: 42, code: 1, signal: null });
      return component.startAgain();
    };
    await expect(endsByItself()).resolves.toBe(true);
    now += 60_000;
    await expect(endsByItself()).resolves.toBe(true);
    now += 59_999;
    await expect(endsByItself()).resolves.toBe(false);
    expect(component).toMatchObject({ pid: undefined, restarts: 2 });
  } finally {
    clock.mockRestore();
  }
});
