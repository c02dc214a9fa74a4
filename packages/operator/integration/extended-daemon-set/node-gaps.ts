import { createInformer, pods, type Pod, type Stored, type StreamingClient } from '@atoll/kube';

interface Stay {
  node: string | undefined;
  readonly createdAt: number;
  isServing: boolean;
  goneAt: number | undefined;
}

/** For how long, and how many at once, nodes are without a pod. */
export interface NodeGaps {
  /** From now on. */
  watch(): void;
  /** Milliseconds from when a node's pod is gone until the next one is made; its own start comes on top. The longest. */
  readonly longestMs: () => number;
  /** The most nodes without a Ready pod at any moment. */
  readonly mostWithout: () => number;
}

/** Watches the pods of these labels, of which each node is to have one. */
export async function watchNodeGaps(
  client: StreamingClient,
  labelSelector: string,
  nodeCount: number,
  signal: AbortSignal,
): Promise<NodeGaps> {
  const stays = new Map<string, Stay>();
  let since = Infinity;
  let most = 0;
  const informer = createInformer({
    client,
    resource: pods,
    namespace: 'default',
    labelSelector,
    indexers: {},
  });
  informer.subscribe((events) => {
    for (const { type, object } of events) {
      const { uid } = object.metadata;
      const stay = stays.get(uid) ?? {
        node: undefined,
        createdAt: performance.now(),
        isServing: false,
        goneAt: undefined,
      };
      stays.set(uid, stay);
      stay.node = object.spec?.nodeName ?? stay.node;
      stay.isServing = type !== 'deleted' && isServing(object);
      if (type === 'deleted') stay.goneAt = performance.now();
      const serving = [...stays.values()].filter((each) => each.isServing).map(({ node }) => node);
      if (performance.now() >= since) most = Math.max(most, nodeCount - new Set(serving).size);
    }
  });
  void informer.start(signal);
  await informer.synced;
  return {
    watch: () => void (since = performance.now()),
    mostWithout: () => most,
    longestMs: () => {
      const byNode = Map.groupBy(stays.values(), ({ node }) => node);
      const gaps = [...byNode.values()].flatMap((all) => {
        const inOrder = all.toSorted((a, b) => a.createdAt - b.createdAt);
        return inOrder.map(
          ({ goneAt = Infinity }, index) => (inOrder[index + 1]?.createdAt ?? goneAt) - goneAt,
        );
      });
      return Math.max(0, ...gaps.filter((gap) => !Number.isNaN(gap)));
    },
  };
}

function isServing({ metadata, status }: Stored<Pod>): boolean {
  return (
    metadata.deletionTimestamp === undefined &&
    (status?.conditions ?? []).some(({ type, status: is }) => type === 'Ready' && is === 'True')
  );
}
