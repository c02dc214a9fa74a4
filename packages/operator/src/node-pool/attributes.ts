import { annotations, labels, type NodePool } from '@atoll/api';
import type { Taint } from '@atoll/kube';

/** What a pool puts on its nodes. */
export interface Attributes {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
}

export const noAttributes: Attributes = { labels: {}, annotations: {}, taints: [] };

/**
 * What the pool wants on each of its nodes. Membership is the user's to write, and the record ours: a pool that
 * names either does not get it. One taint per key and effect, the first, as a node cannot carry two.
 */
export function attributesOf(pool: Pick<NodePool, 'spec' | 'metadata'>): Attributes {
  const wantedLabels: Record<string, string> = { ...pool.spec?.labels };
  delete wantedLabels[labels.nodePool];
  delete wantedLabels[labels.desiredNodePool];
  if (usesHostNetwork(pool)) wantedLabels[labels.hostNetwork] = 'true';
  const wantedAnnotations: Record<string, string> = { ...pool.spec?.annotations };
  delete wantedAnnotations[annotations.previousAttributes];
  delete wantedAnnotations[annotations.earlierAttributes];
  delete wantedAnnotations[annotations.keptTaints];
  delete wantedAnnotations[annotations.followedPool];
  const taints = new Map<string, Taint>();
  for (const taint of pool.spec?.taints ?? []) {
    if (!taints.has(taintId(taint))) taints.set(taintId(taint), plainTaint(taint));
  }
  return { labels: wantedLabels, annotations: wantedAnnotations, taints: [...taints.values()] };
}

/** A taint's identity on a node: Kubernetes allows one per key and effect. */
export function taintId(taint: Taint): string {
  return `${taint.key}:${taint.effect}`;
}

export function sameTaint(a: Taint, b: Taint): boolean {
  return a.key === b.key && a.effect === b.effect && (a.value ?? '') === (b.value ?? '');
}

/** Without `timeAdded`, which the pool does not decide. */
export function plainTaint(taint: Taint): Taint {
  const { key, value, effect } = taint;
  return value === undefined || value === '' ? { key, effect } : { key, value, effect };
}

/** The field, or the annotation by which v1alpha1 clients wrote it. */
function usesHostNetwork(pool: Pick<NodePool, 'spec' | 'metadata'>): boolean {
  if (pool.spec?.hostNetwork === true) return true;
  return pool.metadata.annotations?.[annotations.hostNetwork]?.toLowerCase() === 'true';
}
