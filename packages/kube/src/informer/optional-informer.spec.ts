import { describe, expect, test } from 'vitest';
import { ApiError } from '../client/api-error.ts';
import { flushTasks as turn } from '../testing/fake-clock.ts';
import { createInformers } from './informers.ts';
import type { KubeObject, Stored } from '../objects/object.ts';
import type { Resource } from '../objects/resource.ts';
import type { OptionalInformer } from './optional-informer.ts';
import type { CacheEvent } from '../cache/reader.ts';
import { ScriptedServer, type OpenWatch } from '../testing/scripted-server.ts';
import { refusalOf } from '../testing/refusal-of.ts';

type Widget = KubeObject;

const widgets: Resource<Widget> = {
  group: 'example.dev',
  version: 'v1alpha1',
  kind: 'Widget',
  plural: 'widgets',
  namespaced: true,
};

const definitionName = 'widgets.example.dev';

interface DefinitionState {
  readonly uid?: string;
  readonly established?: boolean;
  readonly served?: boolean;
  readonly deleting?: boolean;
}

function definition(version: number, state: DefinitionState = {}): KubeObject {
  const { uid = 'crd-1', established = true, served = true, deleting = false } = state;
  return {
    metadata: {
      name: definitionName,
      uid,
      resourceVersion: String(version),
      creationTimestamp: '2026-11-01T10:00:00Z',
      ...(deleting ? { deletionTimestamp: '2026-11-01T11:00:00Z' } : {}),
    },
    spec: {
      versions: [
        { name: 'v1alpha1', served, schema: { openAPIV3Schema: {} } },
        { name: 'v1', served: true },
      ],
    },
    status: { conditions: [{ type: 'Established', status: established ? 'True' : 'False' }] },
  } as KubeObject;
}

function widget(name: string, version: number): Stored<Widget> {
  const metadata = {
    namespace: 'n',
    name,
    uid: `uid-${name}`,
    resourceVersion: String(version),
    creationTimestamp: '2026-11-01T10:00:00Z',
  };
  return { metadata } as Stored<Widget>;
}

const initialEnd = (version: number) => ({
  type: 'BOOKMARK',
  object: {
    metadata: { resourceVersion: String(version), annotations: { 'k8s.io/initial-events-end': 'true' } },
  },
});

/** What arrives in one turn is delivered in the next, and what that starts comes a turn later. */
async function flushTasks(): Promise<void> {
  for (let turns = 0; turns < 6; turns += 1) await turn();
}

class Run {
  readonly server = new ScriptedServer();
  readonly informer: OptionalInformer<Widget>;
  readonly allSynced: Promise<void>;
  readonly received: string[] = [];
  readonly presence: string[] = [];
  readonly stop = new AbortController();
  readonly ended: Promise<void>;
  readonly states: () => readonly [string, boolean][];

  constructor(prepare: (server: ScriptedServer) => void = () => undefined) {
    prepare(this.server);
    const informers = createInformers({ client: this.server, clock: this.server.clock, random: () => 0.5 });
    const byName = (object: KubeObject): readonly string[] => [object.metadata.name];
    this.informer = informers.optional(widgets, { indexers: { name: byName } });
    this.informer.subscribe((events) => this.received.push(...events.map(eventText)));
    this.informer.onPresence(() => this.presence.push(this.standing));
    this.ended = informers.start(this.stop.signal);
    this.allSynced = informers.synced();
    this.states = () => [...informers.states()].map(([name, { synced }]) => [name, synced]);
  }

  get standing(): string {
    const { served, synced } = this.informer.cache;
    return `${served ? 'served' : 'not served'}, ${synced ? 'synced' : 'not synced'}`;
  }

  get definitions(): OpenWatch {
    return this.#last((watch) => watch.resource.plural === 'customresourcedefinitions');
  }

  get objects(): OpenWatch {
    return this.#last((watch) => watch.resource === widgets);
  }

  get names(): readonly string[] {
    return this.informer.cache.list().map(({ metadata }) => metadata.name);
  }

  watchesOfObjects(): number {
    return this.server.watches.filter((watch) => watch.resource === widgets).length;
  }

  #last(wanted: (watch: OpenWatch) => boolean): OpenWatch {
    const last = this.server.watches.findLast(wanted);
    if (last === undefined) throw new Error('no such watch was opened');
    return last;
  }
}

function eventText({ type, object: { metadata } }: CacheEvent<KubeObject>): string {
  return `${type} ${metadata.name} ${metadata.resourceVersion}`;
}

/** The kind is installed, and two of its objects are here. */
async function following(): Promise<Run> {
  const run = new Run();
  await flushTasks();
  run.definitions.send({ type: 'ADDED', object: definition(5) }, initialEnd(6));
  await flushTasks();
  run.objects.send(
    { type: 'ADDED', object: widget('a', 3) },
    { type: 'ADDED', object: widget('b', 4) },
    initialEnd(7),
  );
  await flushTasks();
  return run;
}

async function absent(): Promise<Run> {
  const run = new Run();
  await flushTasks();
  run.definitions.send(initialEnd(6));
  await flushTasks();
  return run;
}

describe('the informer of a kind that is not installed', () => {
  test('asks for its one definition only, by name', async () => {
    const run = await absent();
    await run.server.clock.advance(120_000);
    expect(run.server.watches.map(({ resource }) => resource.plural)).toEqual(['customresourcedefinitions']);
    expect(run.definitions.parameters.fieldSelector).toBe(`metadata.name=${definitionName}`);
    expect(run.server.lists).toEqual([]);
  });

  test('has no answer until that was answered, and then that the kind is absent; nobody waits for it', async () => {
    const run = new Run();
    await flushTasks();
    expect([run.standing, run.informer.state.synced, run.presence]).toEqual([
      'not served, not synced',
      false,
      [],
    ]);
    run.definitions.send(initialEnd(6));
    await expect(run.allSynced).resolves.toBeUndefined();
    expect([run.standing, run.presence, run.names]).toEqual([
      'not served, synced',
      ['not served, synced'],
      [],
    ]);
    expect(run.states()).toEqual([
      [
        `customresourcedefinitions.apiextensions.k8s.io apiextensions.k8s.io/v1, fieldSelector metadata.name=${definitionName}`,
        true,
      ],
      ['widgets.example.dev example.dev/v1alpha1 where it is served', true],
    ]);
  });

  test('answers by its indexes, and refuses one that was never declared', async () => {
    const { informer } = await absent();
    expect(informer.cache.by('name', 'a')).toEqual([]);
    expect(() => informer.cache.by('owner', 'a')).toThrow('the cache of widgets has no index owner');
  });

  test('takes no write', async () => {
    const run = await absent();
    run.informer.cache.wrote(widget('a', 9));
    run.informer.cache.wroteDeletion({ namespace: 'n', name: 'a' }, 'uid-a');
    expect(run.names).toEqual([]);
  });

  test.each<[string, DefinitionState]>([
    ['is not established yet', { established: false }],
    ['does not serve the version', { served: false }],
    ['is being deleted', { deleting: true }],
  ])('does not ask for objects while the definition %s', async (_name, state) => {
    const run = new Run();
    await flushTasks();
    run.definitions.send({ type: 'ADDED', object: definition(5, state) }, initialEnd(6));
    await flushTasks();
    expect([run.standing, run.watchesOfObjects()]).toEqual(['not served, synced', 0]);
    run.definitions.send({ type: 'MODIFIED', object: definition(7) });
    await flushTasks();
    expect([run.standing, run.watchesOfObjects()]).toEqual(['served, not synced', 1]);
  });

  test('stops when its signal ends, with an error for who still waits', async () => {
    const run = new Run();
    await flushTasks();
    run.stop.abort();
    await run.ended;
    await expect(run.allSynced).rejects.toThrow('was stopped before');
  });
});

describe('the informer of a kind that is installed', () => {
  test('is synced once its content is here', async () => {
    const run = await following();
    await expect(run.allSynced).resolves.toBeUndefined();
    expect([run.standing, run.names]).toEqual(['served, synced', ['a', 'b']]);
    expect(run.informer.cache.by('name', 'a').map(({ metadata }) => metadata.name)).toEqual(['a']);
    expect(run.received).toEqual(['added a 3', 'added b 4']);
    expect(run.presence).toEqual(['served, not synced', 'served, synced']);
  });

  test('gives a later listener the events that the others got', async () => {
    const run = await following();
    const late: string[] = [];
    const stopListening = run.informer.subscribe((events) => late.push(...events.map(eventText)));
    run.objects.send({ type: 'MODIFIED', object: widget('a', 8) });
    await flushTasks();
    stopListening();
    run.objects.send({ type: 'DELETED', object: widget('a', 9) });
    await flushTasks();
    expect(late).toEqual(['added a 3', 'added b 4', 'updated a 8']);
    expect(run.received.slice(2)).toEqual(['updated a 8', 'deleted a 9']);
  });

  test('keeps nobody waiting where its objects cannot be read, and never reports that there are none', async () => {
    const run = new Run((server) => {
      server.onWatch = ({ resource }) => {
        if (resource !== widgets) return;
        throw refusalOf(500, 'watch widgets', 'conversion webhook for example.dev failed');
      };
    });
    await flushTasks();
    run.definitions.send({ type: 'ADDED', object: definition(5) }, initialEnd(6));
    await expect(run.allSynced).resolves.toBeUndefined();
    expect([run.standing, run.informer.state.synced]).toEqual(['served, not synced', true]);
    expect(run.informer.state.lastError?.message).toContain('conversion webhook');
    expect(run.informer.cache.unreadable).toBeUndefined();
    const since = run.server.clock.now();
    for (let version = 7; version < 10; version += 1) {
      await run.server.clock.advance(100_000);
      run.definitions.send({ type: 'BOOKMARK', object: { metadata: { resourceVersion: String(version) } } });
    }
    expect(run.informer.cache.unreadable).toEqual({
      since,
      why: 'watch widgets: conversion webhook for example.dev failed',
    });
    // Once for the definition, and once for what is the same failure again and again.
    expect(run.presence).toEqual(['served, not synced', 'served, not synced']);
    // 0.25 s, doubled up to 30 s, each cut by at most a half.
    expect(run.watchesOfObjects()).toBeLessThan(30);
    run.server.onWatch = () => undefined;
    await run.server.clock.advance(30_000);
    run.objects.send(initialEnd(7));
    await flushTasks();
    expect(run.standing).toBe('served, synced');
    expect(run.informer.cache.unreadable).toBeUndefined();
  });

  test('reports another reason why its objects cannot be read, and the time of the first', async () => {
    let reason = 'Forbidden';
    const run = new Run((server) => {
      server.onWatch = ({ resource }) => {
        if (resource !== widgets) return;
        throw new ApiError({ fate: 'refused', code: 403, reason, message: reason, attempted: 'watch' });
      };
    });
    await flushTasks();
    const since = run.server.clock.now();
    run.definitions.send({ type: 'ADDED', object: definition(5) }, initialEnd(6));
    await flushTasks();
    await run.server.clock.advance(10_000);
    expect(run.informer.cache.unreadable).toEqual({ since, why: 'watch: Forbidden' });
    reason = 'InternalError';
    await run.server.clock.advance(60_000);
    expect(run.informer.cache.unreadable).toEqual({ since, why: 'watch: InternalError' });
    expect(run.presence).toHaveLength(3);
    run.definitions.send({ type: 'DELETED', object: definition(9) });
    await flushTasks();
    expect(run.informer.cache.unreadable).toBeUndefined();
  });
});

describe('when the kind goes, its informer', () => {
  test('is empty and not served from the moment the deletion is asked for', async () => {
    const run = await following();
    run.objects.send({ type: 'MODIFIED', object: widget('b', 8) });
    run.definitions.send({ type: 'MODIFIED', object: definition(9, { deleting: true }) });
    await flushTasks();
    expect([run.standing, run.names, run.objects.released]).toEqual(['not served, synced', [], true]);
    expect(run.received).toEqual(['added a 3', 'added b 4', 'updated b 8', 'deleted a 3', 'deleted b 8']);
    expect(run.presence.slice(2)).toEqual(['not served, synced']);
  });

  test('reports that the kind is not served before any listener gets that its objects are gone', async () => {
    const run = await following();
    const standings: string[] = [];
    run.informer.subscribe((events) => {
      for (const { type } of events) if (type === 'deleted') standings.push(run.standing);
    });
    run.definitions.send({ type: 'DELETED', object: definition(9) });
    await flushTasks();
    expect(standings).toEqual(['not served, synced', 'not served, synced']);
  });

  test('asks for its objects no more', async () => {
    const run = await following();
    run.definitions.send({ type: 'DELETED', object: definition(9) });
    await flushTasks();
    const before = run.server.watches.length;
    await run.server.clock.advance(120_000);
    expect([run.server.watches.length, run.watchesOfObjects()]).toEqual([before, 1]);
  });

  test('follows it anew each time that it comes back, with nothing left of before', async () => {
    const run = await following();
    for (const round of [1, 2]) {
      const version = 10 * round;
      run.definitions.send({ type: 'DELETED', object: definition(version, { uid: `crd-${round}` }) });
      await flushTasks();
      run.definitions.send({ type: 'ADDED', object: definition(version + 1, { uid: `crd-${round + 1}` }) });
      await flushTasks();
      expect([run.standing, run.names]).toEqual(['served, not synced', []]);
      run.objects.send({ type: 'ADDED', object: widget('c', version + 2) }, initialEnd(version + 3));
      await flushTasks();
      expect([run.standing, run.names]).toEqual(['served, synced', ['c']]);
    }
    expect(run.received.slice(2)).toEqual([
      'deleted a 3',
      'deleted b 4',
      'added c 12',
      'deleted c 12',
      'added c 22',
    ]);
  });

  test('believes nothing of before where the definition was replaced behind its back', async () => {
    const run = await following();
    run.definitions.send(
      { type: 'DELETED', object: definition(10) },
      { type: 'ADDED', object: definition(11, { uid: 'crd-2' }) },
    );
    await flushTasks();
    expect([run.standing, run.names, run.watchesOfObjects()]).toEqual(['served, not synced', [], 2]);
    expect(run.received.slice(2)).toEqual(['deleted a 3', 'deleted b 4']);
  });

  test('takes the response of a write that comes too late for what it is: nothing', async () => {
    const run = await following();
    run.definitions.send({ type: 'DELETED', object: definition(9) });
    await flushTasks();
    run.informer.cache.wrote(widget('d', 8));
    expect(run.names).toEqual([]);
  });

  test('calls its listeners although one of them throws', async () => {
    const run = await following();
    run.informer.subscribe((events) => {
      if (events.some(({ type }) => type === 'deleted')) throw new Error('a bug');
    });
    run.informer.onPresence(() => {
      throw new Error('another bug');
    });
    const late: string[] = [];
    run.informer.subscribe((events) => late.push(...events.map(eventText)));
    run.definitions.send({ type: 'DELETED', object: definition(9) });
    await flushTasks();
    expect([run.standing, late.slice(2)]).toEqual(['not served, synced', ['deleted a 3', 'deleted b 4']]);
  });
});

test('a definition that only changes otherwise ends nothing', async () => {
  const run = await following();
  run.definitions.send({ type: 'MODIFIED', object: definition(9) });
  await flushTasks();
  expect([run.standing, run.watchesOfObjects(), run.presence.length]).toEqual(['served, synced', 1, 2]);
});
