import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ObjectCache } from './cache.ts';
import { projection } from '../decoder/projection.ts';
import { formatKey, keyOf, type KubeObject, type Stored } from '../objects/object.ts';
import type { Resource } from '../objects/resource.ts';
import { SortedView } from './sorted-view.ts';

interface Pod extends KubeObject {
  readonly spec?: { readonly nodeName?: string; readonly hostname?: string };
}

const pods: Resource<Pod> = { group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true };
const byNode = (pod: Stored<Pod>): readonly string[] =>
  pod.spec?.nodeName === undefined ? [] : [pod.spec.nodeName];

function pod(name: string, version: number, nodeName?: string, uid = `uid-${name}`): Stored<Pod> {
  const metadata = {
    namespace: 'n',
    name,
    uid,
    resourceVersion: String(version),
    creationTimestamp: '2026-11-01T10:00:00Z',
  };
  return Object.freeze({ metadata, spec: nodeName === undefined ? {} : { nodeName } });
}

function names(objects: readonly Stored<Pod>[]): string[] {
  return objects.map((object) => object.metadata.name);
}

describe('a cache', () => {
  test('is synced by its first list and lists by key, whatever the order of arrival', () => {
    const cache = new ObjectCache({ resource: pods });
    expect(cache.synced).toBe(false);
    cache.replace([pod('c', 3), pod('a', 1)], '3');
    cache.apply({ type: 'ADDED', object: pod('b', 4) });
    expect(cache.synced).toBe(true);
    expect(names(cache.list())).toEqual(['a', 'b', 'c']);
    expect(cache.get({ namespace: 'n', name: 'b' })?.metadata.resourceVersion).toBe('4');
  });

  test('yields the same frozen list until something changes', () => {
    const cache = new ObjectCache({ resource: pods, indexers: { node: byNode } });
    cache.replace([pod('a', 1, 'x'), pod('b', 2, 'y')], '2');
    const [all, onX] = [cache.list(), cache.by('node', 'x')];
    expect(cache.list()).toBe(all);
    expect(Object.isFrozen(all)).toBe(true);
    cache.apply({ type: 'MODIFIED', object: pod('b', 3, 'y') });
    expect(cache.list()).not.toBe(all);
    expect(cache.by('node', 'x')).toBe(onX);
  });

  test('refuses an index that nobody declared and names those that are there', () => {
    const cache = new ObjectCache({ resource: pods, indexers: { node: byNode } });
    expect(() => cache.by('owner', 'u')).toThrow('the cache of pods has no index owner; it has: node');
    expect(cache.by('node', 'nobody')).toEqual([]);
  });

  test('reports what an answer has brought as an echo, and of nothing else', () => {
    const cache = new ObjectCache({ resource: pods });
    cache.replace([pod('a', 1)], '1');
    cache.wrote(pod('a', 3, 'x'));
    cache.wrote(pod('b', 4));
    const echoes = [pod('a', 2, 'y'), pod('a', 3, 'x'), pod('b', 4), pod('a', 5), pod('a', 6)].map((object) =>
      cache.apply({ type: 'MODIFIED', object }).map((event) => 'echo' in event),
    );
    expect(echoes).toEqual([[], [true], [true], [false], [false]]);
  });

  test('says of an event that it skips what readers have seen since the last, and only of that', () => {
    const cache = new ObjectCache({ resource: pods });
    cache.replace([pod('a', 1), pod('b', 2)], '2');
    const skips = (...objects: readonly Stored<Pod>[]) =>
      objects.map((object) => cache.apply({ type: 'MODIFIED', object }).map((event) => 'skips' in event));
    cache.wrote(pod('a', 3, 'x'));
    cache.wrote(pod('a', 4));
    cache.wrote(pod('b', 6, 'x'));
    expect(skips(pod('a', 3, 'x'), pod('a', 4), pod('b', 5), pod('b', 6, 'x'))).toEqual([
      [],
      [true],
      [],
      [false],
    ]);
    cache.wrote(pod('a', 7, 'x'));
    expect(skips(pod('a', 7, 'x'))).toEqual([[false]]);
    cache.wrote(pod('a', 8));
    expect(skips(pod('a', 8))).toEqual([[false]]);
    // What is gone leaves nothing to the next of its name.
    cache.wrote(pod('a', 9));
    cache.wrote(pod('a', 10));
    cache.apply({ type: 'DELETED', object: pod('a', 11) });
    expect(skips(pod('a', 12, 'x', 'second'), pod('a', 13, 'y', 'second'))).toEqual([[false], [false]]);
  });

  test('reads the answers of own writes itself: what is held, and what is known as the same object', () => {
    const cache = new ObjectCache({ resource: pods, projection: projection<Pod>()('spec') });
    cache.replace([], '1');
    const answer = (version: number, more: object = {}): Buffer =>
      Buffer.from(
        `${JSON.stringify({ ...pod('a', version, 'x'), status: { phase: 'Running' }, ...more })}\n`,
      );
    cache.wrote(cache.decode(answer(2)));
    const first = cache.get({ namespace: 'n', name: 'a' });
    expect(first).toEqual({ apiVersion: 'v1', kind: 'Pod', ...pod('a', 2, 'x') });
    expect(Object.isFrozen(first?.spec)).toBe(true);
    cache.wrote(cache.decode(answer(3)));
    const second = cache.get({ namespace: 'n', name: 'a' });
    expect(second?.metadata.resourceVersion).toBe('3');
    expect(second?.spec).toBe(first?.spec);
    expect(() => cache.decode(Buffer.from('hello'))).toThrow('not JSON');
    expect(() => cache.decode(Buffer.from('{"kind":"Status"}'))).toThrow('without metadata.name');
  });

  test('awaits the event of an own write until it comes, or a list that has it', () => {
    const cache = new ObjectCache({ resource: pods });
    cache.replace([pod('a', 1), pod('b', 2)], '2');
    cache.wrote(pod('a', 3, 'x'));
    cache.wrote(pod('b', 4, 'x'));
    cache.wrote(pod('b', 2));
    expect([...cache.awaited.keys()]).toEqual(['3', '4']);
    expect(cache.awaited.get('3')).toBe(cache.get({ namespace: 'n', name: 'a' }));
    cache.apply({ type: 'MODIFIED', object: pod('a', 3, 'x') });
    expect([...cache.awaited.keys()]).toEqual(['4']);
    cache.replace([pod('a', 3, 'x'), pod('b', 4, 'x')], '4');
    expect(cache.awaited.size).toBe(0);
  });

  test('cuts the responses of own writes to the projection and freezes them', () => {
    const cache = new ObjectCache({ resource: pods, projection: projection<Pod>()('spec.nodeName') });
    const written = { ...pod('a', 5), spec: { nodeName: 'x', hostname: 'h' } };
    cache.wrote(written);
    expect(cache.list()[0]?.spec).toEqual({ nodeName: 'x' });
    expect(Object.isFrozen(cache.list()[0]?.spec)).toBe(true);
    expect(written.spec.hostname).toBe('h');
  });

  test('does not take in what its stream would not carry, and waits for the stream to take out what left it', () => {
    const cache = new ObjectCache({ resource: pods, matches: (object) => object.spec?.nodeName === 'x' });
    cache.replace([pod('a', 1, 'x')], '1');
    cache.wrote(pod('b', 2, 'y'));
    cache.wrote(pod('a', 3, 'y'));
    expect(names(cache.list())).toEqual(['a']);
    expect(cache.apply({ type: 'DELETED', object: pod('a', 3, 'y') })).toMatchObject([{ type: 'deleted' }]);
    expect(cache.list()).toEqual([]);
  });

  test('keeps an object that left the selector and came back by an own write', () => {
    const cache = new ObjectCache({ resource: pods, matches: (object) => object.spec?.nodeName === 'x' });
    cache.replace([pod('a', 1, 'x')], '1');
    cache.wrote(pod('a', 3, 'x'));
    expect(cache.apply({ type: 'DELETED', object: pod('a', 2, 'y') })).toMatchObject([{ type: 'deleted' }]);
    expect(names(cache.list())).toEqual(['a']);
    expect(cache.apply({ type: 'ADDED', object: pod('a', 3, 'x') })).toMatchObject([{ type: 'added' }]);
  });

  test('believes a consistent list that is older than the stream: the store was set back', () => {
    const cache = new ObjectCache({ resource: pods, indexers: { node: byNode } });
    cache.replace([pod('a', 90, 'x'), pod('b', 91, 'x')], '100');
    expect(cache.replace([pod('a', 40, 'y')], '50', true)).toMatchObject([
      { type: 'deleted', object: { metadata: { name: 'a', resourceVersion: '90' } } },
      { type: 'deleted', object: { metadata: { name: 'b' } } },
      { type: 'added', object: { metadata: { name: 'a', resourceVersion: '40' } } },
    ]);
    expect([names(cache.by('node', 'x')), names(cache.by('node', 'y'))]).toEqual([[], ['a']]);
    expect(cache.apply({ type: 'ADDED', object: pod('c', 51) })).toHaveLength(1);
  });

  test('takes what comes where versions have no order', () => {
    const cache = new ObjectCache({ resource: pods });
    const opaque = (version: string): Stored<Pod> => ({
      metadata: { ...pod('a', 0).metadata, resourceVersion: version },
    });
    cache.replace([opaque('x9')], 'x9');
    expect(cache.apply({ type: 'MODIFIED', object: opaque('x1') })).toMatchObject([{ type: 'updated' }]);
    expect(cache.apply({ type: 'DELETED', object: opaque('x0') })).toMatchObject([{ type: 'deleted' }]);
    expect(cache.list()).toEqual([]);
  });

  test('reports a replaced object as deleted before its successor is added', () => {
    const cache = new ObjectCache({ resource: pods });
    cache.replace([pod('a', 1)], '1');
    expect(cache.replace([pod('a', 5, undefined, 'second')], '5')).toMatchObject([
      { type: 'deleted', object: { metadata: { uid: 'uid-a' } } },
      { type: 'added', object: { metadata: { uid: 'second' } } },
    ]);
  });

  test('keeps no tombstone for a deletion whose event was faster, and not many for objects it never held', () => {
    const cache = new ObjectCache({ resource: pods });
    cache.replace([pod('a', 1)], '1');
    cache.apply({ type: 'DELETED', object: pod('a', 2) });
    cache.wroteDeletion({ namespace: 'n', name: 'a' }, 'uid-a');
    expect(cache.tombstones).toBe(0);
    for (let i = 0; i < 3000; i++) cache.wroteDeletion({ namespace: 'n', name: `p${i}` }, `u${i}`);
    expect(cache.tombstones).toBe(1024);
  });

  test('files every object under its present values only, after any changes', () => {
    const change = fc.record({
      name: fc.constantFrom('a', 'b', 'c', 'd'),
      node: fc.constantFrom('x', 'y', undefined),
      gone: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(fc.tuple(change, fc.boolean()), { maxLength: 30 }), (changes) => {
        const cache = new ObjectCache({ resource: pods, indexers: { node: byNode, all: () => ['all'] } });
        cache.replace([], '0');
        const expected = new Map<string, Stored<Pod>>();
        for (const [at, [{ name, node, gone }, read]] of changes.entries()) {
          const object = pod(name, at + 1, node);
          cache.apply({ type: gone ? 'DELETED' : 'MODIFIED', object });
          if (gone) expected.delete(name);
          else expected.set(name, object);
          if (read) cache.by('node', 'x');
        }
        const sorted = [...expected.values()].toSorted((a, b) =>
          formatKey(keyOf(a)) < formatKey(keyOf(b)) ? -1 : 1,
        );
        expect(cache.list()).toEqual(sorted);
        expect(cache.by('all', 'all')).toEqual(sorted);
        for (const node of ['x', 'y']) {
          expect(cache.by('node', node)).toEqual(sorted.filter((object) => object.spec?.nodeName === node));
        }
      }),
    );
  });
});

describe('a sorted view', () => {
  test('reads as its members sorted by key, whenever it is read', () => {
    const step = fc.tuple(fc.constantFrom('set', 'delete', 'read'), fc.string({ maxLength: 2 }), fc.nat());
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const view = new SortedView<number>();
        const members = new Map<string, number>();
        const sorted = (): number[] =>
          [...members].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value);
        for (const [verb, key, value] of steps) {
          const read = verb === 'read' ? view.read() : sorted();
          expect(read).toEqual(sorted());
          if (verb === 'set') {
            view.set(key, value);
            members.set(key, value);
          } else if (verb === 'delete') {
            view.delete(key);
            members.delete(key);
          }
        }
        expect(view.read()).toEqual(sorted());
      }),
    );
  });

  test('stays right when nobody reads it through many changes', () => {
    const view = new SortedView<number>();
    for (let i = 0; i < 10_000; i++) {
      view.set(`k${i}`, i);
      view.delete(`k${i - 3}`);
    }
    expect(view.read()).toEqual([9997, 9998, 9999]);
  });
});
