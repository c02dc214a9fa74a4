import type { ControlPlaneOptions, Flags } from './options.ts';

export interface Files {
  readonly ca: string;
  readonly servingCert: string;
  readonly servingKey: string;
  readonly serviceAccountPublic: string;
  readonly serviceAccountKey: string;
  readonly auditPolicy: string;
  readonly auditLog: string;
  readonly schedulerConfig: string;
  readonly etcdData: string;
}

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

export function etcdFlags(files: Files, ports: Ports): Flags {
  const client = `http://127.0.0.1:${ports.etcdClient}`;
  const peer = `http://127.0.0.1:${ports.etcdPeer}`;
  return {
    'data-dir': files.etcdData,
    'listen-client-urls': client,
    'advertise-client-urls': client,
    'listen-peer-urls': peer,
    'initial-advertise-peer-urls': peer,
    'initial-cluster': `default=${peer}`,
    // The data dies with the plane: nothing is worth waiting for the disk.
    'unsafe-no-fsync': true,
    'quota-backend-bytes': 8_589_934_592,
    'log-level': 'warn',
  };
}

export function apiServerFlags(files: Files, ports: Ports, options: ControlPlaneOptions): Flags {
  const audited = options.audit !== undefined && options.audit !== false;
  return {
    'etcd-servers': `http://127.0.0.1:${ports.etcdClient}`,
    'bind-address': '127.0.0.1',
    'advertise-address': '127.0.0.1',
    'secure-port': ports.apiServer,
    'tls-cert-file': files.servingCert,
    'tls-private-key-file': files.servingKey,
    'client-ca-file': files.ca,
    'authorization-mode': 'RBAC',
    'service-account-issuer': 'https://kubernetes.default.svc',
    'service-account-key-file': files.serviceAccountPublic,
    'service-account-signing-key-file': files.serviceAccountKey,
    'service-cluster-ip-range': '10.0.0.0/24',
    'endpoint-reconciler-type': 'none',
    'allow-privileged': true,
    'event-ttl': '10m',
    v: 1,
    ...(audited ? { 'audit-policy-file': files.auditPolicy, 'audit-log-path': files.auditLog } : {}),
  };
}

export function controllerManagerFlags(
  files: Files,
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
    'leader-elect': false,
    'root-ca-file': files.ca,
    'service-account-private-key-file': files.serviceAccountKey,
    'use-service-account-credentials': false,
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

export function schedulerFlags(files: Files, ports: Ports): Flags {
  return { config: files.schedulerConfig, 'bind-address': '127.0.0.1', 'secure-port': ports.scheduler };
}

export function kwokFlags(
  kubeconfig: string,
  stageFiles: readonly string[],
  leaseSeconds: number,
  selector?: string,
): Flags {
  return {
    kubeconfig,
    ...(selector === undefined
      ? { 'manage-all-nodes': true }
      : { 'manage-nodes-with-label-selector': selector }),
    'node-lease-duration-seconds': leaseSeconds,
    'node-ip': '127.0.0.1',
    cidr: '10.0.0.0/8',
    config: stageFiles,
  };
}
