import type { KubeObject } from '../objects/object.ts';

interface MaybeNamespace extends KubeObject {
  readonly spec?: { readonly finalizers?: readonly string[] };
}

/**
 * Reads from a DELETE's answer whether the object is still there. The API server answers with a Status or with the
 * last state of an object that is gone already; of one that waits for finalizers or for its grace period that state shows it.
 */
export function isBeingDeleted(answer: KubeObject): boolean {
  if (answer.kind === 'Status') return false;
  const { metadata } = answer as Partial<KubeObject>;
  const { deletionTimestamp, finalizers = [], deletionGracePeriodSeconds = 0 } = metadata ?? {};
  if (deletionTimestamp === undefined) return false;
  // A namespace keeps its finalizers in its spec.
  const held = [
    ...finalizers,
    ...(answer.kind === 'Namespace' ? ((answer as MaybeNamespace).spec?.finalizers ?? []) : []),
  ];
  return held.length > 0 || deletionGracePeriodSeconds > 0;
}
