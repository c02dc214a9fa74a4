import type { CacheDeclaration, KubeObject } from '@atoll/kube';
import { caches } from '../src/caches.ts';
import type { CacheName, Readers } from '../src/caches.ts';
import type { Controller } from '../src/engine/controller.ts';
import { ModelCache } from './model/caches.ts';
import type { Shown } from './model/caches.ts';
import type { Process } from './world.ts';

/** A shipped controller over model caches, declared as the operator declares its own. */
export function processOf<Snapshot>(
  shown: Shown,
  reads: readonly CacheName[],
  create: (readers: Readers) => Controller<Snapshot>,
  declared: Readonly<Partial<Record<CacheName, CacheDeclaration<KubeObject>>>> = {},
): Process {
  const made = new Map<string, ModelCache<KubeObject>>();
  for (const name of reads) {
    const { resource, indexers, projection } =
      declared[name] ?? (caches[name] as unknown as CacheDeclaration<KubeObject>);
    made.set(name, new ModelCache(resource, shown, indexers, projection));
  }
  const controller = create(Object.fromEntries(made) as unknown as Readers);
  // Snapshots never leave their controller: what runs it hands each back to it.
  return { controller: controller as unknown as Controller<unknown>, caches: [...made.values()] };
}
