import type { KubeObject, Resource, Stored } from '@atoll/kube';
import { keyOf } from '@atoll/kube';
import { slotOf, storedOf } from '../model/store.ts';
import type { Store } from '../model/store.ts';
import { mergePatch } from '../model/patches.ts';
import type { Json } from '../model/json.ts';
import { objectsOf } from '../world.ts';
import type { Move, Neighbour } from '../world.ts';

/** Somebody who may merge-patch an object, once for each unit of a budget. */
export function edits<T extends KubeObject>(
  budget: string,
  resource: Resource<T>,
  changes: (object: T) => readonly { readonly label: string; readonly patch: object }[],
): Neighbour {
  return {
    name: budget,
    spends: budget,
    moves: (store) =>
      objectsOf(store, resource).flatMap((object) =>
        changes(object).map(({ label, patch }) => ({
          label,
          operation: {
            verb: 'patch',
            resource,
            key: keyOf(object),
            patch: { type: 'merge', body: withUid(object, patch) },
          },
        })),
      ),
  };
}

/** Somebody who deletes objects, in the background as kubectl does, in the foreground, or without their dependents. */
export function deletes<T extends KubeObject>(
  budget: string,
  resource: Resource<T>,
  which: (object: T) => boolean = () => true,
  propagationPolicy: 'Background' | 'Foreground' | 'Orphan' = 'Background',
): Neighbour {
  return {
    name: budget,
    spends: budget,
    moves: (store) =>
      objectsOf(store, resource)
        .filter((object) => object.metadata.deletionTimestamp === undefined && which(object))
        .map((object) => ({
          label: `deletes ${resource.kind} ${object.metadata.name}`,
          operation: {
            verb: 'delete',
            resource,
            key: keyOf(object),
            options: { uid: object.metadata.uid ?? '', propagationPolicy },
          },
        })),
  };
}

/** Somebody who creates an object that is not there. */
export function creates<T extends KubeObject>(
  budget: string,
  resource: Resource<T>,
  objects: readonly T[],
): Neighbour {
  return {
    name: budget,
    spends: budget,
    moves: (store) =>
      objects
        .filter((object) => !store.objects.has(slotOf(resource, keyOf(object))))
        .map((object) => ({
          label: `creates ${resource.kind} ${object.metadata.name}`,
          operation: { verb: 'create', resource, object },
        })),
  };
}

/** A controller of the cluster that brings an object's status up to date, sooner or later. */
export function statusFollows<T extends KubeObject>(
  name: string,
  resource: Resource<T>,
  next: (object: T) => { readonly label: string; readonly status: object } | undefined,
): Neighbour {
  return {
    name,
    moves: (store) =>
      objectsOf(store, resource).flatMap((object): readonly Move[] => {
        const found = next(object);
        if (found === undefined) return [];
        const stored = storedIn(store, resource, object);
        const changed = mergePatch(stored as unknown as Json, { status: found.status as Json });
        return [
          {
            label: found.label,
            operation: {
              verb: 'update',
              resource,
              object: changed as unknown as KubeObject,
              subresource: 'status',
            },
          },
        ];
      }),
  };
}

function storedIn<T extends KubeObject>(store: Store, resource: Resource<T>, object: T): Stored<KubeObject> {
  const held = store.objects.get(slotOf(resource, keyOf(object)));
  if (held === undefined) throw new Error(`no ${resource.kind} ${object.metadata.name}`);
  return storedOf(held);
}

function withUid(object: KubeObject, patch: object): object {
  const metadata = (patch as { readonly metadata?: object }).metadata;
  return { ...patch, metadata: { ...metadata, uid: object.metadata.uid } };
}
