import type { Pod } from '@atoll/kube';

export const namespaceCount = 20;

/** A pod as Deployments make them on a busy cluster, about 5 KB with status and managedFields. */
export function podOf(index: number): Pod {
  const app = `web-${index % 97}`;
  return {
    metadata: {
      name: `${app}-7d9c5b8f6c-${index.toString(36).padStart(5, '0')}`,
      namespace: namespaceOf(index),
      labels: {
        app,
        'app.kubernetes.io/name': 'web',
        'app.kubernetes.io/instance': app,
        'pod-template-hash': '7d9c5b8f6c',
      },
      annotations: {
        'prometheus.io/scrape': 'true',
        'prometheus.io/port': '9090',
        'checksum/config': 'a'.repeat(64),
      },
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          kind: 'ReplicaSet',
          name: `${app}-7d9c5b8f6c`,
          uid: `aaaaaaaa-8a44-4d0e-9c1f-${String(index % 97).padStart(12, '0')}`,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: {
      nodeName: `node-${index % 5000}`,
      volumes: [{ name: 'config', configMap: { name: 'web-config' } }],
      containers: [
        {
          name: 'web',
          image: 'registry.example.com/team/web:1.2.3',
          ports: [{ containerPort: 8080 }],
          env: Array.from({ length: 8 }, (_, at) => ({
            name: `SETTING_${at}`,
            value: `value-of-setting-${at}`,
          })),
          resources: { limits: { cpu: '500m', memory: '256Mi' }, requests: { cpu: '100m', memory: '128Mi' } },
          volumeMounts: [{ name: 'config', mountPath: '/etc/web', readOnly: true }],
        },
      ],
      tolerations: ['not-ready', 'unreachable'].map((reason) => ({
        key: `node.kubernetes.io/${reason}`,
        operator: 'Exists',
        effect: 'NoExecute',
        tolerationSeconds: 300,
      })),
    },
  };
}

/** The `round`-th status that a kubelet reports. */
export function statusOf(index: number, round: number): object {
  const at = new Date(Date.UTC(2026, 10, 1, 10, 0, round)).toISOString().replace('.000', '');
  return {
    phase: 'Running',
    conditions: ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map(
      (type) => ({
        type,
        status: 'True',
        lastTransitionTime: at,
      }),
    ),
    hostIP: '10.0.0.1',
    podIP: `10.1.${index % 250}.7`,
    startTime: '2026-11-01T10:00:00Z',
    containerStatuses: [
      {
        name: 'web',
        state: { running: { startedAt: at } },
        lastState: {},
        ready: true,
        started: true,
        restartCount: round,
        image: 'registry.example.com/team/web:1.2.3',
        imageID: `registry.example.com/team/web@sha256:${'b'.repeat(64)}`,
        containerID: `containerd://${'c'.repeat(64)}`,
      },
    ],
  };
}

function namespaceOf(index: number): string {
  return `team-${index % namespaceCount}`;
}
