/** Only what the operator writes, and of that no bodies. */
export const auditPolicy = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [
    { level: 'None', verbs: ['get', 'list', 'watch'] },
    { level: 'None', userGroups: ['system:nodes', 'system:masters'] },
    { level: 'None', users: ['system:kube-controller-manager', 'system:kube-scheduler', 'system:apiserver'] },
    { level: 'Metadata' },
  ],
};
