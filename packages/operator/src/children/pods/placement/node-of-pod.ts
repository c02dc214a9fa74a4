import type { Pod, Stored } from '@atoll/kube';

/** The node that a pod is bound to, or that its controller made it for. */
export function nodeOf(pod: Pod): string | undefined {
  const { nodeName = '' } = pod.spec ?? {};
  return nodeName === '' ? nodeNamedBy(pod) : nodeName;
}

/** The node that the pod was made for, by its affinity alone. */
export function nodeNamedBy({ spec }: Pick<Pod, 'spec'>): string | undefined {
  const terms =
    spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  for (const { key, operator, values = [] } of (terms ?? []).flatMap(({ matchFields = [] }) => matchFields)) {
    if (key === 'metadata.name' && operator === 'In' && values.length === 1) return values[0];
  }
  return undefined;
}

/** By the node of {@link nodeOf}; a pod that names none is left out. */
export function groupByNode(pods: readonly Stored<Pod>[]): ReadonlyMap<string, readonly Stored<Pod>[]> {
  const byNode = new Map<string, Stored<Pod>[]>();
  for (const pod of pods) {
    const node = nodeOf(pod);
    if (node === undefined) continue;
    const found = byNode.get(node);
    if (found === undefined) byNode.set(node, [pod]);
    else found.push(pod);
  }
  return byNode;
}
