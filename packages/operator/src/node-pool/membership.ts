import { annotations, labels } from '@atoll/api';
import type { KubeObject } from '@atoll/kube';

/**
 * The membership of a node in pools (docs/decisions/0005). The label `nodepool` decides. The older label
 * `desired-nodepool` asks: each change of it is followed once, and what was followed last is remembered on the node,
 * so that an old request never overrules a later write of `nodepool`.
 */
export interface Membership {
  /** The pool that the label names, whether it exists or not. */
  readonly current: string | undefined;
  /** A request that was not followed yet. */
  readonly request: Request | undefined;
}

export type Request =
  /** Into this pool, from none or from another. */
  | { readonly does: 'join'; readonly pool: string }
  | { readonly does: 'leave' }
  /** Only to be noted: it asks for what is so already, or for what was decided otherwise before the first reconcile. */
  | { readonly does: 'note'; readonly pool: string }
  | { readonly does: 'drop-note' };

export function membershipOf(node: KubeObject): Membership {
  const current = named(node.metadata.labels?.[labels.nodePool]);
  const desired = named(node.metadata.labels?.[labels.desiredNodePool]);
  const followed = named(node.metadata.annotations?.[annotations.followedPool]);
  return { current, request: requestOf(current, desired, followed) };
}

function requestOf(
  current: string | undefined,
  desired: string | undefined,
  followed: string | undefined,
): Request | undefined {
  if (desired === followed) return undefined;
  if (desired === undefined) return current === followed ? { does: 'leave' } : { does: 'drop-note' };
  if (desired === current) return { does: 'note', pool: desired };
  // Seen for the first time beside another membership, it cannot be decided which of the two is newer.
  if (followed === undefined && current !== undefined) return { does: 'note', pool: desired };
  return { does: 'join', pool: desired };
}

/** The labels and annotations that follow a request; null removes. */
export function following(request: Request): {
  readonly labels: Readonly<Record<string, string | null>>;
  readonly annotations: Readonly<Record<string, string | null>>;
} {
  const { followedPool } = annotations;
  switch (request.does) {
    case 'join':
      return { labels: { [labels.nodePool]: request.pool }, annotations: { [followedPool]: request.pool } };
    case 'note':
      return { labels: {}, annotations: { [followedPool]: request.pool } };
    case 'leave':
      return { labels: { [labels.nodePool]: null }, annotations: { [followedPool]: null } };
    case 'drop-note':
      return { labels: {}, annotations: { [followedPool]: null } };
  }
}

/** An empty label names no pool. */
function named(value: string | undefined): string | undefined {
  return value === '' ? undefined : value;
}
