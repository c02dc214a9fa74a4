import { describe, expect, it } from 'vitest';
import type { CacheEvent } from '../cache/reader.ts';
import type { Informer, InformerListener } from '../informer/informer.ts';
import { formatKey, parseKey, type KubeObject, type Stored } from '../objects/object.ts';
import { controllerReference } from '../objects/owner-references.ts';
import { deployments, replicaSets } from '../objects/resources.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { createController, owned, source, type ControllerOptions } from './create-controller.ts';

/** An informer that has what it is given. */
class ScriptedInformer {
  readonly synced = Promise.resolve();
  readonly objects = new Map<string, Stored<KubeObject>>();
  readonly listeners = new Set<InformerListener<KubeObject>>();
  readonly cache = { get: (key: { name: string }) => this.objects.get(formatKey(key)) };

  subscribe(listener: InformerListener<KubeObject>): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  emit(...events: readonly CacheEvent<KubeObject>[]): void {
    for (const { type, object } of events) {
      if (type === 'deleted') this.objects.delete(formatKey(object.metadata));
      else this.objects.set(formatKey(object.metadata), object);
    }
    for (const listener of this.listeners) listener(events);
  }
}

function object(key: string, owner?: string): Stored<KubeObject> {
  const metadata = { ...parseKey(key), uid: `uid ${key}`, resourceVersion: '1', creationTimestamp: '' };
  if (owner === undefined) return { metadata };
  return { metadata: { ...metadata, ownerReferences: [controllerReference(deployments, object(owner))] } };
}

function rig(more: (children: ScriptedInformer) => Partial<ControllerOptions<KubeObject>> = () => ({})) {
  const [own, children, clock] = [new ScriptedInformer(), new ScriptedInformer(), new FakeClock()];
  const seen: string[] = [];
  const controller = createController({
    name: 'webs',
    informer: own as unknown as Informer<KubeObject>,
    sources: [owned(children as unknown as Informer<KubeObject>, deployments)],
    reconcile: ({ metadata }) => void seen.push(formatKey(metadata)),
    gone: (key) => void seen.push(`${key} is gone`),
    clock,
    ...more(children),
  });
  const ending = new AbortController();
  const ended = controller.run(ending.signal);
  return { own, children, clock, seen, controller, ending, ended };
}

describe('a controller', () => {
  it('reconciles what changes, what controls a child that changes, and reports what is gone', async () => {
    const { own, children, clock, seen, ending, ended } = rig();
    own.emit({ type: 'added', object: object('n/a') }, { type: 'added', object: object('n/b') });
    await clock.advance(1000);
    children.emit(
      { type: 'added', object: object('n/a-1', 'n/a') },
      { type: 'added', object: object('n/free') },
    );
    await clock.advance(1000);
    own.emit({ type: 'deleted', object: object('n/b') });
    await clock.advance(1000);
    expect(seen).toEqual(['n/a', 'n/b', 'n/a', 'n/b is gone']);
    ending.abort();
    await ended;
    expect([own.listeners.size, children.listeners.size]).toEqual([0, 0]);
  });

  it('reconciles the old and the new controller of a child that changes hands', async () => {
    const { own, children, clock, seen } = rig();
    own.emit({ type: 'added', object: object('n/a') }, { type: 'added', object: object('n/b') });
    await clock.advance(1000);
    children.emit({ type: 'updated', old: object('n/c', 'n/a'), object: object('n/c', 'n/b') });
    await clock.advance(1000);
    expect(seen.slice(2)).toEqual(['n/a', 'n/b']);
  });

  it('repeats a reconcile that fails, and one that asks for it', async () => {
    const results: (() => object | undefined)[] = [
      () => {
        throw new Error('not now');
      },
      () => ({ requeueAfter: 5000 }),
      () => undefined,
    ];
    let runs = 0;
    const { own, clock } = rig(() => ({ reconcile: () => results[runs++]?.() }));
    own.emit({ type: 'added', object: object('n/a') });
    await clock.advance(1000);
    expect(runs).toBe(2);
    await clock.advance(5000);
    expect(runs).toBe(3);
  });

  it('names what it works on, as a manager asks that waits for its end', async () => {
    const open = Promise.withResolvers<void>();
    const { own, clock, controller, ending, ended } = rig(() => ({ reconcile: async () => open.promise }));
    expect(controller.underWay?.()).toEqual([]);
    own.emit({ type: 'added', object: object('n/a') }, { type: 'added', object: object('n/b') });
    await clock.advance(1000);
    ending.abort();
    await clock.advance(1000);
    expect(controller.underWay?.()).toEqual(['n/a']);
    open.resolve();
    await ended;
    expect(controller.underWay?.()).toEqual([]);
  });

  it('loses no event behind one that its source cannot map', async () => {
    const { own, children, clock, seen } = rig((informer) => ({
      sources: [
        source(informer as unknown as Informer<KubeObject>, ({ metadata: { name } }) => {
          if (name === 'odd') throw new Error('odd');
          return ['n/a'];
        }),
      ],
    }));
    own.emit({ type: 'added', object: object('n/a') });
    await clock.advance(1000);
    const events = ['odd', 'x'].map((name) => ({ type: 'added' as const, object: object(`n/${name}`) }));
    expect(() => children.emit(...events)).toThrow('a source failed');
    await clock.advance(1000);
    expect(seen).toEqual(['n/a', 'n/a']);
  });

  it('reconciles what an object concerns now whose version before its source cannot map', async () => {
    const { own, children, clock, seen } = rig((informer) => ({
      sources: [
        source(informer as unknown as Informer<KubeObject>, ({ metadata: { labels } }) => {
          if (labels === undefined) throw new Error('odd');
          return [`n/${labels['of']}`];
        }),
      ],
    }));
    own.emit({ type: 'added', object: object('n/a') });
    await clock.advance(1000);
    const [old, { metadata }] = [object('n/x'), object('n/x')];
    const mended = { metadata: { ...metadata, labels: { of: 'a' } } };
    expect(() => children.emit({ type: 'updated', old, object: mended })).toThrow('a source failed');
    await clock.advance(1000);
    expect(seen).toEqual(['n/a', 'n/a']);
  });
});

it.each([0, -1, 1.5, Number.NaN])(
  'a controller with %d workers is refused: it would reconcile nothing',
  (workers) => {
    const message = `workers of controller webs: ${workers} is no whole number of at least 1`;
    expect(() => rig(() => ({ workers }))).toThrow(new RangeError(message));
  },
);

it('a child of another kind, or of another group, concerns nobody', () => {
  const children = new ScriptedInformer();
  const keys: string[] = [];
  const informer = children as unknown as Informer<KubeObject>;
  owned(informer, replicaSets).subscribe((all) => keys.push(...all));
  owned(informer, { ...deployments, group: 'example.dev' }).subscribe((all) => keys.push(...all));
  owned(informer, { ...deployments, namespaced: false }).subscribe((all) => keys.push(...all));
  children.emit({ type: 'added', object: object('n/c', 'n/a') });
  expect(keys).toEqual(['a']);
});
