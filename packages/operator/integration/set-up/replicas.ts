import { operatorNames } from '@atoll/api';
import { operatorClusterRoleBindings } from '@atoll/api/install';
import { clusterRoleBindings, roleBindings, serviceAccountUser } from '@atoll/kube';
import { startFaultProxy, type FaultProxy, type RunningOperator } from '@atoll/testbed';
import type { OperatorControlPlane } from './operator-control-plane.ts';
import { shippedInstallation } from '../../src/install/installation.ts';
import { untilGranted } from './until-granted.ts';

const { namespace } = operatorNames;

/** Each has an account of its own, so that the audit log shows who wrote, and a way of its own to the API server. */
export interface Replica {
  readonly name: string;
  readonly user: string;
  readonly proxy: FaultProxy;
  readonly kubeconfig: string;
}

/** An account with the operator's rights, and a proxy. Nothing runs yet. */
export async function newReplica(
  { controlPlane, client }: OperatorControlPlane,
  name: string,
): Promise<Replica> {
  const subjects = [{ kind: 'ServiceAccount', namespace, name }];
  const apiGroup = 'rbac.authorization.k8s.io';
  const original = await controlPlane.kubeconfigFor({ namespace, name });
  for (const { roleRef } of operatorClusterRoleBindings(shippedInstallation.controllers))
    await client.create(clusterRoleBindings, {
      metadata: { name: `${name}.${roleRef.name}` },
      subjects,
      roleRef,
    });
  await client.create(roleBindings, {
    metadata: { namespace, name },
    subjects,
    roleRef: { apiGroup, kind: 'Role', name: operatorNames.role },
  });
  await untilGranted(original);
  const proxy = await startFaultProxy({ target: controlPlane, directory: controlPlane.directory });
  return {
    name,
    user: serviceAccountUser(namespace, name),
    proxy,
    kubeconfig: await proxy.kubeconfigFrom(original),
  };
}

export async function leads(operator: RunningOperator): Promise<boolean> {
  const text = await (await fetch(`${operator.url}/metrics`)).text();
  return text.includes('leader_election_master_status{name="atoll"} 1');
}
