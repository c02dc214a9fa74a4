import { createInformer, isReady, pods, type Pod, type Stored, type StreamingClient } from '@atoll/kube';
import { expect } from 'vitest';
import { eventually } from '../set-up/standing.ts';

interface Stay {
  node: string | undefined;
  readonly createdAt: number;
  isServing: boolean;
  goneAt: number | undefined;
}

/** For how long, and how many at once, nodes are without a pod. */
export interface NodeGaps {
  /** From when every node has been seen with a Ready pod, which it waits for. */
  watch(): Promise<void>;
  /** Milliseconds from when a node's pod is gone until the next one is made; its own start comes on top. The longest. */
  readonly longestMs: () => number;
  /** The most nodes without a Ready pod at any moment, and by what events that came about. */
  readonly mostWithout: () => { readonly nodes: number; readonly events: readonly string[] };
}

/** Watches the pods of these labels, of which each node is to have one. */
export async function watchNodeGaps(
  client: StreamingClient,
  labelSelector: string,
  nodeCount: number,
  signal: AbortSignal,
): Promise<NodeGaps> {
  const stays = new Map<string, Stay>();
  let watching = false;
  let most: ReturnType<NodeGaps['mostWithout']> = { nodes: 0, events: [] };
  const seen: string[] = [];
  function nodesWithout(): number {
    const serving = [...stays.values()].filter((each) => each.isServing).map(({ node }) => node);
    return nodeCount - new Set(serving).size;
  }
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
      seen.push(describe(type, object, stay));
      const without = nodesWithout();
      if (watching && without > most.nodes) most = { nodes: without, events: seen.slice(-40) };
    }
  });
  void informer.start(signal);
  await informer.synced;
  return {
    watch: async () => {
      await eventually(async () => expect(nodesWithout()).toBe(0));
      watching = true;
    },
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

function describe(
  type: string,
  { metadata, spec }: Stored<Pod>,
  { node = 'no node', isServing }: Stay,
): string {
  const { name, ownerReferences, deletionTimestamp } = metadata;
  const image = spec?.containers[0]?.image ?? '';
  const words = [isServing && 'is Ready', deletionTimestamp !== undefined && 'terminates'].filter(Boolean);
  const owner = ownerReferences?.[0]?.kind ?? 'nobody';
  const at = performance.now().toFixed();
  return [`${at} ms: ${type} ${name} (${image}) of ${owner} on ${node}`, ...words].join(', ');
}

/** Ready, and not being deleted. */
export function isServing(pod: Stored<Pod>): boolean {
  return pod.metadata.deletionTimestamp === undefined && isReady(pod);
}
