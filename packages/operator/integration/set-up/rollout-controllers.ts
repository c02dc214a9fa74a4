/** The controllers of kube-controller-manager that a rollout of Deployments and StatefulSets needs, for specs that add some of their own. */
export const rolloutControllers: readonly string[] = [
  'namespace-controller',
  'serviceaccount-controller',
  'root-ca-certificate-publisher-controller',
  'garbage-collector-controller',
  'node-lifecycle-controller',
  'deployment-controller',
  'replicaset-controller',
  'statefulset-controller',
];
