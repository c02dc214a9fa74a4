import { oldExtendedDaemonSetManager } from '@atoll/api';
import { extendedDaemonSetKinds } from '@atoll/api/schema';
import {
  clusterRoleBindings,
  customResourceDefinitions,
  groupResourceOf,
  namespaces,
  serviceAccountUser,
  untilServed,
  type StreamingClient,
} from '@atoll/kube';
import {
  freePorts,
  obtainGoTool,
  originalDefinition,
  originals,
  type Component,
  type ControlPlane,
} from '@atoll/testbed';
import { goTools } from '../../../../scripts/go-tools.ts';
import { apply } from '../set-up/objects.ts';

const account = { namespace: 'datadog', name: 'eds-controller-manager' };

/** The old operator as the audit log names it. */
export const oldOperatorUser = serviceAccountUser(account.namespace, account.name);

/** The definitions of the old operator's release, and what lets it use the cluster. */
export async function installOldOperator(client: StreamingClient): Promise<void> {
  await apply(client, namespaces, { metadata: { name: account.namespace } });
  for (const { resource } of extendedDaemonSetKinds) {
    const definition = await originalDefinition(originals.extendedDaemonSet, groupResourceOf(resource));
    await client.create(customResourceDefinitions, definition);
    await untilServed(client, [definition.metadata.name], { timeoutMs: 90_000 });
  }
  await apply(client, clusterRoleBindings, {
    metadata: { name: account.name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', ...account }],
  });
}

/**
 * Starts Datadog's operator itself, built from its module by the Go tool chain, for all namespaces. Its probes are at a port of its own choice, 8081, so
 * one of a machine runs at a time. Alone, because outside of a pod it cannot elect a leader.
 */
export async function startOldOperator(controlPlane: ControlPlane): Promise<Component> {
  const [port = 0] = await freePorts(1);
  return controlPlane.runProgram({
    name: oldExtendedDaemonSetManager,
    file: await obtainGoTool(goTools.extendedDaemonSet),
    args: [
      '--kubeconfig',
      await controlPlane.kubeconfigFor(account),
      `--metrics-addr=127.0.0.1:${port}`,
      '--enable-leader-election=false',
    ],
    env: { WATCH_NAMESPACE: '' },
  });
}
