import { annotations, labels } from '@atoll/api';
import type { KubeObject } from '@atoll/kube';

/**
 * What a node says about the pool it is in (docs/decisions/0005). The label `nodepool` decides. The older label
 * `desired-nodepool` asks: each change of it is followed once, and what was followed last is remembered on the node,
 * so that whoever writes `nodepool` himself is never overruled by a request from long ago.
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
  /** Only to be remembered: it says what is so already, or what was decided otherwise before we came. */
  | { readonly does: 'note'; readonly pool: string }
  | { readonly does: 'forget' };

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
  if (desired === undefined) return current === followed ? { does: 'leave' } : { does: 'forget' };
  if (desired === current) return { does: 'note', pool: desired };
  // Seen for the first time beside another membership, nothing says which of the two is younger.
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
    case 'forget':
      return { labels: {}, annotations: { [followedPool]: null } };
  }
}

/** An empty label names no pool. */
function named(value: string | undefined): string | undefined {
  return value === '' ? undefined : value;
}
