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
  groupResourceOf,
  type KubeObject,
  type Resource,
  type Stored,
  type StreamingClient,
} from '@atoll/kube';
import { beforeFirstRelease, type Release } from '../../../../scripts/release/previous-release.ts';

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
 * By the name of a previous release, the kinds whose status has fields that it did not write yet, or a message that it put in other words: these are
 * written once.
 */
const newInStatus: Readonly<Record<string, readonly Resource<KubeObject>[]>> = {
  [beforeFirstRelease.name]: [
    extendedDaemonSetReplicaSets,
    extendedDaemonsetSettings,
    unitedDaemonSets,
    yurtAppDaemons,
  ] as never,
};

/**
 * What stands in the cluster, a line each by name: which object it is and which version of it. Of nodes, which their kubelets write all
 * the time, it is what pools put on them; of {@link newInStatus} all but the status.
 */
export async function standingObjects(
  client: StreamingClient,
  { name }: Release,
): Promise<Readonly<Record<string, string>>> {
  const found: Record<string, string> = {};
  for (const resource of resources) {
    const { items } = await client.list(resource);
    const isNewInStatus = newInStatus[name]?.includes(resource) === true;
    for (const object of items) {
      const { metadata } = object;
      found[`${resource.plural} ${metadata.name}`] = isNewInStatus
        ? `${metadata.uid} with ${JSON.stringify(withoutStatus(object))}`
        : `${metadata.uid} at ${metadata.resourceVersion}`;
    }
  }
  for (const { metadata, spec } of (await client.list(nodes)).items)
    found[`nodes ${metadata.name}`] = JSON.stringify([metadata.labels, metadata.annotations, spec?.taints]);
  return found;
}

function withoutStatus(object: Stored<KubeObject>): object {
  const { resourceVersion: _version, managedFields: _fields, ...metadata } = object.metadata;
  return { ...object, metadata, status: undefined };
}

/** Whether a write (`patch extendeddaemonsetsettings.datadoghq.com/status NAME`) is to what {@link standingObjects} leaves out. */
export function addsToStatus(write: string, { name }: Release): boolean {
  const [verb, target] = write.split(' ');
  return (
    verb === 'patch' &&
    newInStatus[name]?.some((each) => target === `${groupResourceOf(each)}/status`) === true
  );
}
