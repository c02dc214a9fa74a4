import type { ExtendedDaemonSet } from '@atoll/api';
import type { Stored } from '@atoll/kube';

/**
 * A command for this object, for people to type or copy: `kubectl eds canary unpause agent -n edge`. It names the namespace, which a command
 * line without a flag takes from the kubeconfig.
 */
export function nextCommand(
  command: string,
  { metadata: { name, namespace = '' } }: Stored<ExtendedDaemonSet>,
): string {
  return `kubectl eds ${command} ${name} -n ${namespace}`;
}
