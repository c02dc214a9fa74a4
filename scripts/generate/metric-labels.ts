import { conditionTypes, extendedDaemonSetConditions, extendedDaemonSetStates } from '@atoll/api';
import {
  createMetrics,
  observeReflectors,
  type GaugeFamily,
  type GaugePages,
  type KubeObject,
} from '@atoll/kube';
import { createWebhookMetrics } from '@atoll/kube/webhook';
import type { Readers } from '../../packages/operator/src/caches.ts';
import { kindDefinitions } from '../../packages/operator/src/definitions/kind-definitions.ts';
import { kindGauges } from '../../packages/operator/src/definitions/kind-gauges.ts';
import { withNamespaceGauge } from '../../packages/operator/src/definitions/namespace-gauge.ts';
import { createEngineMetrics } from '../../packages/operator/src/engine-metrics.ts';

/** A metric as the operator declares it. */
export interface DeclaredMetric {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
}

export interface RegisteredMetric extends DeclaredMetric {
  readonly type: string;
}

export interface PagedGauge extends DeclaredMetric {
  readonly page: string;
}

/** The metrics of the registry; those of Node and of the process are prom-client's own. */
export async function registeredMetrics(): Promise<readonly RegisteredMetric[]> {
  const metrics = createMetrics({ processMetrics: false });
  observeReflectors(metrics);
  createWebhookMetrics(metrics);
  createEngineMetrics(metrics);
  const declared = await metrics.registry.getMetricsAsJSON();
  return declared.map(({ name, type, help }) => {
    // prom-client keeps the names, and its types leave them out.
    const { labelNames = [] } = metrics.registry.getSingleMetric(name) as { labelNames?: readonly string[] };
    return { name, help, type: String(type), labels: [...labelNames] };
  });
}

/** The gauges of objects, with the labels that one object of every kind gives its samples. */
export function objectGauges(): readonly PagedGauge[] {
  const pages = withNamespaceGauge(gaugesOfOneObject(), [{ name: 'web', state: 'served' }]);
  return [...pages].flatMap(([page, families]) =>
    families().map((family) => ({ page, name: family.name, help: family.help, labels: labelsOf(family) })),
  );
}

function labelsOf({ samples }: GaugeFamily): readonly string[] {
  return [...new Set(samples.flatMap(({ labels }) => Object.keys(labels)))];
}

/** One that every kind can read: it waits, and its canary is paused. */
const object: KubeObject & { readonly spec: object; readonly status: object } = {
  metadata: {
    namespace: 'web',
    name: 'agent',
    uid: 'u',
    generation: 1,
    creationTimestamp: '2026-01-01T00:00:00Z',
  },
  spec: { template: {}, strategy: { canary: {} } },
  status: {
    state: extendedDaemonSetStates.canaryPaused,
    activeReplicaSet: 'agent',
    canary: { replicaSet: 'agent', nodes: ['n'] },
    desired: 1,
    upToDate: 1,
    available: 1,
    conditions: [
      { type: conditionTypes.ready, status: 'False', reason: 'CanaryPaused' },
      { type: extendedDaemonSetConditions.canaryPaused, status: 'True', reason: 'CrashLoopBackOff' },
    ],
  },
};

function gaugesOfOneObject(): GaugePages {
  const reader = { synced: true, list: () => [object], by: () => [object], get: () => object };
  const readers = Object.fromEntries(
    kindDefinitions.flatMap(({ reads }) => Object.keys(reads).map((name) => [name, reader])),
  );
  return kindGauges(kindDefinitions, readers as unknown as Readers, {
    isLeader: () => false,
    objectDefaults: { canaryValidationMode: 'auto' },
  });
}
