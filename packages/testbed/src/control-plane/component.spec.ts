import { expect, it } from 'vitest';
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
