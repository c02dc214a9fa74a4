/**
 * Labels of a node that its kubelet, a cloud's node controller or a volume driver writes, and schedulers and volumes read:
 * they describe the node, and not its pool. Those that a kubelet may write of itself (Kubernetes 1.36,
 * `kubelet/pkg/apis/well_known_labels.go`), and the rest of `topology.kubernetes.io`.
 */
export const reservedLabels = {
  keys: [
    'kubernetes.io/hostname',
    'kubernetes.io/os',
    'kubernetes.io/arch',
    'beta.kubernetes.io/os',
    'beta.kubernetes.io/arch',
    'beta.kubernetes.io/instance-type',
  ],
  prefixes: [
    'topology.kubernetes.io/',
    'failure-domain.beta.kubernetes.io/',
    'node.kubernetes.io/',
    'kubelet.kubernetes.io/',
  ],
} as const;

const keys: readonly string[] = reservedLabels.keys;

export function isReservedLabel(key: string): boolean {
  return keys.includes(key) || reservedLabels.prefixes.some((prefix) => key.startsWith(prefix));
}

/**
 * Labels of this domain, and of domains in it, no kubelet may give its node (Kubernetes' admission plug-in NodeRestriction),
 * so clusters trust them to keep workloads on some nodes. A kubelet may move its node into a pool, and would get them there.
 */
export const isolationDomain = 'node-restriction.kubernetes.io';

export function isIsolationLabel(key: string): boolean {
  return key.startsWith(`${isolationDomain}/`) || key.includes(`.${isolationDomain}/`);
}
