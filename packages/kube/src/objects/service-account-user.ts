/** The user that a ServiceAccount's tokens stand for, as RBAC, admission and the audit log name it. */
export function serviceAccountUser(namespace: string, name: string): string {
  return `system:serviceaccount:${namespace}:${name}`;
}
