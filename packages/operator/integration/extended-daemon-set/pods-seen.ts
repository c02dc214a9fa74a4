import { extendedDaemonSetLabels as labels } from '@atoll/api';
import { createInformer, pods, type Pod, type Stored, type StreamingClient } from '@atoll/kube';
import { nodeOf } from '../../src/children/pods/placement/node-of-pod.ts';
import { isServing } from './node-gaps.ts';

/** What happened to the pods of all ExtendedDaemonSets, as a watch shows it. */
export interface PodsSeen {
  /** Names of pods on one node at the same time that are of the same object, one text for each time. */
  readonly doubles: readonly string[];
  /** The most nodes of the object without a Ready pod at a time, since this was called the last time. */
  mostWithout(name: string): number;
}

/** From when every node is seen; `nodeCount`: of each object. */
export async function watchPods(
  client: StreamingClient,
  nodeCount: number,
  signal: AbortSignal,
): Promise<PodsSeen> {
  const found = new Map<string, Stored<Pod>>();
  const doubles = new Set<string>();
  const most = new Map<string, number>();
  const informer = createInformer({ client, resource: pods, labelSelector: labels.name, indexers: {} });
  const ofObject = (name: string): readonly Stored<Pod>[] =>
    [...found.values()].filter(({ metadata }) => metadata.labels?.[labels.name] === name);
  const without = (name: string): number =>
    nodeCount -
    new Set(
      ofObject(name)
        .filter(isServing)
        .map(({ spec }) => spec?.nodeName),
    ).size;
  informer.subscribe((events) => {
    for (const { type, object } of events) {
      const { uid } = object.metadata;
      if (type === 'deleted') found.delete(uid);
      else found.set(uid, object);
      const name = object.metadata.labels?.[labels.name] ?? '';
      for (const [node, all] of Map.groupBy(ofObject(name), nodeOf))
        if (all.length > 1) doubles.add(`${node}: ${all.map((pod) => pod.metadata.name).join(', ')}`);
      most.set(name, Math.max(most.get(name) ?? 0, without(name)));
    }
  });
  void informer.start(signal);
  await informer.synced;
  return {
    get doubles() {
      return [...doubles];
    },
    mostWithout: (name) => {
      const worst = most.get(name) ?? 0;
      most.set(name, without(name));
      return worst;
    },
  };
}
