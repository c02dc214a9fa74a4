import type { NodePool } from '@atoll/api';
import { isReady, type CacheEvent, type Node, type Reader, type Stored } from '@atoll/kube';
import { isTerminating } from '../children/child.ts';
import { sameJson } from '../engine/same-meaning.ts';
import { poolKeysOf } from './nodes/node-key.ts';

/**
 * A pool enqueues itself. While nodes ask to join it, whether it exists decides which key handles them: it also enqueues the
 * pools that they are in.
 */
export function keysForNodePool(members: Reader<Node>, event: CacheEvent<NodePool>): readonly string[] {
  const { name } = event.object.metadata;
  if (event.type === 'updated' && isTerminating(event.old) === isTerminating(event.object)) {
    return [name];
  }
  return [...new Set([name, ...members.by('pool', name).flatMap(poolKeysOf)])];
}

/** A node enqueues the pool that it is in, those that it was in or asks for, and none by a mere heartbeat. */
export function keysForNode(event: CacheEvent<Node>): readonly string[] {
  const keys = poolKeysOf(event.object);
  if (event.type !== 'updated') return keys;
  // Keys follow from labels and annotations.
  if (!mattersToPool(event.old, event.object)) return [];
  return [...new Set([...poolKeysOf(event.old), ...keys])];
}

/** Members come and go by labels; annotations and taints are also written all the time by kubelets and others. */
export function changesMembers(event: CacheEvent<Node>): boolean {
  return event.type !== 'updated' || !sameJson(event.old.metadata.labels, event.object.metadata.labels);
}

/** What did not change is one object in both versions (kube's `deepFreeze`), so this seldom has to look inside. */
function mattersToPool(old: Stored<Node>, node: Stored<Node>): boolean {
  return (
    isReady(old) !== isReady(node) ||
    !sameJson(old.metadata.labels, node.metadata.labels) ||
    !sameJson(old.metadata.annotations, node.metadata.annotations) ||
    !sameJson(old.spec?.taints, node.spec?.taints)
  );
}
