import type { Flags } from './options.ts';
import type { ControlPlaneFiles } from './control-plane-files.ts';

export interface Ports {
  readonly etcdClient: number;
  readonly etcdPeer: number;
  readonly apiServer: number;
  readonly controllerManager: number;
  readonly scheduler: number;
}

const controllers = [
  'namespace-controller',
  'serviceaccount-controller',
  'serviceaccount-token-controller',
  'root-ca-certificate-publisher-controller',
  'garbage-collector-controller',
  'pod-garbage-collector-controller',
  'node-lifecycle-controller',
  'taint-eviction-controller',
  'deployment-controller',
  'replicaset-controller',
  'statefulset-controller',
  'daemonset-controller',
  'job-controller',
  'disruption-controller',
  'resourcequota-controller',
];

/** Two etcd never have both ports in common, so an answer under this name is from ours. */
export function etcdName({ etcdClient, etcdPeer }: Ports): string {
  return `etcd-${etcdClient}-${etcdPeer}`;
}

export function etcdFlags(files: ControlPlaneFiles, ports: Ports): Flags {
  const client = `http://127.0.0.1:${ports.etcdClient}`;
  const peer = `http://127.0.0.1:${ports.etcdPeer}`;
  const name = etcdName(ports);
  return {
    name,
    'data-dir': files.path('etcd'),
    'listen-client-urls': client,
    'advertise-client-urls': client,
    'listen-peer-urls': peer,
    'initial-advertise-peer-urls': peer,
    'initial-cluster': `${name}=${peer}`,
    // The data dies with the control plane: nothing is worth waiting for the disk.
    'unsafe-no-fsync': true,
    'quota-backend-bytes': 8_589_934_592,
    'log-level': 'warn',
  };
}

export function apiServerFlags(files: ControlPlaneFiles, ports: Ports, kubernetesMinor: number): Flags {
  return {
    // Kubernetes binds tokens to a Node by default since 1.31.
    ...(kubernetesMinor < 31 ? { 'feature-gates': 'ServiceAccountTokenNodeBinding=true' } : {}),
    'etcd-servers': `http://127.0.0.1:${ports.etcdClient}`,
    'bind-address': '127.0.0.1',
    'advertise-address': '127.0.0.1',
    'secure-port': ports.apiServer,
    ...servingFlags(files),
    'client-ca-file': files.path('ca.crt'),
    'authorization-mode': 'RBAC',
    'service-account-issuer': 'https://kubernetes.default.svc',
    'service-account-key-file': files.path('service-account.pub'),
    'service-account-signing-key-file': files.path('service-account.key'),
    'service-cluster-ip-range': '10.0.0.0/24',
    'endpoint-reconciler-type': 'none',
    'allow-privileged': true,
    'event-ttl': '10m',
    v: 1,
  };
}

export function auditFlags(policyFile: string, logFile: string): Flags {
  return { 'audit-policy-file': policyFile, 'audit-log-path': logFile };
}

export function controllerManagerFlags(
  files: ControlPlaneFiles,
  ports: Ports,
  kubeconfig: string,
  nodeMonitorGraceSeconds: number,
): Flags {
  return {
    kubeconfig,
    'authentication-kubeconfig': kubeconfig,
    'authorization-kubeconfig': kubeconfig,
    'bind-address': '127.0.0.1',
    'secure-port': ports.controllerManager,
    ...servingFlags(files),
    // A text: the flag is to be there, because it is true by default, and one that cannot renew its Lease in time on a busy machine ends.
    'leader-elect': 'false',
    'root-ca-file': files.path('ca.crt'),
    'service-account-private-key-file': files.path('service-account.key'),
    // Its default of 20 requests a second would make 5,000 pods take 250 seconds by itself.
    'kube-api-qps': 500,
    'kube-api-burst': 1000,
    'node-monitor-grace-period': `${nodeMonitorGraceSeconds}s`,
    controllers,
  };
}

export function schedulerConfig(kubeconfig: string): object {
  return {
    apiVersion: 'kubescheduler.config.k8s.io/v1',
    kind: 'KubeSchedulerConfiguration',
    clientConnection: { kubeconfig, qps: 1000, burst: 2000 },
    leaderElection: { leaderElect: false },
    parallelism: 2,
  };
}

export function schedulerFlags(files: ControlPlaneFiles, ports: Ports, configFile: string): Flags {
  return {
    config: configFile,
    'bind-address': '127.0.0.1',
    'secure-port': ports.scheduler,
    ...servingFlags(files),
  };
}

export interface KwokDomain {
  readonly selector: string | undefined;
  /** Pods of every domain take their addresses from a range of its own. */
  readonly podRange: string;
}

export function kwokFlags(
  kubeconfig: string,
  stageFiles: readonly string[],
  leaseSeconds: number,
  { selector, podRange }: KwokDomain,
): Flags {
  return {
    kubeconfig,
    ...(selector === undefined
      ? { 'manage-all-nodes': true }
      : { 'manage-nodes-with-label-selector': selector }),
    'node-lease-duration-seconds': leaseSeconds,
    'node-ip': '127.0.0.1',
    cidr: podRange,
    config: stageFiles,
  };
}

function servingFlags(files: ControlPlaneFiles): Flags {
  return { 'tls-cert-file': files.path('serving.crt'), 'tls-private-key-file': files.path('serving.key') };
}
