import {
  extendedDaemonSetReplicaSets,
  extendedDaemonSets,
  extendedDaemonsetSettings,
  nodePools,
  unitedDaemonSets,
  unitedDeployments,
  yurtAppDaemons,
} from '@atoll/api';
import {
  controllerRevisions,
  daemonSets,
  deployments,
  nodes,
  pods,
  replicaSets,
  statefulSets,
  type KubeObject,
  type Resource,
  type StreamingClient,
} from '@atoll/kube';

const resources: readonly Resource<KubeObject>[] = [
  nodePools,
  unitedDaemonSets,
  yurtAppDaemons,
  unitedDeployments,
  extendedDaemonSets,
  extendedDaemonSetReplicaSets,
  extendedDaemonsetSettings,
  daemonSets,
  deployments,
  statefulSets,
  replicaSets,
  controllerRevisions,
  pods,
].map((resource) => resource as Resource<KubeObject>);

/**
 * What stands in the cluster, a line each by name: which object it is and which version of it. Of nodes, which their kubelets write all
 * the time, it is what pools put on them.
 */
export async function standingObjects(client: StreamingClient): Promise<Readonly<Record<string, string>>> {
  const found: Record<string, string> = {};
  for (const resource of resources) {
    const { items } = await client.list(resource);
    for (const { metadata } of items)
      found[`${resource.plural} ${metadata.name}`] = `${metadata.uid} at ${metadata.resourceVersion}`;
  }
  for (const { metadata, spec } of (await client.list(nodes)).items)
    found[`nodes ${metadata.name}`] = JSON.stringify([metadata.labels, metadata.annotations, spec?.taints]);
  return found;
}
