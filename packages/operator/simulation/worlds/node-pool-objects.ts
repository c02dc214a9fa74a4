import { annotations, labels } from '@atoll/api';
import type { NodePool } from '@atoll/api';
import { isReady, nodes } from '@atoll/kube';
import type { KubeObject, Resource } from '@atoll/kube';

/** A node, as far as the worlds of NodePool read it. */
export interface SmallNode extends KubeObject {
  readonly spec?: { readonly taints?: readonly Taint[] };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}

export const smallNodes = nodes as unknown as Resource<SmallNode>;
const foreign: Taint = { key: 'foreign', effect: 'NoSchedule' };
/** A value that no pool gives: no matter who wrote it, it is not ours to remove. */
export const somebodys = '9';
/** The keys that pools of these worlds give. */
export const givenLabels = ['zone', 'shared'];
export const givenAnnotations = ['note'];
export const givenTaints = ['a'];

const typeLabels = { [labels.poolType]: 'edge', [labels.oldPoolType]: 'edge' };

/** Two pools that give partly equal attributes. */
export const poolA: NodePool = {
  metadata: { name: 'a', labels: typeLabels },
  spec: {
    labels: { zone: '1', shared: 'x' },
    annotations: { note: 'a' },
    taints: [{ key: 'a', effect: 'NoSchedule' }],
  },
};
export const poolB: NodePool = {
  metadata: { name: 'b', labels: typeLabels },
  spec: { labels: { shared: 'x' } },
};

/** In place of {@link poolB}: everything that the first pool gives, with other values. */
export const conflictingB: NodePool = {
  metadata: { name: 'b', labels: typeLabels },
  spec: {
    labels: { zone: '3', shared: 'y' },
    annotations: { note: 'b' },
    taints: [{ key: 'a', value: 'b', effect: 'NoSchedule' }],
  },
};

/** Which label its user sets: the one that states membership, or the older one that asks for it. */
export type MemberBy = 'nodepool' | 'desired-nodepool';

/** `own`: labels that it has before it joins. */
export function nodeIn(
  pool: string,
  name: string,
  by: MemberBy,
  own: Readonly<Record<string, string>> = {},
): SmallNode {
  const label = by === 'nodepool' ? labels.nodePool : labels.desiredNodePool;
  return {
    metadata: { name, labels: { [label]: pool, own: 'yes', ...own } },
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
  };
}

export function poolOf({ metadata }: KubeObject): string | undefined {
  return metadata.labels?.[labels.nodePool];
}

export function desiredOf({ metadata }: KubeObject): string | undefined {
  return metadata.labels?.[labels.desiredNodePool];
}

/** The value of a taint of this key; undefined: it has none. */
export function taintOf({ spec }: SmallNode | NodePool, key: string): string | undefined {
  const found = spec?.taints?.find((taint) => taint.key === key);
  return found === undefined ? undefined : (found.value ?? '');
}

export function hasTaint({ spec }: SmallNode, key: string): boolean {
  return spec?.taints?.some((taint) => taint.key === key) === true;
}

/** What is recorded on a node as put there by a pool. */
export function recordOf({ metadata }: KubeObject): {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly taints?: readonly Taint[];
} {
  return JSON.parse(metadata.annotations?.[annotations.previousAttributes] ?? '{}') as object;
}

interface Change {
  readonly label: string;
  readonly patch: object;
}

/** From a to b, from b to none, from none to a, by the label that the user sets. */
export function move(node: SmallNode, by: MemberBy): Change {
  const from = by === 'nodepool' ? poolOf(node) : desiredOf(node);
  const next = from === 'a' ? 'b' : from === 'b' ? null : 'a';
  const label = by === 'nodepool' ? labels.nodePool : labels.desiredNodePool;
  const patch = { metadata: { labels: { [label]: next } } };
  return { label: `moves ${node.metadata.name} to ${next ?? 'no pool'}`, patch };
}

/** By the older label: into b, and out of it. */
export function ask(node: SmallNode): Change {
  const next = desiredOf(node) === undefined ? 'b' : null;
  const patch = { metadata: { labels: { [labels.desiredNodePool]: next } } };
  return { label: `asks ${node.metadata.name} to go to ${next ?? 'no pool'}`, patch };
}

export function setZone({ metadata, spec }: NodePool): Change {
  const patch = { spec: { labels: { ...spec?.labels, zone: '2' } } };
  return { label: `sets zone 2 on pool ${metadata.name}`, patch };
}

export function drift({ metadata }: SmallNode): readonly Change[] {
  return [
    {
      label: `sets zone ${somebodys} on ${metadata.name}`,
      patch: { metadata: { labels: { zone: somebodys } } },
    },
    { label: `takes the taints from ${metadata.name}`, patch: { spec: { taints: null } } },
  ];
}

/** Under the key and effect of the pools', with a value of somebody's own. */
export function retaint({ metadata, spec }: SmallNode): Change {
  const others = spec?.taints?.filter(({ key }) => !givenTaints.includes(key)) ?? [];
  const own = givenTaints.map((key) => ({ key, value: somebodys, effect: 'NoSchedule' }));
  return {
    label: `taints ${metadata.name} with values of its own`,
    patch: { spec: { taints: [...others, ...own] } },
  };
}

export function taintForeign({ metadata, spec }: SmallNode): Change {
  return {
    label: `taints ${metadata.name}`,
    patch: { spec: { taints: [...(spec?.taints ?? []), foreign] } },
  };
}

export function dropType({ metadata }: NodePool): Change {
  const patch = { metadata: { labels: { [labels.poolType]: null } } };
  return { label: `takes the type label from pool ${metadata.name}`, patch };
}

/** Its kubelet reports no more, or again. */
export function flip(node: SmallNode): { readonly label: string; readonly status: object } {
  const [turns, status] = isReady(node) ? ['not ready', 'False'] : ['ready', 'True'];
  return {
    label: `${node.metadata.name} turns ${turns}`,
    status: { conditions: [{ type: 'Ready', status }] },
  };
}
