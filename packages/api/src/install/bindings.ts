import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding, Subject } from '@atoll/kube';

const apiGroup = 'rbac.authorization.k8s.io';
export const rbacVersion = `${apiGroup}/v1`;

/** The ServiceAccount that gets the rights. */
interface Account {
  readonly name: string;
  readonly namespace: string;
}

/** Binds a ClusterRole to an account, in the whole cluster; it is called as the role. */
export function clusterRoleBinding(
  { metadata }: Pick<ClusterRole, 'metadata'>,
  account: Account,
): ClusterRoleBinding {
  return {
    apiVersion: rbacVersion,
    kind: 'ClusterRoleBinding',
    metadata,
    roleRef: { apiGroup, kind: 'ClusterRole', name: metadata.name },
    subjects: [subjectOf(account)],
  };
}

/** Binds a Role to an account, which may be one of another namespace; it is called as the role. */
export function roleBinding({ metadata }: Pick<Role, 'metadata'>, account: Account): RoleBinding {
  return {
    apiVersion: rbacVersion,
    kind: 'RoleBinding',
    metadata,
    roleRef: { apiGroup, kind: 'Role', name: metadata.name },
    subjects: [subjectOf(account)],
  };
}

function subjectOf({ name, namespace }: Account): Subject {
  return { kind: 'ServiceAccount', name, namespace };
}
