import { requirementMatches, type Labels, type Requirement } from './label-selector.ts';
import { parseInt64 } from './parse-int64.ts';
import type {
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  Taint,
  Toleration,
} from '../types/index.ts';

/** What of a node decides whether a pod may run there. */
export interface NodeLike {
  readonly metadata: { readonly name: string; readonly labels?: Labels };
  readonly spec?: { readonly taints?: readonly Taint[] };
}

/** What of a pod's spec decides on which nodes it may run. */
export interface PlacementSpec {
  readonly nodeName?: string;
  readonly nodeSelector?: Labels;
  readonly affinity?: {
    readonly nodeAffinity?: { readonly requiredDuringSchedulingIgnoredDuringExecution?: NodeSelector };
  };
  readonly tolerations?: readonly Toleration[];
}

/** Why a pod may not run on a node. */
export type Misfit =
  | { readonly reason: 'node-name'; readonly wanted: string }
  | { readonly reason: 'node-selector'; readonly key: string; readonly wanted: string }
  | { readonly reason: 'node-affinity' }
  | { readonly reason: 'taint'; readonly taint: Taint };

/**
 * The first rule that keeps a pod from a node, undefined where it fits. The rules are those of the DaemonSet
 * controller: node name, node selector, required node affinity, and taints with the given effects. Whether a pod
 * may stay where it is asks for `['NoExecute']` only. Capacity and ports are not looked at.
 */
export function nodeMisfit(
  pod: PlacementSpec,
  node: NodeLike,
  effects: readonly string[] = ['NoSchedule', 'NoExecute'],
): Misfit | undefined {
  if (pod.nodeName !== undefined && pod.nodeName !== '' && pod.nodeName !== node.metadata.name) {
    return { reason: 'node-name', wanted: pod.nodeName };
  }
  const labels = node.metadata.labels ?? {};
  for (const [key, wanted] of Object.entries(pod.nodeSelector ?? {})) {
    if (!Object.hasOwn(labels, key) || labels[key] !== wanted)
      return { reason: 'node-selector', key, wanted };
  }
  const required = pod.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? undefined;
  if (required !== undefined && !nodeSelectorMatches(required, node)) return { reason: 'node-affinity' };
  const taint = untoleratedTaint(node.spec?.taints ?? [], pod.tolerations ?? [], effects);
  return taint === undefined ? undefined : { reason: 'taint', taint };
}

/** Whether a node meets at least one term. No terms match nothing. */
export function nodeSelectorMatches(selector: NodeSelector, node: NodeLike): boolean {
  return listOf(selector.nodeSelectorTerms).some((term) => nodeSelectorTermMatches(term, node));
}

/**
 * Templates of custom kinds are not typed. A field of the wrong type matches nothing and tolerates nothing here; the API server refuses
 * it in the pod.
 */
function listOf<T>(given: readonly T[] | undefined): readonly T[] {
  return Array.isArray(given) ? (given as readonly T[]) : [];
}

function isObject(given: unknown): boolean {
  return typeof given === 'object' && given !== null;
}

/** Whether a node meets every requirement of a term. An empty term matches nothing, and so does an invalid one. */
export function nodeSelectorTermMatches(term: NodeSelectorTerm, node: NodeLike): boolean {
  if (!isObject(term)) return false;
  const matchExpressions = listOf(term.matchExpressions);
  const matchFields = listOf(term.matchFields);
  if (matchExpressions.length === 0 && matchFields.length === 0) return false;
  const labels = node.metadata.labels ?? {};
  return (
    matchExpressions.every((requirement) => {
      const checked = checkedRequirement(requirement);
      return checked !== undefined && requirementMatches(checked, labels);
    }) && matchFields.every((requirement) => fieldMatches(requirement, node))
  );
}

/** The first taint with one of the effects that no toleration covers. */
export function untoleratedTaint(
  taints: readonly Taint[],
  tolerations: readonly Toleration[],
  effects: readonly string[] = ['NoSchedule', 'NoExecute'],
): Taint | undefined {
  return taints.find(
    (taint) =>
      effects.includes(taint.effect) &&
      !listOf(tolerations).some((toleration) => tolerates(toleration, taint)),
  );
}

/**
 * Whether a toleration covers a taint. An empty effect covers every effect; an empty key with `Exists` covers
 * every key. How long it is covered (`tolerationSeconds`) is not looked at. `Gt` and `Lt` compare integers, as Kubernetes 1.35 does
 * where its feature gate TaintTolerationComparisonOperators is on; where it is off, no pod can have them. Source: `Toleration.ToleratesTaint`.
 */
export function tolerates(toleration: Toleration, taint: Taint): boolean {
  if (!isObject(toleration)) return false;
  const { key = '', operator = '', value = '', effect = '' } = toleration;
  if (effect !== '' && effect !== taint.effect) return false;
  if (key !== '' && key !== taint.key) return false;
  if (operator === 'Exists') return true;
  if (operator === 'Gt' || operator === 'Lt') return compares(operator, value, taint.value ?? '');
  // The API server refuses an empty key without Exists; such a toleration covers only the impossible empty key.
  return (operator === '' || operator === 'Equal') && key === taint.key && value === (taint.value ?? '');
}

/** Both have to be 64-bit integers in their shortest form. Source: `compareNumericValues`. */
function compares(operator: 'Gt' | 'Lt', tolerated: string, found: string): boolean {
  const [bound, actual] = [tolerated, found].map((text) =>
    /^(0|-?[1-9][0-9]*)$/.test(text) ? parseInt64(text) : undefined,
  );
  if (bound === undefined || actual === undefined) return false;
  return operator === 'Gt' ? actual > bound : actual < bound;
}

/** The one field that nodes can be selected by is their name, and the API server allows one value only. */
function fieldMatches(requirement: NodeSelectorRequirement, node: NodeLike): boolean {
  if (!isObject(requirement)) return false;
  const { key, operator } = requirement;
  const values = listOf(requirement.values);
  if (key !== 'metadata.name' || values.length !== 1) return false;
  if (operator === 'In') return values[0] === node.metadata.name;
  return operator === 'NotIn' && values[0] !== node.metadata.name;
}

function checkedRequirement(requirement: NodeSelectorRequirement): Requirement | undefined {
  if (!isObject(requirement)) return undefined;
  const { key, operator } = requirement;
  const values = listOf(requirement.values);
  switch (operator) {
    case 'In':
    case 'NotIn':
      return values.length > 0 ? { key, operator, values } : undefined;
    case 'Exists':
    case 'DoesNotExist':
      return values.length === 0 ? { key, operator, values } : undefined;
    case 'Gt':
    case 'Lt':
      return { key, operator, values };
    default:
      return undefined;
  }
}
