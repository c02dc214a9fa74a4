import { isReady, keyOf, nodes, pods } from '@atoll/kube';
import type { KubeObject, Pod } from '@atoll/kube';
import { sameJson } from '../../src/engine/same-meaning.ts';
import { slotOf, storedOf } from '../model/store.ts';
import type { Store } from '../model/store.ts';
import { objectsOf } from '../world.ts';
import type { Move, Neighbour } from '../world.ts';
import {
  imageIn,
  isGoing,
  nodeOfPod,
  podStatusOf,
} from '../worlds/extended-daemon-set/extended-daemon-set-objects.ts';

/** An image for each of some nodes. */
type ImageByNode = Readonly<Record<string, string>>;

/** The scheduler and the kubelets of pods that are made for one node each: bind, start and end them; not on a node that is away. */
export const podsOfNodes: Neighbour = podsOfNodesBut({});

/** The same, and a node that is named here never gets the image: its pods of it are not started. */
export function podsOfNodesBut(withoutImage: ImageByNode): Neighbour {
  return { name: 'kubelets', moves: (store) => movesIn(store, withoutImage) };
}

function movesIn(store: Store, withoutImage: ImageByNode): readonly Move[] {
  const ready = new Set(
    objectsOf(store, nodes)
      .filter(isReady)
      .map(({ metadata }) => metadata.name),
  );
  return objectsOf(store, pods)
    .filter((pod) => ready.has(nodeOfPod(pod)))
    .flatMap((pod) => moveOf(store, pod, withoutImage[nodeOfPod(pod)] !== imageIn(pod)));
}

function moveOf(store: Store, pod: Pod, starts: boolean): readonly Move[] {
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
  if (!starts || sameJson(pod.status, status)) return [];
  const object = { ...stored, status } as KubeObject;
  return [
    {
      label: `starts pod ${name}`,
      operation: { verb: 'update', resource: pods, object, subresource: 'status' },
    },
  ];
}
