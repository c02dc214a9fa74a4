import type {
  Node,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodSpec,
  Stored,
  Taint,
  Toleration,
} from '@atoll/kube';

/** What of a pod's spec decides where it may be. */
export type PlacedPodSpec = Pick<
  PodSpec,
  'affinity' | 'hostNetwork' | 'nodeName' | 'nodeSelector' | 'tolerations'
>;

/** What of a node is read for that. */
export interface FittingNode {
  readonly metadata: Pick<Stored<Node>['metadata'], 'name' | 'labels'>;
  readonly spec?: Pick<NonNullable<Node['spec']>, 'taints'>;
}

/**
 * Whether the DaemonSet controller makes a pod with this spec on the node: its node name, node selector and required node affinity
 * match, and its tolerations cover every taint that keeps pods off (`NodeShouldRunDaemonPod` of kube-controller-manager). What
 * only prefers is not asked. A pod that is there already is not ended because of a NoSchedule taint, but it would not be made again.
 */
export function fitsNode(spec: PlacedPodSpec, node: FittingNode): boolean {
  const { name, labels = {} } = node.metadata;
  if (spec.nodeName !== undefined && spec.nodeName !== '' && spec.nodeName !== name) return false;
  const wanted = Object.entries(spec.nodeSelector ?? {});
  if (wanted.some(([key, value]) => !Object.hasOwn(labels, key) || labels[key] !== value)) return false;
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (required !== undefined && !required.nodeSelectorTerms.some((term) => matchesTerm(term, name, labels)))
    return false;
  const tolerations = [...(spec.tolerations ?? []), ...addedTolerations(spec)];
  return (node.spec?.taints ?? [])
    .filter(({ effect }) => effect === 'NoSchedule' || effect === 'NoExecute')
    .every((taint) => tolerations.some((toleration) => tolerates(toleration, taint)));
}

/** Those that the DaemonSet controller adds to every pod of its own. */
function addedTolerations({ hostNetwork }: PlacedPodSpec): readonly Toleration[] {
  const taint = (name: string, effect: string): Toleration => ({
    key: `node.kubernetes.io/${name}`,
    operator: 'Exists',
    effect,
  });
  return [
    taint('not-ready', 'NoExecute'),
    taint('unreachable', 'NoExecute'),
    taint('disk-pressure', 'NoSchedule'),
    taint('memory-pressure', 'NoSchedule'),
    taint('pid-pressure', 'NoSchedule'),
    taint('unschedulable', 'NoSchedule'),
    ...(hostNetwork === true ? [taint('network-unavailable', 'NoSchedule')] : []),
  ];
}

/** An empty key with `Exists` tolerates every taint, an empty effect every effect. */
function tolerates(
  { key = '', operator = 'Equal', value = '', effect = '' }: Toleration,
  taint: Taint,
): boolean {
  if (effect !== '' && effect !== taint.effect) return false;
  if (key !== '' && key !== taint.key) return false;
  if (operator === 'Exists') return true;
  return operator === 'Equal' && key !== '' && value === (taint.value ?? '');
}

/** A term without any requirement matches nothing. */
function matchesTerm(
  { matchExpressions = [], matchFields = [] }: NodeSelectorTerm,
  name: string,
  labels: Readonly<Record<string, string>>,
): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false;
  const fields = { 'metadata.name': name };
  return (
    matchExpressions.every((requirement) => matches(requirement, labels)) &&
    matchFields.every((requirement) => matches(requirement, fields))
  );
}

function matches(
  { key, operator, values = [] }: NodeSelectorRequirement,
  from: Readonly<Record<string, string>>,
): boolean {
  const value = Object.hasOwn(from, key) ? from[key] : undefined;
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
      return compare(value, values, (a, b) => a > b);
    case 'Lt':
      return compare(value, values, (a, b) => a < b);
    default:
      return false;
  }
}

function compare(
  value: string | undefined,
  [bound]: readonly string[],
  holds: (a: bigint, b: bigint) => boolean,
): boolean {
  const [a, b] = [wholeNumber(value), wholeNumber(bound)];
  return a !== undefined && b !== undefined && holds(a, b);
}

function wholeNumber(text: string | undefined): bigint | undefined {
  return text !== undefined && /^[+-]?[0-9]+$/.test(text) ? BigInt(text) : undefined;
}
