import type { DaemonSet } from '@atoll/kube';
import { agentNames } from '../agent-names.ts';
import { componentName, labels } from '../names.ts';

const selector = { 'app.kubernetes.io/name': componentName, 'app.kubernetes.io/component': 'agent' };
/** The agent's default. */
const port = 10_267;
const cacheDirectory = '/var/lib/atoll-agent';
const probe = { host: '127.0.0.1', port };

/** An agent on each node. The image is what `deploy/images/agent.Dockerfile` builds; none is published. */
export const agentDaemonSet: DaemonSet = {
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: {
    name: agentNames.daemonSet,
    namespace: agentNames.namespace,
    labels: { ...selector, [labels.managedBy]: componentName },
  },
  spec: {
    selector: { matchLabels: selector },
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '10%' } },
    template: {
      metadata: { labels: selector },
      spec: {
        serviceAccountName: agentNames.serviceAccount,
        // People and programs of the node reach it at the node's loopback address.
        hostNetwork: true,
        // The image is Linux's, and the toleration below is for every taint, that of nodes with Windows too.
        nodeSelector: { 'kubernetes.io/os': 'linux' },
        tolerations: [{ operator: 'Exists' }],
        securityContext: { seccompProfile: { type: 'RuntimeDefault' } },
        containers: [
          {
            name: 'agent',
            image: 'atoll-agent:0.8.0',
            imagePullPolicy: 'IfNotPresent',
            env: [
              { name: 'NODE_NAME', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
              // Small nodes: it holds some hundred pods, and answers a few requests a day.
              { name: 'NODE_OPTIONS', value: '--max-semi-space-size=1' },
              { name: 'NODE_COMPILE_CACHE', value: `${cacheDirectory}/compiled` },
              { name: 'MALLOC_ARENA_MAX', value: '1' },
            ],
            livenessProbe: { httpGet: { path: '/v1/healthz', ...probe }, failureThreshold: 6 },
            readinessProbe: { httpGet: { path: '/v1/readyz', ...probe }, periodSeconds: 5 },
            resources: { requests: { cpu: '10m', memory: '80Mi' }, limits: { memory: '160Mi' } },
            // Root without capabilities: the kubelet makes the directory for root.
            securityContext: {
              runAsUser: 0,
              allowPrivilegeEscalation: false,
              readOnlyRootFilesystem: true,
              capabilities: { drop: ['ALL'] },
            },
            volumeMounts: [{ name: 'cache', mountPath: cacheDirectory }],
          },
        ],
        volumes: [{ name: 'cache', hostPath: { path: cacheDirectory, type: 'DirectoryOrCreate' } }],
      },
    },
  },
};
