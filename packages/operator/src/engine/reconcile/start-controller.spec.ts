import { deployments, silentLogger } from '@atoll/kube';
import { cloneSets } from '@atoll/api';
import { FakeClock, flushTasks } from '@atoll/kube/testing';
import type { InformerListener, KubeObject, OptionalReader, Resource, WriteThroughCache } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import type { Announcer } from '../announce.ts';
import { source, type Controller } from '../controller.ts';
import { executorOf } from '../engine.fixture.ts';
import type { ExecutorClient } from '../executor/requests/requests.ts';
import { startController } from './start-controller.ts';

/** A controller over one kind that comes and goes, whose deletions are immediate, and what it looked at. */
function rig(reports = false, meanwhile: () => void = () => undefined) {
  const looked: string[] = [];
  const listeners = new Set<InformerListener<KubeObject>>();
  const presence = new Set<() => void>();
  const stop = new AbortController();
  const clock = new FakeClock();
  const spreads = deployments as Resource<KubeObject>;
  const reader = { resource: cloneSets as Resource<KubeObject> } as OptionalReader<KubeObject>;
  const controller: Controller<never> = {
    name: 'spread',
    resource: spreads,
    sources: [
      source(
        reader,
        ({ object: { metadata } }) => {
          if (metadata.name === 'odd') throw new TypeError('an object of an unforeseen shape');
          return [`edge/owner-of-${metadata.name}`];
        },
        ({ type }) => (type === 'deleted' ? 'immediate' : 'deferred'),
      ),
    ],
    observe: ({ namespace, name }) => {
      looked.push(`${namespace}/${name}`);
      return (reports ? {} : undefined) as never;
    },
    decide: () => undefined,
    plan: () => ({ stages: [], holds: [], targets: [] }),
    report: () => [{ resource: spreads, object: owner, status: { rounds: looked.length } }],
  };
  const owner = { metadata: { ...object.metadata, namespace: 'edge', name: 'owner-of-x' } };
  const parents = ['b', 'a'].map((name) => ({ metadata: { namespace: 'edge', name } }));
  const patch = async (): Promise<typeof owner> => {
    meanwhile();
    return Promise.resolve(owner);
  };
  const client = { patch } as unknown as ExecutorClient;
  startController(
    controller,
    {
      clock,
      logger: silentLogger,
      workers: 1,
      executor: executorOf({ client, clock }),
      announcer: {
        forget: () => undefined,
        outcome: () => undefined,
        holds: () => undefined,
        record: () => undefined,
      } as unknown as Announcer,
      cacheOf: (resource) =>
        resource === spreads
          ? ({ get: () => undefined, list: () => parents } as unknown as WriteThroughCache<KubeObject>)
          : undefined,
      informerOf: () => ({
        subscribe: (listener) => {
          listeners.add(listener);
          return () => listeners.delete(listener);
        },
        onPresence: (listener) => {
          presence.add(listener);
          return () => presence.delete(listener);
        },
      }),
    },
    stop.signal,
  );
  const deliver = (type: 'added' | 'updated' | 'deleted'): void => {
    const event = type === 'updated' ? { type, object, old: object } : { type, object };
    for (const listen of listeners) listen([event]);
  };
  return { looked, listeners, presence, stop, clock, deliver };
}

const object = { metadata: { name: 'x', uid: 'u', resourceVersion: '1', creationTimestamp: '' } };

async function turns(): Promise<void> {
  for (let turn = 0; turn < 8; turn += 1) await flushTasks();
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

  it('gets no more of its events when it has ended', () => {
    const { listeners, presence, stop } = rig();
    stop.abort();
    expect([listeners.size, presence.size]).toEqual([0, 0]);
  });
});

describe('a source', () => {
  it('of which an event cannot be read enqueues by the others that came with it', async () => {
    const { looked, listeners, clock } = rig();
    const odd = { metadata: { ...object.metadata, name: 'odd' } };
    for (const listen of listeners) listen([odd, object].map((each) => ({ type: 'deleted', object: each })));
    await turns();
    await clock.advance(1_000);
    expect(looked).toEqual(['edge/owner-of-x']);
  });
});

describe('a source of which each event has an urgency', () => {
  it('has what is deferred wait until the minimum interval has passed, and what is immediate not', async () => {
    const { looked, clock, ...source } = rig();
    const deliver = async (type: 'added' | 'deleted'): Promise<void> => {
      source.deliver(type);
      await turns();
    };
    await deliver('added');
    await deliver('added');
    expect(looked).toEqual(['edge/owner-of-x']);
    await deliver('deleted');
    expect(looked).toHaveLength(2);
    await deliver('added');
    await deliver('added');
    await clock.advance(999);
    expect(looked).toHaveLength(2);
    await clock.advance(1);
    expect(looked).toHaveLength(3);
    await clock.advance(10_000);
    expect(looked).toHaveLength(3);
  });
});
