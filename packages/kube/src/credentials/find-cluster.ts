import type { ClusterAccess } from './cluster-access.ts';
import { inClusterAccess, isInCluster } from './in-cluster.ts';
import { loadKubeconfig, type KubeconfigOptions } from './load-kubeconfig.ts';

/**
 * The cluster of a controller, in controller-runtime's order: the file given, KUBECONFIG, the pod's own cluster,
 * `~/.kube/config`. Rejects with a `CredentialError`. Without `environment` it is that of this process.
 */
export async function findCluster(options: KubeconfigOptions = {}): Promise<ClusterAccess> {
  const { path, environment = process.env } = options;
  const named = path !== undefined || Boolean(environment['KUBECONFIG']);
  return !named && isInCluster(environment) ? inClusterAccess(environment) : loadKubeconfig(options);
}
