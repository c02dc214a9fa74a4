import { keyOf, nodes, pods } from '@atoll/kube';
import type { KubeObject, Pod } from '@atoll/kube';
import { sameJson } from '../../src/engine/same-meaning.ts';
import { slotOf, storedOf } from '../model/store.ts';
import type { Store } from '../model/store.ts';
import { objectsOf } from '../world.ts';
import type { Move, Neighbour } from '../world.ts';
import {
  imageIn,
  isGoing,
  isReady,
  nodeOfPod,
  podStatusOf,
} from '../worlds/extended-daemon-set/extended-daemon-set-objects.ts';

/** The scheduler and the kubelets of pods that are made for one node each: bind, start and end them; not on a node that is away. */
export const podsOfNodes: Neighbour = {
  name: 'kubelets',
  moves: (store) => {
    const ready = new Set(
      objectsOf(store, nodes)
        .filter(isReady)
        .map(({ metadata }) => metadata.name),
    );
    return objectsOf(store, pods)
      .filter((pod) => ready.has(nodeOfPod(pod)))
      .flatMap((pod) => moveOf(store, pod));
  },
};

function moveOf(store: Store, pod: Pod): readonly Move[] {
  const { name, uid = '' } = pod.metadata;
  if (isGoing(pod)) {
    const operation = { verb: 'delete-now', resource: pods, key: keyOf(pod), uid } as const;
    return [{ label: `ends pod ${name}`, operation }];
  }
  const held = store.objects.get(slotOf(pods, keyOf(pod)));
  if (held === undefined) return [];
  const stored = storedOf(held) as KubeObject;
  if (pod.spec?.nodeName === undefined) {
    const object = { ...stored, spec: { ...pod.spec, nodeName: nodeOfPod(pod) } } as KubeObject;
    return [{ label: `binds pod ${name}`, operation: { verb: 'update', resource: pods, object } }];
  }
  const status = podStatusOf(imageIn(pod));
  if (sameJson(pod.status, status)) return [];
  const object = { ...stored, status } as KubeObject;
  return [
    {
      label: `starts pod ${name}`,
      operation: { verb: 'update', resource: pods, object, subresource: 'status' },
    },
  ];
}
