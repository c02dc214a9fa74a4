import { createMetrics, Manager, silentLogger, systemClock, type Part } from '@atoll/kube';
import { flushTasks } from '@atoll/kube/testing';
import { expect, it } from 'vitest';
import { leadsWithoutLease, ownLease } from './own-lease.ts';

const options = { leaseNamespace: undefined, leaseName: 'atoll' };

it.each([
  [{}, 'atoll-system'],
  // A variable that was not set makes `POD_NAMESPACE=` of `POD_NAMESPACE=$NAMESPACE`.
  [{ POD_NAMESPACE: '' }, 'atoll-system'],
  [{ POD_NAMESPACE: 'edge' }, 'edge'],
])('with the variables %j the Lease is in %s', (variables, namespace) => {
  expect(ownLease(options, variables)).toEqual({ namespace, name: 'atoll' });
});

it('is where the flag says, whatever the variables are', () => {
  const { namespace } = ownLease({ ...options, leaseNamespace: 'lab' }, { POD_NAMESPACE: 'edge' });
  expect(namespace).toBe('lab');
});

// Alerts count those that lead by this metric: without it none did.
it('an operator that needs no Lease reports that it leads, while it does', async () => {
  const metrics = createMetrics({ processMetrics: false });
  const status = async (): Promise<number | undefined> =>
    (await metrics.leaderElection.status.get()).values.find(({ labels }) => labels.name === 'atoll')?.value;
  const caches = Promise.withResolvers<void>();
  const part = (name: string, synced: Promise<void>): Part => ({
    name,
    synced: async () => synced,
    run: async (signal) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve());
      }),
  });
  const controllers = [part('first', caches.promise), part('unreadable', new Promise(() => undefined))];
  const manager = new Manager({
    logger: silentLogger,
    clock: systemClock,
    metrics,
    informers: {
      start: async (signal) => part('caches', caches.promise).run(signal),
      synced: async () => caches.promise,
      states: () => new Map(),
    },
    controllers: [leadsWithoutLease({ options, metrics }, controllers), ...controllers],
  });
  const stop = new AbortController();
  const ended = manager.run(stop.signal);
  await flushTasks();
  expect([manager.isLeader(), await status()]).toEqual([false, undefined]);
  caches.resolve();
  await expect.poll(status).toBe(1);
  expect(manager.isLeader()).toBe(true);
  stop.abort();
  await ended;
  expect(await status()).toBe(0);
});
