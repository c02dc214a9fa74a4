import type { Node } from '@atoll/kube';
import type { Connection } from '../program/connection.ts';
import type { Watching } from './watch/watching.ts';

/** Which nodes are Ready. */
export interface NodeReadiness {
  /** undefined: it is not known, or there is no such node. */
  readonly of: (node: string) => boolean | undefined;
  /** Keeps it up to date until the signal ends. Where the API server refuses that, it is not known any more. */
  readonly follow: (following: Following) => Promise<void>;
}

interface Following extends Pick<Watching<never>, 'failed' | 'signal'> {
  /** The node became Ready, or ceased to be, or to exist. */
  readonly changed: (node: string) => void;
}

/** Of no node. */
export const unknownReadiness: NodeReadiness = { of: () => undefined, follow: async () => undefined };

/** Of all nodes, as they are now. */
export async function readNodeReadiness({ client }: Connection): Promise<NodeReadiness> {
  const { isApiError, isReady, nodes, projection } = await import('@atoll/kube');
  const listed = await client.list(nodes).catch((error: unknown) => {
    // Who may not read nodes sees the pods all the same.
    if (isApiError(error, 'Forbidden')) return undefined;
    throw error;
  });
  if (listed === undefined) return unknownReadiness;
  const { items } = listed;
  const known = new Map(
    items.map((node) => [node.metadata.name, { uid: node.metadata.uid, ready: isReady(node) }]),
  );
  const of = (name: string): boolean | undefined => known.get(name)?.ready;
  const follow = async ({ changed, failed, signal }: Following): Promise<void> => {
    const { watchAll } = await import('./watch/watch-all.ts');
    const { isFinal } = await import('./watch/watching.ts');
    const fields = projection<Node>()('status.conditions');
    const take: Watching<Node>['changed'] = ({ type, object }) => {
      const { name, uid } = object.metadata;
      const before = of(name);
      if (type !== 'DELETED') known.set(name, { uid, ready: isReady(object) });
      // Another node of the name may be there already.
      else if (known.get(name)?.uid === uid) known.delete(name);
      if (of(name) !== before) changed(name);
    };
    try {
      const watching = { changed: take, failed, signal };
      await watchAll({ client, resource: nodes, projection: fields }, items, watching);
    } catch (error) {
      if (!isFinal(error)) throw error;
      known.clear();
    }
  };
  return { of, follow };
}
