import { controllerOf } from '@atoll/kube';
import type { ApiError, KubeObject, ObjectKey, Resource } from '@atoll/kube';
import { sameJson } from '../../src/engine/same-meaning.ts';
import { emptyStore, seed, slotOf } from '../model/store.ts';
import type { Operation } from '../model/api-server.ts';
import type { Store } from '../model/store.ts';
import { ModelCache } from '../model/caches.ts';
import type { Shown } from '../model/caches.ts';
import { foregroundDeletion } from '../neighbours/foreground-deletion.ts';
import { garbageCollector } from '../neighbours/garbage-collector.ts';
import { deletes, edits, statusFollows } from '../neighbours/people.ts';
import {
  childName,
  children,
  createSpreadController,
  pausedAnnotation,
  poolOf,
  pools,
  spreads,
} from '../examples/one-child-per-pool.ts';
import type { Child, Spread, SpreadBug } from '../examples/one-child-per-pool.ts';
import { objectsOf } from '../world.ts';
import type { Effect, Process, World } from '../world.ts';
import { forbidden, fromOptions, stamp } from './world-options.ts';
import type { WorldOptions } from './world-options.ts';

export interface SpreadWorldOptions extends WorldOptions {
  readonly pools?: readonly string[];
  readonly bug?: SpreadBug;
  /** The pool whose child is refused for ever. */
  readonly refused?: string;
  /** Turns the goal around: the checker must then find fault with a world in which nothing is wrong. */
  readonly negated?: boolean;
  /** The pool where a stranger holds the name of the child. */
  readonly taken?: string;
  /** The spread has no generation, as pods had none before Kubernetes 1.33: nothing but its deletionTimestamp shows that it goes. */
  readonly withoutGeneration?: true;
}

interface Memory {
  /** Pools that have ever been off. */
  readonly off: readonly string[];
  /** Version by generation. */
  readonly versions: Readonly<Record<string, number>>;
}

/** A spread over small pools: edits of its version, pools switched on and off, children deleted by another writer. */
export function spreadWorld(options: SpreadWorldOptions): World {
  const names = options.pools ?? ['a', 'b'];
  let begin = seed(
    emptyStore,
    spreads,
    { metadata: { name: 'web', namespace: 'edge' }, spec: { version: 1 } } as Spread,
    'uid-web',
    stamp,
  );
  if (options.withoutGeneration === true) begin = withoutGeneration(begin);
  for (const name of names) {
    begin = seed(
      begin,
      pools,
      { metadata: { name }, spec: { on: true } } as KubeObject,
      `uid-pool-${name}`,
      stamp,
    );
  }
  const { taken } = options;
  const refused = options.refused ?? taken;
  if (taken !== undefined) {
    const stranger: Child = {
      metadata: { name: childName('web', taken), namespace: 'edge' },
      spec: { version: 9 },
    };
    begin = seed(begin, children, stranger, 'uid-stranger', stamp);
  }
  return {
    ...fromOptions(options),
    build: (shown) => build(shown, options.bug),
    begin,
    keys: ['edge/web'],
    neighbours: [
      statusFollows('child controller', children, (child) =>
        controllerOf(child) !== undefined && child.status?.version !== child.spec.version
          ? {
              label: `child of ${poolOf(child)} runs version ${child.spec.version}`,
              status: { version: child.spec.version },
            }
          : undefined,
      ),
      garbageCollector([children]),
      foregroundDeletion(spreads, [children as Resource<KubeObject>]),
      deletes('remove in the foreground', spreads, () => true, 'Foreground'),
      edits('edit', spreads, ({ spec }) => [
        { label: `sets version ${spec.version + 1}`, patch: { spec: { version: spec.version + 1 } } },
      ]),
      edits('switch', pools, ({ metadata, spec }) => [
        {
          label: `switches pool ${metadata.name} ${spec.on ? 'off' : 'on'}`,
          patch: { spec: { on: !spec.on } },
        },
      ]),
      edits('pause', spreads, ({ metadata }) => [
        metadata.annotations?.[pausedAnnotation] === undefined
          ? { label: 'pauses', patch: { metadata: { annotations: { [pausedAnnotation]: 'yes' } } } }
          : { label: 'resumes', patch: { metadata: { annotations: { [pausedAnnotation]: null } } } },
      ]),
      deletes('other writer', children, (child) => controllerOf(child) !== undefined),
    ],
    memory: { begin: { off: [], versions: {} } satisfies Memory, next: remember },
    wrongEffect,
    wrongState: (store) => duplicates(store) ?? unsorted(store),
    missing: (store) => {
      const found = missingIn(store, refused);
      if (options.negated !== true) return found;
      return found === undefined ? 'the goal is negated' : undefined;
    },
    ...(options.refused === undefined
      ? {}
      : { refuse: (operation) => refuseChildOf(operation, options.refused) }),
    effort: taken === undefined,
  };
}

function withoutGeneration({ objects, version }: Store): Store {
  const bare = [...objects].map(([slot, { object, ...held }]) => {
    const { generation: _, ...metadata } = object.metadata;
    return [slot, { ...held, object: { ...object, metadata } }] as const;
  });
  return { objects: new Map(bare), version };
}

function build(shown: Shown, bug: SpreadBug | undefined): Process {
  const readers = {
    spreads: new ModelCache(spreads, shown),
    pools: new ModelCache(pools, shown),
    children: new ModelCache(children, shown, {
      owner: (child) => [controllerOf(child)?.uid].filter((uid) => uid !== undefined),
    }),
  };
  const caches = [readers.spreads, readers.pools, readers.children] as unknown as Process['caches'];
  return { controller: createSpreadController(readers, bug) as Process['controller'], caches };
}

function remember(memory: unknown, store: Store): Memory {
  const { off, versions } = memory as Memory;
  const offNow = objectsOf(store, pools)
    .filter((pool) => !pool.spec.on)
    .map((pool) => pool.metadata.name);
  const [web] = objectsOf(store, spreads);
  return {
    off: [...new Set([...off, ...offNow])].sort(),
    versions:
      web === undefined ? versions : { ...versions, [String(web.metadata.generation)]: web.spec.version },
  };
}

function wrongEffect(effect: Effect): string | undefined {
  const { request, memory } = effect;
  const { off, versions } = memory as Memory;
  const parent = effect.cached.known.get(slotOf(spreads, { namespace: 'edge', name: 'web' }));
  if (request.verb === 'create-by-apply' && !effect.late) {
    const [known, made] = [parent?.object, request.object].map((object) => (object as Child).spec.version);
    if (known !== made) return `a child is made of version ${made} although version ${known} is known`;
  }
  if (request.verb === 'delete') {
    if (!effect.late && parent?.object.metadata.annotations?.[pausedAnnotation] !== undefined) {
      return 'a child is deleted although the pause is known';
    }
    const pool = request.key.name.split('-')[1] ?? '';
    return off.includes(pool) ? undefined : `the child of pool ${pool} is deleted, which was never off`;
  }
  if (request.verb === 'apply') return goesBack(effect, request.object.metadata);
  if (request.verb === 'patch' && request.subresource === 'status') {
    const [web] = objectsOf(effect.after, spreads);
    const status = web?.status;
    // Without generations it is open which version a status describes.
    const isNumbered = web?.metadata.generation !== undefined;
    if (
      status !== undefined &&
      isNumbered &&
      versions[String(status.observedGeneration)] !== status.version
    ) {
      return `the status has generation ${status.observedGeneration} and describes version ${status.version}`;
    }
  }
  return undefined;
}

/** Versions only grow. */
function goesBack({ before, after }: Effect, key: ObjectKey): string | undefined {
  const slot = slotOf(children, key);
  const [held, next] = [before, after].map((store) => store.objects.get(slot)?.object as Child | undefined);
  if (held === undefined || next === undefined || next.spec.version >= held.spec.version) return undefined;
  return `${key.name} goes back from version ${held.spec.version} to ${next.spec.version}`;
}

function duplicates(store: Store): string | undefined {
  const seen = new Set<string>();
  for (const child of objectsOf(store, children)) {
    const id = `${controllerOf(child)?.uid} ${poolOf(child)}`;
    if (seen.has(id)) return `two children in pool ${poolOf(child)}`;
    seen.add(id);
  }
  return undefined;
}

function unsorted(store: Store): string | undefined {
  const names = objectsOf(store, spreads)[0]?.status?.pools ?? [];
  return names.join() === [...names].sort().join()
    ? undefined
    : `status.pools is not sorted: ${names.join(', ')}`;
}

function missingIn(store: Store, refused: string | undefined): string | undefined {
  const [web] = objectsOf(store, spreads);
  if (web === undefined) return undefined;
  const on = objectsOf(store, pools)
    .filter((pool) => pool.spec.on)
    .map((pool) => pool.metadata.name);
  const wanted = on.filter((name) => name !== refused).sort();
  if (web.metadata.annotations?.[pausedAnnotation] !== undefined) return undefined;
  const stranger = objectsOf(store, children).find((child) => controllerOf(child) === undefined);
  if (stranger !== undefined && stranger.spec.version !== 9) return 'the stranger was changed';
  const own = objectsOf(store, children).filter((child) => controllerOf(child)?.uid === web.metadata.uid);
  const current = own.filter(
    (child) => child.spec.version === web.spec.version && child.status?.version === web.spec.version,
  );
  const have = current.map(poolOf).sort();
  if (have.join() !== wanted.join() || own.length !== wanted.length) {
    return `pools ${wanted.join(', ')} want version ${web.spec.version}; there are ${own.map((child: Child) => `${poolOf(child)}@${child.spec.version}`).join(', ') || 'none'}`;
  }
  const expected = {
    observedGeneration: web.metadata.generation ?? 0,
    version: web.spec.version,
    pools: wanted,
    ready: wanted.length,
    refused: refused !== undefined && on.includes(refused) ? [refused] : [],
  };
  const actual = web.status;
  return sameJson(actual, expected)
    ? undefined
    : `the status should be ${JSON.stringify(expected)} and is ${JSON.stringify(actual)}`;
}

function refuseChildOf(operation: Operation, pool: string | undefined): ApiError | undefined {
  if (!operation.verb.startsWith('create') || !('object' in operation)) return undefined;
  if (operation.object.metadata.labels?.['pool'] !== pool) return undefined;
  return forbidden(`create child of ${pool}`, `exceeded quota: no child in ${pool}`);
}
