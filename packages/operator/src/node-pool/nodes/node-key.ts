import { annotations } from '@atoll/api';
import type { KubeObject } from '@atoll/kube';
import { membershipOf } from '../membership.ts';

/** The key that looks after nodes which left their pool. No pool can have this name. */
export const leaversKey = '(left)';

/**
 * The keys that may have to look after a node: the pool that its label names, whether that pool exists or not, or
 * without one {@link leaversKey} where something is left to be done; and the pool that it asks to join.
 */
export function poolKeysOf(node: KubeObject): readonly string[] {
  const { current, request } = membershipOf(node);
  const keys: string[] = [];
  if (current !== undefined) keys.push(current);
  else if (isLeft(node) || request?.does === 'drop-note') keys.push(leaversKey);
  if (request?.does === 'join') keys.push(request.pool);
  return keys;
}

/** The one of {@link poolKeysOf} that looks after the node now: the pool that it asks for as soon as it can be joined. */
export function keyInCharge(node: KubeObject, canBeJoined: (pool: string) => boolean): string | undefined {
  const { request } = membershipOf(node);
  if (request?.does === 'join' && canBeJoined(request.pool)) return request.pool;
  return poolKeysOf(node).find((key) => request?.does !== 'join' || key !== request.pool);
}

/** It carries what a pool left there. */
function isLeft(node: KubeObject): boolean {
  const { previousAttributes, earlierAttributes, keptLabels, keptTaints } = annotations;
  const found = node.metadata.annotations ?? {};
  return [previousAttributes, earlierAttributes, keptLabels, keptTaints].some(
    (key) => found[key] !== undefined,
  );
}
