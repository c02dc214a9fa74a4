import type { ClusterAccess } from './cluster-access.ts';
import { inClusterAccess, isInCluster } from './in-cluster.ts';
import { loadKubeconfig, type KubeconfigOptions } from './load-kubeconfig.ts';

/**
 * The cluster of a controller, or of a command in a pod, in controller-runtime's order: the file given, KUBECONFIG, the pod's own cluster,
 * `~/.kube/config`. Rejects with a `CredentialError`. Without `environment` it is that of this process.
 */
export async function findCluster(options: KubeconfigOptions = {}): Promise<ClusterAccess> {
  const { path, context, cluster, user, server, environment = process.env } = options;
  const chosen = [path, context, cluster, user, server].some((each) => each !== undefined);
  const named = chosen || Boolean(environment['KUBECONFIG']);
  return !named && isInCluster(environment) ? inClusterAccess(environment) : loadKubeconfig(options);
}
