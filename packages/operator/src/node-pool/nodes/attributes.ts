import { annotations, labels, membershipLabels, nodeNotes, type NodePool } from '@atoll/api';
import type { Taint } from '@atoll/kube';

/** What a pool puts on its nodes. */
export interface Attributes {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  /**
   * The label of a pool whose nodes use the network of their host, besides `labels`: the spec does not hold it among those. A yurt-manager
   * that goes on beside us compares the record of a node with the spec, takes off what it finds recorded only, and writes a record of its
   * own. So this stands in the note that only we read.
   */
  readonly hostNetwork?: true;
}

export const noAttributes: Attributes = { labels: {}, annotations: {}, taints: [] };

const hostNetworkLabel = { [labels.hostNetwork]: 'true' };

/**
 * Without membership, which is the user's to write, and without our own notes: no pool gives them, and none takes them away, although an
 * old operator may have recorded that one did.
 */
export function givenByPools({ labels: some, annotations: notes, ...others }: Attributes): Attributes {
  return { ...others, labels: without(some, membershipLabels), annotations: without(notes, nodeNotes) };
}

function without(map: Readonly<Record<string, string>>, keys: readonly string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(map).filter(([key]) => !keys.includes(key)));
}

/** Fields of the pool's spec that no node gets ({@link givenByPools}); the schema refuses them in a new pool. */
export function givenByNoPool({ spec }: Pick<NodePool, 'spec'>): readonly string[] {
  const of = (field: string, map: object | undefined, keys: readonly string[]): readonly string[] =>
    keys.filter((key) => Object.hasOwn(map ?? {}, key)).map((key) => `spec.${field}[${key}]`);
  return [
    ...of('labels', spec?.labels, membershipLabels),
    ...of('annotations', spec?.annotations, nodeNotes),
  ];
}

/** What the pool wants on each of its nodes. One taint per key and effect, the first, as a node cannot carry two. */
export function attributesOf(pool: Pick<NodePool, 'spec' | 'metadata'>): Attributes {
  const { [labels.hostNetwork]: own, ...others } = pool.spec?.labels ?? {};
  const isMarked = usesHostNetwork(pool) && own !== hostNetworkLabel[labels.hostNetwork];
  const wantedLabels = isMarked ? others : { ...pool.spec?.labels };
  const wantedAnnotations = { ...pool.spec?.annotations };
  const taints = new Map<string, Taint>();
  for (const taint of pool.spec?.taints ?? []) {
    if (!taints.has(taintId(taint))) taints.set(taintId(taint), plainTaint(taint));
  }
  return givenByPools({
    labels: wantedLabels,
    annotations: wantedAnnotations,
    taints: [...taints.values()],
    ...(isMarked ? { hostNetwork: true } : {}),
  });
}

/** All labels that the attributes stand for. */
export function allLabels({ labels: some, hostNetwork }: Attributes): Readonly<Record<string, string>> {
  return hostNetwork === true ? { ...some, ...hostNetworkLabel } : some;
}

/** A taint's identity on a node: Kubernetes allows one per key and effect. */
export function taintId(taint: Taint): string {
  return `${taint.key}:${taint.effect}`;
}

export function sameTaint(a: Taint, b: Taint): boolean {
  return a.key === b.key && a.effect === b.effect && (a.value ?? '') === (b.value ?? '');
}

/** The same ones in the same order. */
export function sameTaints(a: readonly Taint[], b: readonly Taint[]): boolean {
  return (
    a.length === b.length &&
    a.every((taint, index) => {
      const other = b[index];
      return other !== undefined && sameTaint(taint, other);
    })
  );
}

/** Without `timeAdded`, which the pool does not decide. */
export function plainTaint(taint: Taint): Taint {
  const { key, value, effect } = taint;
  return value === undefined || value === '' ? { key, effect } : { key, value, effect };
}

/** The field, or where it is absent the annotation by which v1alpha1 clients write it; no pool of type Cloud may have it. */
function usesHostNetwork(pool: Pick<NodePool, 'spec' | 'metadata'>): boolean {
  const { hostNetwork, type } = pool.spec ?? {};
  if (hostNetwork !== undefined) return hostNetwork;
  if (type === 'Cloud') return false;
  return pool.metadata.annotations?.[annotations.hostNetwork]?.toLowerCase() === 'true';
}
