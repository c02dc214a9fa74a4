import type { Deployment, PodDisruptionBudget, Service } from '@atoll/kube';
import { componentName, labels, operatorNames } from '../names.ts';

const { namespace, serviceAccount } = operatorNames;
/** What the Service of the webhooks selects by. */
const selector = { 'app.kubernetes.io/name': componentName, 'app.kubernetes.io/component': 'operator' };
const metadata = {
  name: componentName,
  namespace,
  labels: { ...selector, [labels.managedBy]: componentName },
};

/** `--bind-address`, `--metrics-bind-address` and `--webhook-bind-address`, as they are in a pod by default. */
const ports = { health: 8080, metrics: 8443, webhooks: 9443 };

/**
 * Two replicas of the operator: one leads, both serve webhooks. The image is what `deploy/images/operator.Dockerfile` builds; none
 * is published. The chart in `deploy/helm/atoll` renders the same.
 */
export const operatorDeployment: Deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata,
  spec: {
    replicas: 2,
    selector: { matchLabels: selector },
    // The next one is ready to serve webhooks before the last one goes.
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
    template: {
      metadata: { labels: selector },
      spec: {
        serviceAccountName: serviceAccount,
        // Longer than the 30 s in which the operator ends what is under way: the line that names what did not end comes after them.
        terminationGracePeriodSeconds: 40,
        // The image is Linux's: nodes with Windows could not run it.
        nodeSelector: { 'kubernetes.io/os': 'linux' },
        // The image names the user: a cluster that gives each namespace users of its own, as OpenShift does, refuses any other here.
        securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
        topologySpreadConstraints: [
          {
            maxSkew: 1,
            topologyKey: 'kubernetes.io/hostname',
            whenUnsatisfiable: 'ScheduleAnyway',
            labelSelector: { matchLabels: selector },
          },
        ],
        containers: [
          {
            name: 'operator',
            image: 'atoll-operator:0.8.0',
            imagePullPolicy: 'IfNotPresent',
            args: ['--controllers=*', '--log-level=info', '--log-format=json'],
            env: [
              { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
              { name: 'POD_NAMESPACE', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } },
              // By itself V8 takes less with this limit of memory, and collects garbage for a third of a rollout (docs/performance.md).
              { name: 'NODE_OPTIONS', value: '--max-semi-space-size=8' },
            ],
            ports: [
              { name: 'health', containerPort: ports.health },
              { name: 'metrics', containerPort: ports.metrics },
              { name: 'webhooks', containerPort: ports.webhooks },
            ],
            livenessProbe: { httpGet: { path: '/healthz', port: 'health' }, failureThreshold: 6 },
            readinessProbe: { httpGet: { path: '/readyz', port: 'health' }, periodSeconds: 5 },
            resources: { requests: { cpu: '100m', memory: '192Mi' }, limits: { memory: '512Mi' } },
            securityContext: {
              allowPrivilegeEscalation: false,
              readOnlyRootFilesystem: true,
              capabilities: { drop: ['ALL'] },
            },
          },
        ],
      },
    },
  },
};

/** Nodes are drained without taking both replicas at once; those that never become ready do not keep a node from it. */
export const operatorDisruptionBudget: PodDisruptionBudget = {
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata,
  spec: {
    maxUnavailable: 1,
    unhealthyPodEvictionPolicy: 'AlwaysAllow',
    selector: { matchLabels: selector },
  },
};

/** For those who scrape metrics, over HTTPS. Each replica has its own. */
export const operatorMetricsService: Service = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { ...metadata, name: operatorNames.metricsService },
  spec: {
    selector,
    ports: [{ name: 'metrics', port: ports.metrics, targetPort: 'metrics', protocol: 'TCP' }],
  },
};
