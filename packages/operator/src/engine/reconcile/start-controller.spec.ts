import { ApiError, deployments, formatKey, silentLogger } from '@atoll/kube';
import { cloneSets } from '@atoll/api';
import { FakeClock, flushTasks } from '@atoll/kube/testing';
import type {
  CacheEvent,
  InformerListener,
  KubeObject,
  ObjectKey,
  OptionalReader,
  Reader,
  Resource,
  Stored,
  WriteThroughCache,
} from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import type { Announcer } from '../announce.ts';
import { ownSource, source, type Controller } from '../controller.ts';
import { executorOf, stored } from '../engine.fixture.ts';
import type { ExecutorClient } from '../executor/requests/requests.ts';
import type { Inspections } from '../inspection.ts';
import { nothingToDo } from '../plan.ts';
import { WriteBudget } from '../status/write-budget.ts';
import { startController, type ControllerRuntime } from './start-controller.ts';

const spreads = deployments as Resource<KubeObject>;
const things = cloneSets as Resource<KubeObject>;

interface Options {
  /** What becomes of the status write of an object; absent: nothing is reported. */
  readonly patch?: (name: string) => Promise<void>;
  readonly controller?: Partial<Controller<ObjectKey>>;
  readonly inspections?: Inspections;
  readonly statusBudget?: WriteBudget;
}

/** A controller over its own kind and one that comes and goes, whose deletions are immediate, and what it looked at. */
function rig({ patch, controller: more = {}, inspections, statusBudget }: Options = {}) {
  const looked: string[] = [];
  const listeners = new Map<string, Set<InformerListener<KubeObject>>>();
  const presence = new Set<() => void>();
  const stop = new AbortController();
  const clock = new FakeClock();
  const reader = { resource: things } as OptionalReader<KubeObject>;
  const own = { resource: spreads } as Reader<KubeObject>;
  const controller: Controller<ObjectKey> = {
    name: 'spread',
    resource: spreads,
    sources: [
      source(
        reader,
        ({ object: { metadata } }) => {
          if (metadata.name === 'odd') throw new TypeError('an object of an unforeseen shape');
          return [`${metadata.namespace ?? ''}/owner-of-${metadata.name}`];
        },
        ({ type }) => (type === 'deleted' ? 'immediate' : 'deferred'),
      ),
      ownSource(own),
    ],
    observe: (key) => {
      looked.push(formatKey(key));
      return key;
    },
    decide: () => undefined,
    plan: () => nothingToDo,
    report: (key) =>
      patch === undefined
        ? []
        : [{ resource: spreads, object: parent(key), status: { rounds: looked.length } }],
    ...more,
  };
  const client = {
    patch: async (_: unknown, { name }: ObjectKey) => {
      await patch?.(name);
      return parent({ namespace: 'edge', name });
    },
  } as unknown as ExecutorClient;
  const cache = {
    get: parent,
    list: () => ['b', 'a'].map((name) => parent({ name })),
    wrote: () => undefined,
  } as unknown as WriteThroughCache<KubeObject>;
  const cacheOf = (resource: Resource<KubeObject>) => (resource === spreads ? cache : undefined);
  const runtime: ControllerRuntime = {
    clock,
    logger: silentLogger,
    workers: 1,
    executor: executorOf({ client, clock, cacheOf }),
    announcer: {
      forget: () => undefined,
      outcome: () => undefined,
      holds: () => undefined,
      record: () => undefined,
    } as unknown as Announcer,
    cacheOf,
    informerOf: ({ resource: { kind } }) => ({
      subscribe: (listener) => {
        const all = listeners.get(kind) ?? new Set();
        listeners.set(kind, all.add(listener));
        return () => all.delete(listener);
      },
      ...(kind === things.kind && {
        onPresence: (listener: () => void) => {
          presence.add(listener);
          return () => presence.delete(listener);
        },
      }),
    }),
    ...(inspections && { inspections }),
    ...(statusBudget && { statusBudget }),
  };
  startController(controller, runtime, stop.signal);
  const deliver = async (kind: string, events: readonly CacheEvent<KubeObject>[]): Promise<void> => {
    for (const listen of listeners.get(kind) ?? []) listen(events);
    await turns();
  };
  /** Of things that other objects own. */
  const thing = async (type: 'added' | 'deleted', name = 'x', namespace = 'edge'): Promise<void> =>
    deliver(things.kind, [{ type, object: object(name, namespace) }]);
  /** Of objects of the controller's own kind, whose spec changes. */
  const edited = async (name: string): Promise<void> => {
    const old = object(name, 'edge');
    const next = { ...old, metadata: { ...old.metadata, generation: 2 } };
    return deliver(spreads.kind, [{ type: 'updated', old, object: next }]);
  };
  const listening = (): number =>
    [...listeners.values()].reduce((sum, { size }) => sum + size, presence.size);
  return { looked, presence, stop, clock, deliver, thing, edited, listening };
}

function object(name: string, namespace: string): Stored<KubeObject> {
  return stored(things, name, '1', { namespace, generation: 1 });
}

function parent({ namespace = 'edge', name }: ObjectKey): Stored<KubeObject> {
  return stored(spreads, name, '1', { namespace, generation: 1 });
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 8; turn += 1) await flushTasks();
}

/** A request that is answered when it is let go. */
function held(name: string): { readonly patch: (of: string) => Promise<void>; readonly letGo: () => void } {
  let letGo = (): void => undefined;
  const open = new Promise<void>((resolve) => (letGo = resolve));
  return { patch: async (of) => (of === name ? open : undefined), letGo: () => letGo() };
}

describe('a controller of a kind that comes and goes', () => {
  it('looks at each of its objects again when the kind came or went', async () => {
    const { looked, presence } = rig();
    await turns();
    expect(looked).toEqual([]);
    for (const deliver of presence) deliver();
    await turns();
    expect(looked.toSorted()).toEqual(['edge/a', 'edge/b']);
  });

  it('looks at them behind what changes meanwhile', async () => {
    const { looked, presence, thing } = rig();
    await turns();
    for (const deliver of presence) deliver();
    await thing('added');
    expect(looked).toEqual(['edge/owner-of-x', 'edge/b', 'edge/a']);
  });

  it('gets no more of its events when it has ended', () => {
    const { listening, stop } = rig();
    expect(listening()).toBe(3);
    stop.abort();
    expect(listening()).toBe(0);
  });
});

describe('a source', () => {
  it('of which an event cannot be read enqueues by the others that came with it', async () => {
    const { looked, deliver, clock } = rig();
    const events = ['odd', 'x'].map((name) => ({ type: 'deleted', object: object(name, 'edge') }) as const);
    await deliver(things.kind, events);
    await clock.advance(1_000);
    expect(looked).toEqual(['edge/owner-of-x']);
  });
});

describe('a source of which each event has an urgency', () => {
  it('has what is deferred wait until the minimum interval has passed, and what is immediate not', async () => {
    const { looked, clock, thing } = rig();
    await thing('added');
    await thing('added');
    expect(looked).toEqual(['edge/owner-of-x']);
    await thing('deleted');
    expect(looked).toHaveLength(2);
    await thing('added');
    await thing('added');
    await clock.advance(999);
    expect(looked).toHaveLength(2);
    await clock.advance(1);
    expect(looked).toHaveLength(3);
    await clock.advance(10_000);
    expect(looked).toHaveLength(3);
  });

  it('has it wait for the interval of the controller where that has one', async () => {
    const minimumInterval = { minMs: 100, factor: 1, maxMs: 100, maxRetryMs: 100 };
    const { looked, clock, thing } = rig({ controller: { minimumInterval } });
    await thing('added');
    await thing('added');
    await clock.advance(99);
    expect(looked).toHaveLength(1);
    await clock.advance(1);
    expect(looked).toHaveLength(2);
  });
});

describe('keys that wait', () => {
  it('wait for one of their namespace that is slow, and not for one of another', async () => {
    const { patch, letGo } = held('owner-of-slow');
    const { looked, thing } = rig({ patch });
    await thing('deleted', 'slow');
    await thing('deleted', 'x');
    await thing('deleted', 'x', 'far');
    expect(looked).toEqual(['edge/owner-of-slow', 'far/owner-of-x']);
    letGo();
    await turns();
    expect(looked).toEqual(['edge/owner-of-slow', 'far/owner-of-x', 'edge/owner-of-x']);
  });

  it('let an object go first whose own spec was changed', async () => {
    const { patch, letGo } = held('owner-of-slow');
    const { looked, thing, edited } = rig({ patch });
    await thing('deleted', 'slow');
    await thing('deleted', 'x');
    await edited('web');
    letGo();
    await turns();
    expect(looked).toEqual(['edge/owner-of-slow', 'edge/web', 'edge/owner-of-x']);
  });

  it('let the spec of each be acknowledged before its plan is carried out', async () => {
    const { patch, letGo } = held('owner-of-slow');
    const told: string[] = [];
    const event = { type: 'Normal', regarding: {}, reason: 'Seen', action: 'Look', note: '' } as never;
    const steps = [{ do: 'event', event, why: { word: 'StatusOutdated', message: '' } }] as const;
    const { thing } = rig({
      patch,
      controller: {
        plan: () => ({ ...nothingToDo, stages: [{ name: 'say', steps }] }),
        report: (key, _, { results }) => {
          told.push(`${key.name} ${results.map((each) => each.did).join()}`);
          return [{ resource: spreads, object: parent(key), status: { observedGeneration: 1 } }];
        },
      },
    });
    await thing('deleted', 'slow');
    await thing('deleted', 'x');
    await thing('deleted', 'y');
    letGo();
    await turns();
    expect(told.slice(0, 3)).toEqual(['owner-of-slow done', 'owner-of-x skipped', 'owner-of-y done']);
  });
});

it('a key is tried again when the API server asks for it, and not before', async () => {
  const busy = new ApiError({
    fate: 'refused',
    code: 429,
    reason: 'TooManyRequests',
    attempted: 'patch',
    message: 'later',
    retryAfterMs: 5_000,
  });
  const { looked, clock, thing } = rig({ patch: async () => Promise.reject(busy) });
  await thing('deleted');
  const { length } = looked;
  await clock.advance(4_999);
  expect(looked).toHaveLength(length);
  await clock.advance(1);
  await turns();
  expect(looked.length).toBeGreaterThan(length);
});

it('writes statuses within the budget that controllers share', async () => {
  const statusBudget = new WriteBudget();
  const { deliver, stop } = rig({ patch: async () => {}, statusBudget });
  await deliver(spreads.kind, [{ type: 'added', object: parent({ namespace: 'edge', name: 'a' }) }]);
  await flushTasks();
  expect(statusBudget.paidAt).toBeGreaterThan(0);
  stop.abort();
});

it('what an inspection finds enqueues its key until the controller has ended', async () => {
  const found = new Set<(key: string) => void>();
  const inspections: Inspections = {
    want: () => undefined,
    onFinding: (controller, listener) => {
      expect(controller).toBe('spread');
      found.add(listener);
      return () => found.delete(listener);
    },
  };
  const { looked, stop } = rig({ inspections });
  for (const tell of found) tell('edge/web');
  await turns();
  expect(looked).toEqual(['edge/web']);
  stop.abort();
  expect(found.size).toBe(0);
});
