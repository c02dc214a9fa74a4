import { controllerRevisions, isReady, keyOf } from '@atoll/kube';
import { storedOf, slotOf, type Store } from '../model/store.ts';
import { objectsOf } from '../world.ts';
import type { Move, Neighbour } from '../world.ts';
import {
  broken,
  generationOf,
  imageOf,
  isGoing,
  newestIn,
  podOf,
  readiness,
  revisionOf,
  smallDaemonSets,
  smallNodes,
  smallPods,
} from '../worlds/daemon-set-objects.ts';

/** Records templates, makes a pod where a node has none, not even one that is ending, and records what it has seen. */
export const daemonSetController: Neighbour = {
  name: 'daemon set controller',
  moves: (store) =>
    objectsOf(store, smallDaemonSets).flatMap((owner): readonly Move[] => {
      const { image } = owner.spec.template.spec;
      const newest = newestIn(store);
      if (newest === undefined || imageOf(newest) !== image)
        return [recordTemplate(store, image, newest?.revision ?? 0, generationOf(owner))];
      const { generation = 0 } = owner.metadata;
      const seen =
        owner.status?.observedGeneration === generation ? [] : [statusMove(store, owner, generation)];
      const there = new Set(objectsOf(store, smallPods).map(({ spec }) => spec.nodeName));
      const made = objectsOf(store, smallNodes)
        .filter((node) => isReady(node) && !there.has(node.metadata.name))
        .map(({ metadata: { name } }): Move => {
          const object = podOf(name, image, generationOf(owner));
          return {
            label: `makes a pod of ${image} on ${name}`,
            operation: { verb: 'create', resource: smallPods, object },
          };
        });
      return [...seen, ...made];
    }),
};

function recordTemplate(store: Store, image: string, newest: number, templateGeneration: string): Move {
  const object = revisionOf(image, newest + 1, templateGeneration);
  if (store.objects.has(slotOf(controllerRevisions, keyOf(object)))) {
    const patch = { type: 'merge', body: { revision: newest + 1 } } as const;
    const operation = { verb: 'patch', resource: controllerRevisions, key: keyOf(object), patch } as const;
    return { label: `makes revision ${image} the newest again`, operation };
  }
  return {
    label: `records revision ${image}`,
    operation: { verb: 'create', resource: controllerRevisions, object },
  };
}

function statusMove(
  store: Store,
  owner: { readonly metadata: { readonly name: string } },
  generation: number,
): Move {
  const held = store.objects.get(slotOf(smallDaemonSets, { namespace: 'edge', name: owner.metadata.name }));
  if (held === undefined) throw new Error('no DaemonSet');
  const stored = storedOf(held);
  const status = { ...(stored as { readonly status?: object }).status, observedGeneration: generation };
  const object = { ...stored, status } as typeof stored;
  return {
    label: `has seen generation ${generation}`,
    operation: { verb: 'update', resource: smallDaemonSets, object, subresource: 'status' },
  };
}

/** Ends pods that are to end, and starts the others; not on a node that is away. */
export const kubelets: Neighbour = {
  name: 'kubelets',
  moves: (store) => {
    const ready = new Set(
      objectsOf(store, smallNodes)
        .filter(isReady)
        .map(({ metadata }) => metadata.name),
    );
    return objectsOf(store, smallPods)
      .filter(({ spec }) => ready.has(spec.nodeName))
      .flatMap((pod): readonly Move[] => {
        const { name, uid = '' } = pod.metadata;
        if (isGoing(pod)) {
          const operation = { verb: 'delete-now', resource: smallPods, key: keyOf(pod), uid } as const;
          return [{ label: `ends pod ${name}`, operation }];
        }
        if (isReady(pod) || imageOf(pod) === broken) return [];
        return [podStatus(store, pod.metadata.name)];
      });
  },
};

function podStatus(store: Store, name: string): Move {
  const held = store.objects.get(slotOf(smallPods, { namespace: 'edge', name }));
  if (held === undefined) throw new Error(`no pod ${name}`);
  const stored = storedOf(held) as ReturnType<typeof storedOf> & { readonly status?: object };
  const status = { ...stored.status, phase: 'Running', ...readiness('True').status };
  const object = { ...stored, status } as typeof stored;
  return {
    label: `starts pod ${name}`,
    operation: { verb: 'update', resource: smallPods, object, subresource: 'status' },
  };
}
