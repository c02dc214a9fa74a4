import { describe, expect, test } from 'vitest';
import { FakeClock } from '../testing/fake-clock.ts';
import { FakeLeaseServer } from '../testing/fake-lease-server.ts';
import type { Client } from '../client/client.ts';
import { EventRecorder } from '../events/event-recorder.ts';
import { silentLogger, type Logger } from '../telemetry/logger.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { ended as untilEnded } from './ended.ts';
import { Manager, type ManagerOptions, type Part } from './manager.ts';

interface Rig {
  readonly clock: FakeClock;
  readonly journal: string[];
  readonly manager: Manager;
  readonly ended: Promise<string>;
  readonly stop: () => void;
  /** Lets the caches be synced. */
  readonly sync: () => void;
  /** Where health is served, as soon as it is. */
  readonly url: Promise<string>;
}

/** A part that records when it starts and stops, and ends when its signal does. */
function part(name: string, journal: string[], run?: (signal: AbortSignal) => Promise<void>): Part {
  return {
    name,
    async run(signal) {
      journal.push(`${name} starts`);
      await (run ?? untilEnded)(signal);
      journal.push(`${name} stops`);
    },
  };
}

function rig(options: (journal: string[], clock: FakeClock) => Partial<ManagerOptions> = () => ({})): Rig {
  const clock = new FakeClock();
  const journal: string[] = [];
  const synced = Promise.withResolvers<void>();
  let isSynced = false;
  const url = Promise.withResolvers<string>();
  const logger: Logger = {
    ...silentLogger,
    info: (fields) => 'url' in fields && url.resolve(String(fields.url)),
    child: () => logger,
  };
  const manager = new Manager({
    clock,
    logger,
    informers: {
      start: async (signal) => part('informers', journal).run(signal),
      synced: async () => synced.promise,
      states: () =>
        new Map([
          ['pods v1', { synced: isSynced, lastError: undefined }],
          ['nodes v1', { synced: isSynced, lastError: new Error('list nodes: Forbidden') }],
        ]),
    },
    services: [part('events', journal)],
    controllers: [part('pools', journal), part('workloads', journal)],
    ...options(journal, clock),
  });
  const abort = new AbortController();
  const ended = manager.run(abort.signal).then(
    () => 'stopped',
    (error: unknown) => String(error),
  );
  return {
    clock,
    journal,
    manager,
    ended,
    stop: () => abort.abort(),
    sync: () => {
      isSynced = true;
      synced.resolve();
    },
    url: url.promise,
  };
}

describe('a manager', () => {
  test('starts controllers only with synced caches, and stops in the reverse order', async () => {
    const { clock, journal, manager, ended, stop, sync } = rig();
    await clock.advance(60_000);
    expect(journal).toEqual(['events starts', 'informers starts']);
    expect(manager.isLeader()).toBe(false);
    sync();
    await clock.advance(0);
    expect(journal.slice(2)).toEqual(['pools starts', 'workloads starts']);
    expect(manager.isLeader()).toBe(true);
    stop();
    expect(await ended).toBe('stopped');
    expect(journal.slice(4)).toEqual(['pools stops', 'workloads stops', 'events stops', 'informers stops']);
    expect(manager.isLeader()).toBe(false);
  });

  test('without a Lease shows that it leads by the name that it is given, from when the first controller starts', async () => {
    const metrics = createMetrics({ processMetrics: false });
    const status = async (): Promise<number | undefined> =>
      (await metrics.leaderElection.status.get()).values.find(({ labels }) => labels.name === 'atoll')?.value;
    const ready = Promise.withResolvers<void>();
    const never = async (): Promise<void> => new Promise<void>(() => undefined);
    const { clock, manager, ended, stop } = rig((journal) => ({
      metrics,
      leadsAs: 'atoll',
      controllers: [
        { ...part('pools', journal), synced: async () => ready.promise },
        { ...part('unreadable', journal), synced: never },
      ],
    }));
    await clock.advance(0);
    expect([manager.isLeader(), await status()]).toEqual([false, undefined]);
    ready.resolve();
    await clock.advance(0);
    expect([manager.isLeader(), await status()]).toEqual([true, 1]);
    stop();
    expect(await ended).toBe('stopped');
    expect(await status()).toBe(0);
  });

  test('starts each controller with its own caches, whatever becomes of the others', async () => {
    const ready = Promise.withResolvers<void>();
    const never = async (): Promise<void> => new Promise<void>(() => undefined);
    const { clock, journal, manager, ended, stop } = rig((journal) => ({
      controllers: [
        { ...part('pools', journal), synced: async () => undefined },
        { ...part('workloads', journal), synced: async () => ready.promise },
        { ...part('stuck', journal), synced: never },
      ],
    }));
    await clock.advance(0);
    expect(journal.slice(2)).toEqual(['pools starts']);
    expect(manager.isLeader()).toBe(true);
    ready.resolve();
    await clock.advance(0);
    expect(journal.slice(3)).toEqual(['workloads starts']);
    stop();
    expect(await ended).toBe('stopped');
    expect(journal.slice(4)).toEqual(['pools stops', 'workloads stops', 'events stops', 'informers stops']);
  });

  test('is not ready while a cache has been failing for a minute', async () => {
    const clock = new FakeClock();
    let failingForMs: number | undefined = 59_000;
    const { stop, ended, sync, url } = rig(() => ({
      clock,
      health: { address: '127.0.0.1:0' },
      informers: {
        start: async (signal) => untilEnded(signal),
        synced: async () => undefined,
        states: () =>
          new Map([
            ['nodes v1', { synced: true, lastError: undefined, failingForMs: undefined }],
            ['pods v1', { synced: true, lastError: new Error('watch pods: Forbidden'), failingForMs }],
          ]),
      },
    }));
    sync();
    const base = await url;
    const ready = async (): Promise<string> => (await fetch(`${base}/readyz`)).text();
    await expect.poll(ready).toBe('ok');
    failingForMs = 61_000;
    expect(await ready()).toContain(
      '[-]informers failed: failing: pods v1 for 61 s (watch pods: Forbidden)\n',
    );
    failingForMs = undefined;
    expect(await ready()).toBe('ok');
    stop();
    await clock.advance(0);
    expect(await ended).toBe('stopped');
  });

  test('that is stopped before its caches are synced ends without having started controllers', async () => {
    const { clock, journal, ended, stop } = rig();
    await clock.advance(0);
    stop();
    expect(await ended).toBe('stopped');
    expect(journal).not.toContain('pools starts');
  });

  test('serves readiness, and which caches are missing and why', async () => {
    const { clock, ended, stop, sync, url } = rig(() => ({ health: { address: '127.0.0.1:0' } }));
    const base = await url;
    const get = async (path: string): Promise<string> => (await fetch(base + path)).text();
    await expect
      .poll(async () => get('/readyz'))
      .toContain('[-]informers failed: not synced: pods v1; nodes v1 (list nodes: Forbidden)\n');
    expect(await get('/healthz')).toBe('ok');
    sync();
    await expect.poll(async () => get('/readyz')).toBe('ok');
    stop();
    await clock.advance(0);
    expect(await ended).toBe('stopped');
    await expect(fetch(base)).rejects.toThrow('fetch failed');
  });
});

test('a recorder of events is a service: it sends what controllers record while they end', async () => {
  const sent: string[] = [];
  const client = {
    create: async (_: unknown, { reason }: { readonly reason: string }) => void sent.push(reason),
  } as unknown as Pick<Client, 'create' | 'patch'>;
  const { clock, ended, stop, sync } = rig((journal, clock) => {
    const recorder = new EventRecorder({
      client,
      reportingController: 'example.dev/pools',
      reportingInstance: 'pools-0',
      clock,
      logger: silentLogger,
    });
    const regarding = { apiVersion: 'v1', kind: 'Node', name: 'a', uid: 'u' };
    const run = async (signal: AbortSignal): Promise<void> => {
      await untilEnded(signal);
      recorder.record({ type: 'Normal', regarding, reason: 'Stopped', action: 'Stop', note: 'the last one' });
    };
    return { services: [recorder], controllers: [part('pools', journal, run)] };
  });
  sync();
  await clock.advance(0);
  stop();
  await clock.advance(0);
  expect(await ended).toBe('stopped');
  expect(sent).toEqual(['Stopped']);
});

describe('the preflight of a manager', () => {
  const health = { address: '127.0.0.1:0' };

  test('is waited for before anything starts, while health is served', async () => {
    const may = Promise.withResolvers<void>();
    const { clock, journal, ended, stop, url } = rig(() => ({ health, preflight: async () => may.promise }));
    const base = await url;
    expect(await (await fetch(`${base}/healthz`)).text()).toBe('ok');
    expect((await fetch(`${base}/readyz`)).status).toBe(500);
    expect(journal).toEqual([]);
    may.resolve();
    await expect.poll(() => journal).toEqual(['events starts', 'informers starts']);
    stop();
    await clock.advance(0);
    expect(await ended).toBe('stopped');
  });

  test('that fails ends the manager with its own words', async () => {
    const { journal, ended } = rig(() => ({ preflight: async () => Promise.reject(new Error('no rights')) }));
    expect(await ended).toBe('Error: no rights');
    expect(journal).toEqual([]);
  });

  test('that is still waited for ends with the manager', async () => {
    const { ended, stop, url } = rig(() => ({
      health,
      preflight: async (signal) => untilEnded(signal).then(() => signal.throwIfAborted()),
    }));
    const base = await url;
    stop();
    expect(await ended).toBe('stopped');
    await expect(fetch(base)).rejects.toThrow('fetch failed');
  });

  test('that does not end when it should is left when a shutdown has taken too long', async () => {
    const never = new Promise<void>(() => undefined);
    const { clock, journal, ended, stop, url } = rig(() => ({ health, preflight: async () => never }));
    const base = await url;
    await clock.advance(60_000);
    stop();
    await clock.advance(30_000);
    expect(await ended).toBe('Error: shutdown took longer than 30000 ms; still running: preflight');
    expect(journal).toEqual([]);
    await expect(fetch(base)).rejects.toThrow('fetch failed');
  });
});

describe('a failure', () => {
  test.each<[string, (journal: string[]) => Partial<ManagerOptions>, string]>([
    [
      'of a controller',
      (journal) => ({
        controllers: [
          part('pools', journal),
          part('bad', journal, async () => Promise.reject(new Error('broken'))),
        ],
      }),
      'Error: controllers: bad: broken',
    ],
    [
      'of a service that ends by itself',
      (journal) => ({ services: [part('events', journal, async () => undefined)] }),
      'Error: events: it ended by itself',
    ],
    [
      'of the informers',
      () => ({
        informers: {
          start: async () => Promise.reject(new Error('no server')),
          synced: async () => new Promise<void>(() => undefined),
          states: () => new Map(),
        },
      }),
      'Error: informers: no server',
    ],
  ])('%s ends everything and is an error', async (_, options, message) => {
    const { clock, journal, ended, sync } = rig(options);
    sync();
    await clock.advance(0);
    expect(await ended).toBe(message);
    const started = journal.filter((line) => line.endsWith('starts') && !line.startsWith('bad'));
    expect(journal.filter((line) => line.endsWith('stops'))).toHaveLength(started.length);
  });

  test('to listen is an error before anything starts', async () => {
    const { journal, ended } = rig(() => ({ health: { address: 'nowhere' } }));
    expect(await ended).toContain('invalid address "nowhere"');
    expect(journal).toEqual([]);
  });

  test('to stop in time is an error with its name', async () => {
    const { clock, ended, stop, sync } = rig((journal) => ({
      services: [part('stubborn', journal, async () => new Promise<void>(() => undefined))],
      shutdownTimeoutMs: 5000,
    }));
    sync();
    await clock.advance(0);
    stop();
    await clock.advance(5000);
    expect(await ended).toBe('Error: shutdown took longer than 5000 ms; still running: stubborn');
  });

  test('of a controller beside one that does not end is an error when the time of a shutdown is over', async () => {
    const never = async (): Promise<void> => new Promise(() => undefined);
    const { clock, ended, sync } = rig((journal) => ({
      controllers: [
        part('stuck', journal, never),
        part('bad', journal, async () => Promise.reject(new Error('broken'))),
      ],
      shutdownTimeoutMs: 5000,
    }));
    sync();
    await clock.advance(0);
    await clock.advance(5000);
    expect(await ended).toBe('Error: controllers: bad: broken');
  });

  test('to name controllers apart is an error: their metrics and log lines could not be told apart', () => {
    const twice = (journal: string[]): Partial<ManagerOptions> => ({
      controllers: [part('pools', journal), part('workloads', journal), part('pools', journal)],
    });
    expect(() => rig(twice)).toThrow(
      new RangeError('two controllers have the name pools: each needs one of its own'),
    );
  });

  test('to stop in time names controllers with what they work on, and nothing that waits for them', async () => {
    const never = async (): Promise<void> => new Promise(() => undefined);
    const keys = ['n/a', 'n/b', 'n/c', 'n/d', 'n/e', 'n/f', 'n/g'];
    const { clock, ended, stop, sync } = rig((journal) => ({
      controllers: [
        part('pools', journal),
        { ...part('stuck', journal, never), underWay: () => keys.slice(0, 1) },
        { ...part('busy', journal, never), underWay: () => keys },
      ],
      shutdownTimeoutMs: 5000,
    }));
    sync();
    await clock.advance(0);
    stop();
    await clock.advance(5000);
    expect(await ended).toBe(
      'Error: shutdown took longer than 5000 ms; still running: stuck (n/a), busy (n/a, n/b, n/c, n/d, n/e and 2 more)',
    );
  });
});

describe('with leader election', () => {
  function election(
    server: FakeLeaseServer,
    identity: string,
  ): NonNullable<ManagerOptions['leaderElection']> {
    const lease = { namespace: 'atoll-system', name: 'atoll' };
    return { client: server.clientFor((callback) => callback()), lease, identity };
  }

  test('controllers run only on the leader, which gives the lease back after they stopped', async () => {
    const server = new FakeLeaseServer(new FakeClock());
    const { clock, journal, manager, ended, stop, sync } = rig(() => ({
      leaderElection: election(server, 'a'),
    }));
    await clock.advance(10_000);
    expect(server.lease).toBeUndefined();
    sync();
    await clock.advance(0);
    expect(manager.isLeader()).toBe(true);
    expect(journal).toContain('pools starts');
    stop();
    await clock.advance(0);
    expect(await ended).toBe('stopped');
    expect(server.lease).toMatchObject({ spec: { holderIdentity: '' } });
  });

  test('the loss of the lease ends everything and is a failure', async () => {
    const server = new FakeLeaseServer(new FakeClock());
    const { clock, journal, manager, ended, sync } = rig(() => ({ leaderElection: election(server, 'a') }));
    sync();
    await clock.advance(1000);
    server.weather = () => ({ kind: 'refused', code: 503 });
    await clock.advance(10_000);
    expect(manager.isLeader()).toBe(false);
    expect(await ended).toBe('Error: controllers: leadership lost');
    expect(journal.slice(-4)).toEqual(['pools stops', 'workloads stops', 'events stops', 'informers stops']);
  });

  test('the loss of the lease ends the process also where a controller does not end', async () => {
    const server = new FakeLeaseServer(new FakeClock());
    const { clock, ended, sync } = rig((journal) => ({
      leaderElection: election(server, 'a'),
      controllers: [part('stuck', journal, async () => new Promise<void>(() => undefined))],
      shutdownTimeoutMs: 5000,
    }));
    sync();
    await clock.advance(1000);
    server.weather = () => ({ kind: 'refused', code: 503 });
    // The term ends 10 s after the last renewal, and the shutdown takes its limit.
    await clock.advance(10_000 + 5000);
    const still = new Promise<string>((resolve) => setImmediate(() => resolve('still running')));
    expect(await Promise.race([ended, still])).toBe('Error: controllers: leadership lost');
  });

  test('durations that cannot work are refused at once', () => {
    const server = new FakeLeaseServer(new FakeClock());
    expect(() =>
      rig(() => ({ leaderElection: { ...election(server, 'a'), leaseDurationMs: 5000 } })),
    ).toThrow(RangeError);
  });
});
