import type { KubeObject } from '@atoll/kube';
import { ModelCache } from '../model/caches.ts';
import { edits } from '../neighbours/people.ts';
import { createOneAtATimeController } from '../examples/one-at-a-time.ts';
import type { Replacing } from '../examples/one-at-a-time.ts';
import { children, poolOf, spreads } from '../examples/one-child-per-pool.ts';
import type { Child } from '../examples/one-child-per-pool.ts';
import { emptyStore, seed } from '../model/store.ts';
import type { Store } from '../model/store.ts';
import { objectsOf } from '../world.ts';
import type { Neighbour, Process, World } from '../world.ts';
import { fromOptions, stamp } from './world-options.ts';
import type { WorldOptions } from './world-options.ts';

const pools = ['a', 'b'];

/** Two children, of which one may be missing at a time; somebody makes what is missing anew. */
export function oneAtATimeWorld(options: WorldOptions): World {
  const web: Replacing = {
    metadata: { name: 'web', namespace: 'edge' },
    spec: { version: 1, order: pools },
  };
  let begin = seed(emptyStore, spreads, web, 'uid-web', stamp);
  for (const pool of pools) begin = seed(begin, children, childOf(pool, 1), `uid-${pool}`, stamp);
  return {
    ...fromOptions(options),
    build: (shown) => {
      const readers = { spreads: new ModelCache(spreads, shown), children: new ModelCache(children, shown) };
      const caches = [readers.spreads, readers.children] as unknown as Process['caches'];
      return { controller: createOneAtATimeController(readers) as Process['controller'], caches };
    },
    begin,
    keys: ['edge/web'],
    neighbours: [maker, edits('edit', spreads, (spread) => [nextVersion(spread as Replacing)])],
    wrongEffect: ({ after }) => {
      const down = missingFrom(after);
      return down.length > 1 ? `${down.join(' and ')} are down at once` : undefined;
    },
    missing: (store) => {
      const version = objectsOf(store, spreads)[0]?.spec.version;
      const current = objectsOf(store, children).filter((child) => child.spec.version === version);
      return current.length === pools.length ? undefined : `not all are of version ${version}`;
    },
  };
}

/** What the native controller does: a child where none is, of the version that is wanted. */
const maker: Neighbour = {
  name: 'maker',
  moves: (store) => {
    const version = objectsOf(store, spreads)[0]?.spec.version ?? 0;
    return missingFrom(store).map((pool) => ({
      label: `makes the child of ${pool}`,
      operation: { verb: 'create', resource: children, object: childOf(pool, version) },
    }));
  },
};

/** The next version goes the other way round. */
function nextVersion({ spec }: Replacing) {
  const next = { version: spec.version + 1, order: [...spec.order].reverse() };
  return { label: `sets version ${next.version}, ${next.order.join(' before ')}`, patch: { spec: next } };
}

function childOf(pool: string, version: number): Child {
  const owner = {
    apiVersion: 'example.test/v1',
    kind: 'Spread',
    name: 'web',
    uid: 'uid-web',
    controller: true,
  };
  const child: Child & KubeObject = {
    metadata: { name: `web-${pool}`, namespace: 'edge', labels: { pool }, ownerReferences: [owner] },
    spec: { version },
  };
  return child;
}

function missingFrom(store: Store): readonly string[] {
  const there = objectsOf(store, children).map(poolOf);
  return pools.filter((pool) => !there.includes(pool));
}
