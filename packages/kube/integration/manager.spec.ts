import {
  configMaps,
  countExchanges,
  createInformers,
  createMetrics,
  formatKey,
  keyOf,
  Manager,
  parseKey,
  silentLogger,
  startReconciler,
  systemClock,
  WorkQueue,
  type Logger,
  type Part,
} from '@atoll/kube';
import { expect, it } from 'vitest';
import { connect, newNamespace } from './control-plane.ts';

it('a controller of one file labels every ConfigMap, as leader, with health and metrics, and ends cleanly', async () => {
  const metrics = createMetrics();
  await using client = await connect({ onExchange: countExchanges(metrics) });
  const namespace = await newNamespace(client, 'manager');
  for (const name of ['a', 'b']) await client.create(configMaps, { metadata: { namespace, name } });

  const informers = createInformers({ client });
  const informer = informers.informer(configMaps, {}, { namespace });
  const queue = new WorkQueue({ name: 'labeller', clock: systemClock, metrics });
  informer.subscribe((changes) => {
    for (const { object } of changes) queue.add(formatKey(keyOf(object)));
  });
  const labeller: Part = {
    name: 'labeller',
    run: async (signal) =>
      startReconciler(
        {
          name: 'labeller',
          queue,
          clock: systemClock,
          logger: silentLogger,
          metrics,
          workers: 2,
          async reconcile(key) {
            const object = informer.cache.get(parseKey(key));
            if (object === undefined || object.metadata.labels?.['seen'] === 'yes') return undefined;
            if (!manager.isLeader()) throw new Error('not leader');
            const patch = { type: 'merge', body: { metadata: { labels: { seen: 'yes' } } } } as const;
            informer.cache.wrote(await client.patch(configMaps, keyOf(object), patch));
            return undefined;
          },
        },
        signal,
      ).stopped,
  };
  let url = '';
  const logger: Logger = {
    ...silentLogger,
    info: (fields) => {
      if ('url' in fields) url = String(fields.url);
    },
    child: () => logger,
  };
  const manager = new Manager({
    logger,
    clock: systemClock,
    metrics,
    informers,
    controllers: [labeller],
    health: { address: '127.0.0.1:0' },
    leaderElection: { client, lease: { namespace, name: 'labeller' }, identity: 'spec' },
  });
  const stop = new AbortController();
  const ended = manager.run(stop.signal);
  const seen = async (): Promise<readonly string[]> =>
    (await client.list(configMaps, { namespace, labelSelector: 'seen=yes' })).items.map(
      ({ metadata }) => metadata.name,
    );
  const deadline = { interval: 100 };
  await expect.poll(seen, deadline).toEqual(expect.arrayContaining(['a', 'b']));
  await client.create(configMaps, { metadata: { namespace, name: 'later' } });
  await expect.poll(seen, deadline).toContain('later');

  expect(await (await fetch(`${url}/readyz?verbose`)).text()).toContain('[+]informers ok');
  // Counted when the answer is here, which the other request that sees the label may be before.
  const patched = /rest_client_requests_total\{code="200",method="PATCH",host="127\.0\.0\.1:\d+"\} [3-9]/;
  const shown = async (): Promise<string> => (await fetch(`${url}/metrics`)).text();
  await expect.poll(shown, deadline).toMatch(patched);
  await expect
    .poll(shown, deadline)
    .toMatch(/controller_runtime_reconcile_total\{controller="labeller",result="success"\} \d/);
  expect(await shown()).toContain('leader_election_master_status{name="labeller"} 1');

  stop.abort();
  await ended;
  expect(manager.isLeader()).toBe(false);
  await expect(fetch(url)).rejects.toThrow('fetch failed');
});

it('without a server the manager reports which caches are not synced and still ends when asked', async () => {
  await using client = await connect({}, (access) => ({ ...access, server: 'https://127.0.0.1:9' }));
  const informers = createInformers({ client });
  informers.informer(configMaps);
  let url = '';
  const logger: Logger = {
    ...silentLogger,
    info: (fields) => {
      if ('url' in fields) url = String(fields.url);
    },
  };
  const manager = new Manager({
    logger,
    clock: systemClock,
    informers,
    controllers: [],
    health: { address: '127.0.0.1:0' },
  });
  const stop = new AbortController();
  const ended = manager.run(stop.signal);
  const ready = async (): Promise<string> => (url === '' ? '' : (await fetch(`${url}/readyz`)).text());
  await expect.poll(ready).toMatch(/\[-\]informers failed: not synced: configmaps v1 \(.*127\.0\.0\.1:9/);
  stop.abort();
  await ended;
});
