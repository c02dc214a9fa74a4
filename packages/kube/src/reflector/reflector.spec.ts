import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ApiError } from '../client/api-error.ts';
import { flushTasks as turn } from '../testing/fake-clock.ts';
import { createInformer, type Informer } from '../informer/informer.ts';
import type { KubeObject, Stored } from '../objects/object.ts';
import type { CacheEvent } from '../cache/reader.ts';
import { defaultPace, pauseAfter } from './reflector-pace.ts';
import type { ReflectorObserver } from './reflector-options.ts';
import type { Resource } from '../objects/resource.ts';
import { ScriptedServer, type OpenWatch } from '../testing/scripted-server.ts';

const configMaps: Resource<KubeObject> = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
};

/** What arrives in one turn is delivered in the next. */
async function flushTasks(): Promise<void> {
  await turn();
  await turn();
}

function object(name: string, version: number, uid = `uid-${name}`): Stored<KubeObject> {
  const metadata = {
    namespace: 'n',
    name,
    uid,
    resourceVersion: String(version),
    creationTimestamp: '2026-11-01T10:00:00Z',
  };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata };
}
const added = (name: string, version: number) => ({ type: 'ADDED', object: object(name, version) });
const modified = (name: string, version: number) => ({ type: 'MODIFIED', object: object(name, version) });
const deleted = (name: string, version: number) => ({ type: 'DELETED', object: object(name, version) });
const bookmark = (version: number) => ({
  type: 'BOOKMARK',
  object: { kind: 'ConfigMap', metadata: { resourceVersion: String(version) } },
});
const initialEnd = (version: number) => ({
  type: 'BOOKMARK',
  object: {
    metadata: { resourceVersion: String(version), annotations: { 'k8s.io/initial-events-end': 'true' } },
  },
});
const errorEvent = (code: number, reason: string, details?: object) => ({
  type: 'ERROR',
  object: { kind: 'Status', status: 'Failure', code, reason, message: reason, details },
});
const refused = (code: number, reason: string, retryAfterMs?: number) =>
  new ApiError({
    fate: 'refused',
    code,
    reason,
    message: reason,
    attempted: 'watch configmaps',
    retryAfterMs,
  });

interface Run {
  readonly server: ScriptedServer;
  readonly informer: Informer<KubeObject>;
  readonly received: string[];
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

async function start(
  prepare: (server: ScriptedServer) => void = () => undefined,
  synced = true,
  observer: ReflectorObserver = {},
): Promise<Run> {
  const server = new ScriptedServer();
  prepare(server);
  const informer = createInformer({
    client: server,
    resource: configMaps,
    clock: server.clock,
    random: () => 0.5,
    observer,
  });
  const received: string[] = [];
  informer.subscribe((events) => received.push(...events.map(eventText)));
  const stop = new AbortController();
  const ended = informer.start(stop.signal);
  await flushTasks();
  if (synced) {
    server.last.send(added('a', 3), added('b', 4), initialEnd(5));
    await flushTasks();
  }
  return { server, informer, received, stop, ended };
}

function cutIn(watch: OpenWatch): OpenWatch {
  watch.sendText(JSON.stringify(modified('b', 7)).slice(0, 60));
  return watch;
}

function eventText({ type, object: { metadata } }: CacheEvent<KubeObject>): string {
  return `${type} ${metadata.name} ${metadata.resourceVersion}`;
}

function contentOf({ informer }: Run): string[] {
  return informer.cache.list().map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`);
}

describe('a reflector', () => {
  test('asks for one stream with the content, bookmarks, and an end within five to ten minutes', async () => {
    const { server, informer } = await start();
    expect(server.watches.map((watch) => watch.parameters)).toEqual([
      {
        sendInitialEvents: true,
        resourceVersionMatch: 'NotOlderThan',
        allowWatchBookmarks: true,
        timeoutSeconds: 450,
      },
    ]);
    await expect(informer.synced).resolves.toBeUndefined();
    expect(informer.state).toMatchObject({
      synced: true,
      watching: true,
      failures: 0,
      lists: 1,
      resourceVersion: '5',
    });
  });

  test('names the kind and the version that the server does not serve, and goes on when it does', async () => {
    let isInstalled = false;
    const run = await start((server) => {
      server.onWatch = () => {
        if (!isInstalled) throw refused(404, 'NotServed');
      };
    }, false);
    expect(run.informer.state.lastError?.message).toBe(
      'watch configmaps: NotServed. The API server does not serve configmaps of v1; where they are custom resources, install their CustomResourceDefinition, with this version',
    );
    isInstalled = true;
    await run.server.clock.advance(60_000);
    run.server.last.send(added('a', 3), initialEnd(5));
    await flushTasks();
    expect(contentOf(run)).toEqual(['a 3']);
  });

  test('reports nothing before the content is whole, then goes on on the same stream', async () => {
    const run = await start(undefined, false);
    run.server.last.send(added('b', 4), added('a', 3));
    await flushTasks();
    expect([run.informer.cache.synced, run.received]).toEqual([false, []]);
    run.server.last.send(initialEnd(5), modified('a', 6), deleted('b', 7), bookmark(20));
    await flushTasks();
    expect(run.received).toEqual(['added b 4', 'added a 3', 'updated a 6', 'deleted b 7']);
    expect([contentOf(run), run.informer.state.resourceVersion]).toEqual([['a 6'], '20']);
  });

  test('goes on from the last event or bookmark when the server ends the watch, without a list', async () => {
    const run = await start();
    await run.server.clock.advance(300_000 / 3);
    run.server.last.send(modified('a', 8), bookmark(30));
    run.server.last.end();
    await run.server.clock.advance(250);
    expect(run.server.watches.slice(1).map((watch) => watch.parameters)).toEqual([
      { resourceVersion: '30', allowWatchBookmarks: true, timeoutSeconds: 450 },
    ]);
    expect(run.informer.state.failures).toBe(0);
  });

  test.each<[string, (watch: OpenWatch) => void]>([
    ['a reset', (watch) => cutIn(watch).reset()],
    ['an end', (watch) => cutIn(watch).end()],
    ['an error of the server', (watch) => watch.send(errorEvent(500, 'InternalError'))],
  ])('that loses its stream in mid-event to %s gets that event anew', async (_name, lose) => {
    const run = await start();
    run.server.last.send(modified('a', 6));
    await flushTasks();
    lose(run.server.last);
    await run.server.clock.advance(250);
    expect(run.server.last.parameters.resourceVersion).toBe('6');
    run.server.last.send(modified('b', 7));
    await flushTasks();
    expect(run.received.slice(2)).toEqual(['updated a 6', 'updated b 7']);
    expect(run.informer.state.lists).toBe(1);
  });

  test.each<[string, (server: ScriptedServer) => void]>([
    ['an event in the stream', (server) => server.last.send(errorEvent(410, 'Expired'))],
    [
      'a refusal of the next watch',
      (server) => {
        server.onWatch = (watch) => {
          if (watch.parameters.resourceVersion !== undefined) throw refused(410, 'Gone');
        };
        server.last.end();
      },
    ],
    ['a version that goes backwards', (server) => server.last.send(modified('a', 2))],
    ['a line that is no event', (server) => server.last.sendText('<html>\n')],
  ])('lists anew after %s, and reports only what differs', async (_name, expire) => {
    const run = await start();
    const before = run.informer.cache.get({ namespace: 'n', name: 'a' });
    expire(run.server);
    await run.server.clock.advance(1000);
    expect(run.server.last.parameters.sendInitialEvents).toBe(true);
    run.server.last.send(added('a', 3), added('c', 9), initialEnd(9));
    await flushTasks();
    expect(run.received.slice(2)).toEqual(['deleted b 4', 'added c 9']);
    expect(run.informer.cache.get({ namespace: 'n', name: 'a' })).toBe(before);
  });

  test('falls back to pages where the server refuses to stream lists', async () => {
    const run = await start((server) => {
      server.onWatch = (watch) => {
        if (watch.parameters.sendInitialEvents === true) throw refused(422, 'Invalid');
      };
      server.onList = (path) =>
        path.includes('continue=next')
          ? { metadata: { resourceVersion: '5' }, items: [{ metadata: object('b', 4).metadata }] }
          : {
              metadata: { resourceVersion: '5', continue: 'next' },
              items: [{ metadata: object('a', 3).metadata }],
            };
    }, false);
    await run.server.clock.advance(0);
    expect(run.server.lists).toEqual([
      '/api/v1/configmaps?limit=500',
      '/api/v1/configmaps?limit=500&continue=next',
    ]);
    expect(run.server.last.parameters).toMatchObject({ resourceVersion: '5', allowWatchBookmarks: true });
    expect(run.informer.cache.list()).toEqual([object('a', 3), object('b', 4)]);
  });

  test('begins the list anew in one piece where its pages expire on the way', async () => {
    const run = await start((server) => {
      server.onWatch = (watch) => {
        if (watch.parameters.sendInitialEvents === true) throw refused(422, 'Invalid');
      };
      server.onList = (path) => {
        if (path.includes('continue')) throw refused(410, 'Expired');
        if (path.includes('limit'))
          return { metadata: { resourceVersion: '5', continue: 'c' }, items: [object('a', 3)] };
        return { metadata: { resourceVersion: '7' }, items: [object('b', 7)] };
      };
    }, false);
    await run.server.clock.advance(0);
    expect(run.server.lists.at(-1)).toBe('/api/v1/configmaps');
    expect(contentOf(run)).toEqual(['b 7']);
  });

  test('asks a server that answers the same token for ever with pauses, and ends with what it says then', async () => {
    let isMended = false;
    const run = await start((server) => {
      server.onWatch = (watch) => {
        if (watch.parameters.sendInitialEvents === true) throw refused(422, 'Invalid');
      };
      server.onList = () => {
        if (server.lists.length > 1_000) throw new Error('asked again and again');
        return {
          metadata: { resourceVersion: '5', ...(isMended ? {} : { continue: 'c' }) },
          items: [object('a', 3)],
        };
      };
    }, false);
    await run.server.clock.advance(0);
    expect(run.server.lists.length).toBe(2);
    expect(run.informer.state).toMatchObject({
      synced: false,
      failures: 1,
      lastError: {
        message: expect.stringMatching(/^list configmaps: the list has no end: the server answers a /),
      },
    });
    await run.server.clock.advance(60_000);
    expect(run.server.lists.length).toBeLessThan(30);
    isMended = true;
    await run.server.clock.advance(60_000);
    expect(contentOf(run)).toEqual(['a 3']);
  });

  test('pauses where the tokens of a list expire at once, also of one that is asked for in one piece', async () => {
    const run = await start((server) => {
      server.onWatch = (watch) => {
        if (watch.parameters.sendInitialEvents === true) throw refused(422, 'Invalid');
      };
      server.onList = (path) => {
        if (server.lists.length > 1_000) throw new Error('asked again and again');
        if (path.includes('continue')) throw refused(410, 'Expired');
        return { metadata: { resourceVersion: '5', continue: 'c' }, items: [object('a', 3)] };
      };
    }, false);
    await run.server.clock.advance(0);
    expect(run.server.lists.length).toBe(4);
    expect(run.informer.state.failures).toBe(1);
  });

  test('falls back to pages where the initial events never end', async () => {
    const run = await start((server) => (server.onWatch = (watch) => watch.send(added('a', 3))), false);
    await run.server.clock.advance(120_000);
    expect(run.server.lists).toEqual(['/api/v1/configmaps?limit=500']);
    expect(run.informer.cache.synced).toBe(true);
  });

  test('leaves a connection that is silent for two and a half minutes, and lets go of its socket', async () => {
    const run = await start();
    await run.server.clock.advance(100_000);
    run.server.last.send(bookmark(10));
    await run.server.clock.advance(149_000);
    expect(run.server.watches).toHaveLength(1);
    await run.server.clock.advance(2000);
    expect(run.server.watches).toHaveLength(2);
    expect(run.server.watches[0]?.released).toBe(true);
  });

  test('begins with a list after silence: the store may have been set back, and never reach that version', async () => {
    const run = await start();
    run.server.last.send(modified('a', 90));
    await run.server.clock.advance(151_000);
    expect(run.server.last.parameters).toMatchObject({ sendInitialEvents: true });
    expect(run.server.last.parameters.resourceVersion).toBeUndefined();
    run.server.last.send(added('a', 3), added('c', 7), initialEnd(8));
    await flushTasks();
    expect(contentOf(run)).toEqual(['a 3', 'c 7']);
    run.server.last.send(modified('a', 9));
    await flushTasks();
    expect(contentOf(run)).toEqual(['a 9', 'c 7']);
  });

  test('takes a store that was set back and has grown since by its older objects', async () => {
    const run = await start();
    run.server.last.send(modified('a', 90), modified('b', 91));
    await run.server.clock.advance(151_000);
    run.server.last.send(added('a', 3), added('b', 4), added('c', 95), initialEnd(96));
    await flushTasks();
    expect(contentOf(run)).toEqual(['a 3', 'b 4', 'c 95']);
  });

  test('waits as long as a 429 asks, in the stream and at its opening', async () => {
    const run = await start();
    run.server.onWatch = (watch) => {
      if (run.server.watches.length === 2) throw refused(429, 'TooManyRequests', 20_000);
      if (run.server.watches.length === 3)
        watch.send(errorEvent(429, 'TooManyRequests', { retryAfterSeconds: 40 }));
    };
    run.server.last.reset();
    await run.server.clock.advance(80_000);
    const at = run.server.watches.map((watch) => watch.at);
    expect(at).toHaveLength(4);
    expect((at[2] ?? 0) - (at[1] ?? 0)).toBeGreaterThanOrEqual(20_000);
    expect((at[3] ?? 0) - (at[2] ?? 0)).toBeGreaterThanOrEqual(40_000);
  });

  test.each<[string, (watch: OpenWatch) => void]>([
    ['answers with an error', (watch) => watch.send(errorEvent(500, 'InternalError'))],
    [
      'refuses',
      () => {
        throw refused(400, 'BadRequest');
      },
    ],
  ])('begins with a list where a version of which the server %s stays so', async (_, behave) => {
    const run = await start();
    run.server.onWatch = (watch) => {
      if (watch.parameters.resourceVersion === '5') behave(watch);
    };
    run.server.last.reset();
    await run.server.clock.advance(10_000);
    expect(run.server.watches.map(({ parameters }) => parameters.resourceVersion)).toEqual([
      undefined,
      '5',
      '5',
      '5',
      undefined,
    ]);
    run.server.last.send(added('a', 3), added('c', 7), initialEnd(8));
    await flushTasks();
    expect(contentOf(run)).toEqual(['a 3', 'c 7']);
  });

  test.each<[string, (watch: OpenWatch) => void]>([
    [
      'are of a version that goes on',
      (watch) => watch.send(modified('a', 100 + watch.at), errorEvent(500, 'InternalError')),
    ],
    ['ask for a pause', (watch) => watch.send(errorEvent(429, 'TooManyRequests'))],
    [
      'are of a server that starts',
      () => {
        throw refused(503, 'ServiceUnavailable');
      },
    ],
    ['are of the network', (watch) => watch.reset()],
  ])('goes on without a list where failures %s', async (_, behave) => {
    const run = await start();
    run.server.onWatch = behave;
    run.server.last.reset();
    await run.server.clock.advance(60_000);
    const [, ...later] = run.server.watches.map(({ parameters }) => parameters.resourceVersion);
    expect(later.length).toBeGreaterThan(5);
    expect(later).not.toContain(undefined);
  });

  test.each<[string, (watch: OpenWatch) => void]>([
    [
      'refuses every watch',
      () => {
        throw refused(503, 'ServiceUnavailable');
      },
    ],
    ['closes every watch at once', (watch) => watch.end()],
    [
      'expires every version',
      (watch) =>
        watch.send(
          ...(watch.parameters.sendInitialEvents === true ? [initialEnd(5)] : []),
          errorEvent(410, 'Expired'),
        ),
    ],
    [
      'closes every watch after one event',
      (watch) => {
        watch.send(modified('a', 100 + watch.at));
        watch.end();
      },
    ],
  ])(
    'does not storm a server that %s: 25 requests in 5 minutes at most, and recovers within 30 s',
    async (_name, behave) => {
      const run = await start();
      run.server.onWatch = behave;
      run.server.last.reset();
      await run.server.clock.advance(300_000);
      expect(run.server.watches.length + run.server.lists.length).toBeLessThanOrEqual(25);
      expect(run.informer.state.failures).toBeGreaterThan(5);
      run.server.onWatch = (watch) => {
        if (watch.parameters.sendInitialEvents === true) watch.send(added('z', 9000), initialEnd(9000));
        else watch.send(added('z', 900_000));
      };
      await run.server.clock.advance(30_000);
      expect(run.informer.cache.get({ namespace: 'n', name: 'z' })).toBeDefined();
      await run.server.clock.advance(15_000);
      run.server.last.send(bookmark(1_000_000));
      await flushTasks();
      expect(run.informer.state).toMatchObject({ failures: 0, lastError: undefined, watching: true });
    },
  );

  test.each([0, 3_600_000, -3_600_000])(
    'reports for how long it has been failing, until a watch has been open for ten seconds, also where the wall clock is set by %d ms',
    async (stepMs) => {
      const run = await start();
      const failingForMs = () => run.informer.state.failingForMs;
      expect(failingForMs()).toBeUndefined();
      run.server.onWatch = () => {
        throw refused(503, 'ServiceUnavailable');
      };
      run.server.last.reset();
      await flushTasks();
      run.server.clock.stepWallClock(stepMs);
      await run.server.clock.advance(90_000);
      expect(failingForMs()).toBe(90_000);
      run.server.onWatch = () => undefined;
      await run.server.clock.advance(30_000);
      expect(run.informer.state.watching).toBe(true);
      await run.server.clock.advance(10_000);
      expect(failingForMs()).toBeUndefined();
    },
  );

  test('survives a listener that throws, and calls the others', async () => {
    const run = await start();
    run.informer.subscribe(() => {
      throw new Error('a mistake');
    });
    const later: string[] = [];
    run.informer.subscribe((events) => later.push(...events.map(eventText)));
    run.server.last.send(modified('a', 6));
    await flushTasks();
    expect(later).toEqual(['added a 3', 'added b 4', 'updated a 6']);
    expect(run.server.watches).toHaveLength(1);
  });

  test('reports what came in one turn together', async () => {
    const run = await start();
    const batches: number[] = [];
    const unsubscribe = run.informer.subscribe((events) => batches.push(events.length));
    run.server.last.send(modified('a', 6), modified('b', 7));
    run.server.last.send(modified('a', 8));
    await flushTasks();
    unsubscribe();
    run.server.last.send(modified('a', 9));
    await flushTasks();
    expect(batches).toEqual([2, 3]);
  });

  test('ends with its signal, whatever it is doing, and leaves no timer behind', async () => {
    for (const after of [0, 100, 40_000]) {
      const run = await start((server) => {
        server.onWatch = () => {
          if (after > 0) throw refused(500, 'InternalError');
        };
      }, false);
      await run.server.clock.advance(after);
      run.stop.abort();
      await run.ended;
      await expect(run.informer.synced).rejects.toThrow('stopped before its first content arrived');
      expect(run.server.clock.pending).toBe(0);
      expect(run.server.watches.every((watch) => watch.released || after > 0)).toBe(true);
    }
  });

  test('brings every cache to the content of the server, whatever the faults', async () => {
    const fault = fc.constantFrom('none', 'cut', 'reset', 'expire', 'silence', 'refuse', 'throttle');
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.boolean(), fault), { maxLength: 25 }),
        async (steps) => {
          const store = new FaultyStore();
          const run = await start((server) => (server.onWatch = (watch) => store.open(watch)), false);
          for (const [name, gone, what] of steps) {
            store.change(name, gone);
            store.disturb(what);
            await run.server.clock.advance(what === 'silence' ? 200_000 : 300);
          }
          store.disturb('none');
          await run.server.clock.advance(120_000);
          expect(contentOf(run)).toEqual(store.content());
          expect(replayed(run.received)).toEqual(store.content());
          run.stop.abort();
          await run.ended;
        },
      ),
      { numRuns: 60 },
    );
  });
});

/** A store whose watches are disturbed; each stream carries the true history from where it was asked for. */
class FaultyStore {
  readonly #history: {
    readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
    readonly object: Stored<KubeObject>;
  }[] = [];
  #watch: OpenWatch | undefined;
  #refuse: ApiError | undefined;
  #muted = false;

  open(watch: OpenWatch): void {
    if (this.#refuse !== undefined) {
      const error = this.#refuse;
      this.#refuse = undefined;
      throw error;
    }
    this.#watch = watch;
    this.#muted = false;
    if (watch.parameters.sendInitialEvents === true) {
      const present = this.#present().map((each) => ({ type: 'ADDED', object: each }));
      watch.send(...present, initialEnd(this.#history.length));
    } else {
      watch.send(...this.#history.slice(Number(watch.parameters.resourceVersion)));
    }
  }

  change(name: string, gone: boolean): void {
    const before = this.#present().find(({ metadata }) => metadata.name === name);
    if (before === undefined && gone) return;
    const version = this.#history.length + 1;
    const type = before === undefined ? 'ADDED' : gone ? 'DELETED' : 'MODIFIED';
    const event = { type, object: object(name, version, before?.metadata.uid ?? `u${version}`) } as const;
    this.#history.push(event);
    if (!this.#muted) this.#watch?.send(event);
  }

  disturb(what: string): void {
    if (what === 'silence') this.#muted = true;
    if (what === 'refuse') this.#refuse = refused(503, 'ServiceUnavailable');
    if (what === 'throttle') this.#refuse = refused(429, 'TooManyRequests', 1000);
    if (what === 'cut') this.#watch?.sendText('{"type":"MODIFIED","object":{"met');
    if (what === 'expire') this.#watch?.send(errorEvent(410, 'Expired'));
    if (['cut', 'refuse', 'throttle'].includes(what)) this.#watch?.end();
    if (what === 'reset') this.#watch?.reset();
    if (what !== 'none' && what !== 'silence') this.#watch = undefined;
  }

  content(): string[] {
    return this.#present().map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`);
  }

  #present(): Stored<KubeObject>[] {
    const present = new Map<string, Stored<KubeObject>>();
    for (const { type, object: each } of this.#history) {
      if (type === 'DELETED') present.delete(each.metadata.name);
      else present.set(each.metadata.name, each);
    }
    return [...present.values()].toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  }
}

/** The content as it follows from the events alone. */
function replayed(received: readonly string[]): string[] {
  const known = new Map<string, string>();
  for (const line of received) {
    const [type = '', name = '', version = ''] = line.split(' ');
    if (type === 'deleted') known.delete(name);
    else known.set(name, version);
  }
  return [...known].map(([name, version]) => `${name} ${version}`).toSorted();
}

describe('a reflector that is sent an object which it cannot read', () => {
  const broken = (type: string, name: string, version: number, uid = `uid-${name}`): string => {
    const { metadata } = object(name, version, uid);
    return `{"type":"${type}","object":{"metadata":${JSON.stringify(metadata)},"spec":{"a":nope}}}\n`;
  };
  const observed = (): { readonly unreadable: () => void; readonly count: () => number } => {
    let count = 0;
    return { unreadable: () => void count++, count: () => count };
  };
  const isUnreadable = (run: Run, name: string): boolean | undefined =>
    run.informer.cache.isUnreadable?.({ namespace: 'n', name });

  test('keeps the version that it holds, and goes on with the same stream', async () => {
    const observer = observed();
    const run = await start(undefined, true, observer);
    run.server.last.sendText(broken('MODIFIED', 'a', 6));
    run.server.last.send(modified('b', 7));
    await flushTasks();
    expect([contentOf(run), isUnreadable(run, 'a'), isUnreadable(run, 'b')]).toEqual([
      ['a 3', 'b 7'],
      true,
      false,
    ]);
    expect([run.server.watches.length, run.informer.state.resourceVersion]).toEqual([1, '7']);
    run.server.last.send(modified('a', 8));
    await flushTasks();
    expect([contentOf(run), isUnreadable(run, 'a'), observer.count()]).toEqual([['a 8', 'b 7'], false, 1]);
  });

  test('keeps it over a new list, by stream or by pages, and reports the version once', async () => {
    for (const pages of [false, true]) {
      const observer = observed();
      const run = await start(undefined, true, observer);
      const stored = `${broken('ADDED', 'a', 6)}${broken('ADDED', 'new', 7)}`;
      run.server.onWatch = (watch) => {
        if (watch.parameters.sendInitialEvents !== true) return;
        if (pages) throw refused(422, 'Invalid');
        watch.sendText(stored);
        watch.send(added('b', 4), initialEnd(9));
      };
      const items = stored
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => line.slice(line.indexOf('{"metadata'), -1));
      run.server.onListText = () =>
        `{"metadata":{"resourceVersion":"9"},"items":[${items.join(',')},${JSON.stringify(object('b', 4))}]}`;
      for (let round = 0; round < 3; round += 1) {
        run.server.last.send(errorEvent(410, 'Expired'));
        await run.server.clock.advance(20_000);
      }
      expect([run.informer.state.lists, observer.count()]).toEqual([4, 2]);
      expect([contentOf(run), isUnreadable(run, 'a'), isUnreadable(run, 'new')]).toEqual([
        ['a 3', 'b 4'],
        true,
        true,
      ]);
      expect(run.received).toEqual(['added a 3', 'added b 4']);
      run.stop.abort();
      await run.ended;
    }
  });

  test('drops what another object of its name has replaced', async () => {
    const run = await start();
    run.server.onWatch = (watch) => {
      watch.sendText(broken('ADDED', 'a', 8, 'another'));
      watch.send(added('b', 4), initialEnd(9));
    };
    run.server.last.send(errorEvent(410, 'Expired'));
    await run.server.clock.advance(1000);
    expect([contentOf(run), isUnreadable(run, 'a')]).toEqual([['b 4'], true]);
  });

  test('understands that it is gone', async () => {
    const run = await start();
    run.server.last.sendText(`${broken('MODIFIED', 'a', 6)}${broken('DELETED', 'a', 7)}`);
    await flushTasks();
    expect([contentOf(run), run.received.at(-1), isUnreadable(run, 'a')]).toEqual([
      ['b 4'],
      'deleted a 7',
      false,
    ]);
  });

  test('lists anew, once, for an event that names no object', async () => {
    const run = await start();
    run.server.onWatch = (watch) => {
      watch.sendText('{"type":"ADDED","object":{"metadata":7}}\n');
      watch.send(added('a', 8), initialEnd(9));
    };
    run.server.last.sendText('{"type":"MODIFIED","object":{"metadata":7}}\n');
    await run.server.clock.advance(60_000);
    expect([contentOf(run), run.server.watches.length]).toEqual([['a 8'], 2]);
  });
});

describe('what names no object, or no version,', () => {
  const without = (field: 'uid' | 'resourceVersion', text?: string) => {
    const found = object('a', 6);
    return { type: 'MODIFIED', object: { ...found, metadata: { ...found.metadata, [field]: text } } };
  };

  test.each([
    ['an object without a uid', without('uid')],
    ['an object with an empty uid', without('uid', '')],
    ['an object with an empty version', without('resourceVersion', '')],
    ['a bookmark with an empty version', { type: 'BOOKMARK', object: { metadata: { resourceVersion: '' } } }],
  ])('is not taken, and all is listed anew: %s', async (_, event) => {
    const run = await start();
    run.server.last.send(event);
    await flushTasks();
    expect([contentOf(run), run.received]).toEqual([
      ['a 3', 'b 4'],
      ['added a 3', 'added b 4'],
    ]);
    run.server.last.end();
    await run.server.clock.advance(1000);
    expect(run.server.last.parameters.sendInitialEvents).toBe(true);
    run.server.last.send(added('a', 3), added('b', 4), modified('a', 6), initialEnd(9));
    await flushTasks();
    expect(run.received.slice(2)).toEqual(['updated a 6']);
  });

  test.each(['stream', 'pages'])('is not taken for the version of a list by %s', async (mode) => {
    const run = await start((server) => {
      server.onWatch = () => {
        if (mode === 'pages') throw refused(422, 'Invalid');
      };
      server.onList = () => ({ metadata: { resourceVersion: '' }, items: [] });
    }, false);
    if (mode === 'stream') {
      const annotations = { 'k8s.io/initial-events-end': 'true' };
      run.server.last.send({ type: 'BOOKMARK', object: { metadata: { resourceVersion: '', annotations } } });
    }
    await run.server.clock.advance(1);
    expect([run.informer.cache.synced, run.informer.state.failures]).toEqual([false, 1]);
  });
});

describe('the pause after a failure', () => {
  test('doubles up to its bound, keeps at least half of itself, and is never shorter than the server asks', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1000 }),
        fc.option(fc.nat(120_000)),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (failures, asked, random) => {
          const pause = pauseAfter(failures, asked ?? undefined, defaultPace, () => random);
          const full = Math.min(30_000, 250 * 2 ** (failures - 1));
          expect(pause).toBeGreaterThanOrEqual(Math.max(full / 2, asked ?? 0));
          expect(pause).toBeLessThanOrEqual(Math.max(full, (asked ?? 0) + 250));
        },
      ),
    );
  });
});
