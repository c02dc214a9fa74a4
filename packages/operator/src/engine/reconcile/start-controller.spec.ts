import { cloneSets, deployments, FakeClock, settle, silentLogger } from '@atoll/kube';
import type { InformerListener, KubeObject, OptionalReader, Resource, WriteThroughCache } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import type { Announcer } from '../announce.ts';
import { source, type Controller } from '../controller.ts';
import { Executor } from '../executor/execute.ts';
import type { ExecutorClient } from '../executor/requests.ts';
import { startController } from './start-controller.ts';

/** A controller over one kind that comes and goes, whose deletions are urgent and whose updates count, and what it looked at. */
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
    restMs: 500,
    sources: [
      source(
        reader,
        ({ object: { metadata } }) => {
          if (metadata.name === 'odd') throw new TypeError('an object of an unforeseen shape');
          return [`edge/owner-of-${metadata.name}`];
        },
        ({ type }) => (({ added: 'in-time', updated: 'counted', deleted: 'at-once' }) as const)[type],
      ),
    ],
    observe: ({ namespace, name }) => {
      looked.push(`${namespace}/${name}`);
      return (reports ? {} : undefined) as never;
    },
    decide: () => undefined,
    plan: () => ({ stages: [], holds: [], targets: [] }),
    report: () => [{ resource: spreads, object: owner, status: { passes: looked.length } }],
  };
  const owner = { metadata: { ...object.metadata, namespace: 'edge', name: 'owner-of-x' } };
  const parents = ['b', 'a'].map((name) => ({ metadata: { namespace: 'edge', name } }));
  const patch = async (): Promise<typeof owner> => {
    meanwhile();
    return Promise.resolve(owner);
  };
  const client = { patch } as unknown as ExecutorClient;
  const may = { mayWrite: () => true, fieldManager: 'atoll', recordEvent: () => undefined };
  startController(
    controller,
    {
      clock,
      logger: silentLogger,
      workers: 1,
      executor: new Executor({ client, cacheOf: () => undefined, clock, ...may }),
      announcer: {
        forget: () => undefined,
        outcome: () => undefined,
        holds: () => undefined,
        tell: () => undefined,
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
  const tell = (type: 'added' | 'updated' | 'deleted'): void => {
    const event = type === 'updated' ? { type, object, old: object } : { type, object };
    for (const listen of listeners) listen([event]);
  };
  return { looked, listeners, presence, stop, clock, tell };
}

const object = { metadata: { name: 'x', uid: 'u', resourceVersion: '1', creationTimestamp: '' } };

async function turns(): Promise<void> {
  for (let turn = 0; turn < 8; turn += 1) await settle();
}

describe('a controller of a kind that comes and goes', () => {
  it('looks at each of its objects again when the kind came or went', async () => {
    const { looked, presence } = rig();
    await turns();
    expect(looked).toEqual([]);
    for (const tell of presence) tell();
    await turns();
    expect(looked.toSorted()).toEqual(['edge/a', 'edge/b']);
  });

  it('hears no more of it when it has ended', () => {
    const { listeners, presence, stop } = rig();
    stop.abort();
    expect([listeners.size, presence.size]).toEqual([0, 0]);
  });
});

describe('a source', () => {
  it('of which an event cannot be read wakes by the others that came with it', async () => {
    const { looked, listeners, clock } = rig();
    const odd = { metadata: { ...object.metadata, name: 'odd' } };
    for (const listen of listeners) listen([odd, object].map((each) => ({ type: 'deleted', object: each })));
    await turns();
    await clock.advance(1_000);
    expect(looked).toEqual(['edge/owner-of-x']);
  });
});

describe('a source of which each event says how it wakes', () => {
  it('has what comes in time wait for the end of a rest, and what somebody waits for not', async () => {
    const { looked, clock, ...source } = rig();
    const tell = async (type: 'added' | 'deleted'): Promise<void> => {
      source.tell(type);
      await turns();
    };
    await tell('added');
    await tell('added');
    expect(looked).toEqual(['edge/owner-of-x']);
    await tell('deleted');
    expect(looked).toHaveLength(2);
    await tell('added');
    expect(looked).toHaveLength(2);
    await clock.advance(500);
    expect(looked).toHaveLength(3);
  });

  it('has what only counts wait several rests for something that wakes sooner', async () => {
    const { looked, clock, ...source } = rig();
    const tell = async (type: 'added' | 'updated'): Promise<void> => {
      source.tell(type);
      await turns();
    };
    await tell('updated');
    await clock.advance(700);
    await tell('updated');
    expect(looked).toHaveLength(0);
    await clock.advance(300);
    await turns();
    expect(looked).toHaveLength(1);
    await tell('updated');
    await tell('added');
    await clock.advance(500);
    expect(looked).toHaveLength(2);
    await clock.advance(10_000);
    expect(looked).toHaveLength(2);
  });

  it('has what only counts wait until the status may be written that it would change', async () => {
    const { looked, tell, clock } = rig(true);
    const count = async (): Promise<void> => {
      tell('updated');
      await turns();
    };
    await count();
    await clock.advance(1_000);
    await turns();
    expect(looked).toHaveLength(1);
    // The first status is written at once, the next one 5 s later.
    for (let second = 0; second < 5; second += 1) {
      await count();
      await clock.advance(900);
      await turns();
    }
    expect(looked).toHaveLength(1);
    await clock.advance(1_000);
    await turns();
    expect(looked).toHaveLength(2);
  });

  it('has what is counted during a pass wait for the status that this pass holds back', async () => {
    const { looked, tell, clock } = rig(true, () => tell('updated'));
    tell('updated');
    await clock.advance(1_000);
    await turns();
    // What was counted meanwhile would change the status that has just been written: it is held back for 5 s.
    await clock.advance(4_900);
    await turns();
    expect(looked).toHaveLength(1);
    await clock.advance(200);
    await turns();
    expect(looked).toHaveLength(2);
  });
});
