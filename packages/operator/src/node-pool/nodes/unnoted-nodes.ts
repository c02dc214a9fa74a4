import type { NodePool, UnnotedNode } from '@atoll/api';
import type { KubeObject, Stored } from '@atoll/kube';
import { readOnce } from '../../children/read-once.ts';
import { plainTaint } from './attributes.ts';
import type { Kept } from './record.ts';

/** In characters of JSON, about a thousand nodes: the API server takes no object of more than 1.5 MiB. */
const longestList = 200_000;

/**
 * What the pool's status lists in place of a note that the node has not, because it refuses the write, or has not been written yet. So one
 * node that refuses keeps no pool from being seen, and stays as it was found all the same.
 */
export function listedIn(
  pool: Stored<NodePool>,
  { metadata: { name, uid } }: Pick<KubeObject, 'metadata'>,
): Kept | undefined {
  const { unnotedNodes } = pool.status ?? {};
  const listed = unnotedNodes === undefined ? undefined : byUid(unnotedNodes).get(uid ?? '');
  if (listed?.nodeName !== name) return undefined;
  const { left = false, labels = {}, taints = [] } = listed;
  return { pool: left ? '' : pool.metadata.name, labels, taints: taints.map(plainTaint) };
}

/** Of thousands of nodes each is looked for. The first of several of one uid, which we do not write. */
const byUid = readOnce(
  (listed: readonly UnnotedNode[]): ReadonlyMap<string, UnnotedNode> =>
    new Map(listed.toReversed().map((each) => [each.uid, each])),
);

/** The nodes in no pool that the pool's status lists. */
export function leaversListedIn({ status }: Stored<NodePool>): readonly UnnotedNode[] {
  return status?.unnotedNodes?.filter(({ left }) => left === true) ?? [];
}

/** How the status of its pool lists a member. */
export function unnotedMember(
  { metadata: { name, uid } }: Stored<KubeObject>,
  { labels, taints }: Kept,
): UnnotedNode {
  return {
    nodeName: name,
    uid,
    ...(Object.keys(labels).length === 0 ? {} : { labels }),
    ...(taints.length === 0 ? {} : { taints: taints.map(plainTaint) }),
  };
}

/** How a status lists a node in no pool. What is kept there follows from its record. */
export function unnotedLeaver({ metadata: { name, uid } }: Stored<KubeObject>): UnnotedNode {
  return { nodeName: name, uid, left: true };
}

/** Whether a status can hold all of these. */
export function canBeListed(all: readonly UnnotedNode[]): boolean {
  return JSON.stringify(all).length <= longestList;
}
