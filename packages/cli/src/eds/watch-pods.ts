import type { Pod, Stored, StreamingClient } from '@atoll/kube';
import type { NodeReadiness } from './node-readiness.ts';
import { selectedChanges, type Selection } from './watch/selected-changes.ts';
import { watchAll } from './watch/watch-all.ts';
import { allFields, type Watching } from './watch/watching.ts';

/** The pods that are watched. */
interface Watched {
  readonly client: Pick<StreamingClient, 'watch' | 'raw'>;
  readonly namespace: string;
  readonly labelSelector: string;
  readonly managedFields: boolean;
}

/** The pods that were listed before. */
interface Known {
  readonly all: readonly Stored<Pod>[];
  readonly selected: readonly Stored<Pod>[];
}

/** What is followed beside them. */
interface Beside {
  readonly readyNodes: NodeReadiness;
  readonly also?: (signal: AbortSignal) => Promise<void>;
}

/** Follows pods of a selection, and the nodes that they are on. Resolves when the signal ends, rejects where the API server refuses. */
export async function watchPods(
  { managedFields, ...of }: Watched,
  selection: Selection<Pod>,
  known: Known,
  { readyNodes, also }: Beside,
  { changed, failed, signal }: Watching<Pod>,
): Promise<void> {
  const { pods } = await import('@atoll/kube');
  const { take, again } = selectedChanges(selection, known.selected, changed);
  const over = new AbortController();
  const following = {
    changed: (node: string): void => again(({ spec }) => spec?.nodeName === node),
    failed,
    signal: AbortSignal.any([signal, over.signal]),
  };
  const fields = managedFields ? { projection: allFields } : {};
  await Promise.all([
    readyNodes.follow(following),
    also?.(following.signal),
    watchAll({ ...of, resource: pods, ...fields }, known.all, { changed: take, failed, signal }).finally(() =>
      over.abort(),
    ),
  ]);
}
