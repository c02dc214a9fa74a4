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
