import { annotations, nodePools, yurtAppDaemons, type NodePool, type PoolWorkload } from '@atoll/api';
import { deployments, statefulSets } from '@atoll/kube';
import type { Deployment, StatefulSet, Stored } from '@atoll/kube';
import { createPoolWorkloadController, yurtAppDaemonKind } from '../../src/pool-workload/controller.ts';
import { FreshWorld } from './fresh-world.ts';

/** The example of `reference/openyurt.md` 3.5. */
export const hz: NodePool = {
  metadata: { name: 'hz', labels: { tier: 'a' } },
  spec: { taints: [{ key: 'edge', value: 'x', effect: 'NoSchedule' }] },
};
export const bj: NodePool = { metadata: { name: 'bj', labels: { tier: 'a' } } };

export const podSpec = {
  tolerations: [{ key: 'k', operator: 'Exists' }],
  nodeSelector: { disk: 'ssd' },
  containers: [{ name: 'web', image: 'web:1' }],
};

export const web: PoolWorkload = {
  metadata: { name: 'web', namespace: 'ns' },
  spec: {
    selector: { matchLabels: { app: 'web' } },
    nodepoolSelector: { matchLabels: { tier: 'a' } },
    workloadTemplate: {
      deploymentTemplate: {
        metadata: { labels: { app: 'web' } },
        spec: { replicas: 2, template: { metadata: { labels: { app: 'web' } }, spec: podSpec } },
      },
    },
  },
};

export const webKey = { namespace: 'ns', name: 'web' } as const;

/** A world with the example in it, and its controller. */
export function workedExample(workload: PoolWorkload = web, pools: readonly NodePool[] = [hz, bj]) {
  const world = new FreshWorld();
  for (const pool of pools) world.put(nodePools, pool);
  world.put(yurtAppDaemons, workload);
  const controller = createPoolWorkloadController(yurtAppDaemonKind, world.readers, world.findings);
  return { world, controller };
}

/** Changes the example's template. */
export function editTemplate(
  world: FreshWorld,
  change: (spec: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>,
): void {
  world.edit(yurtAppDaemons, webKey, (found) => {
    const { deploymentTemplate } = found.spec.workloadTemplate ?? {};
    const spec = change((deploymentTemplate?.spec ?? {}) as Readonly<Record<string, unknown>>);
    const workloadTemplate = { deploymentTemplate: { ...deploymentTemplate, spec } };
    return { ...found, spec: { ...found.spec, workloadTemplate } };
  });
}

/** Changes the pod template of the example. */
export function editPods(
  world: FreshWorld,
  change: (spec: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>,
): void {
  editTemplate(world, (spec) => {
    const template = spec['template'] as { readonly spec: Readonly<Record<string, unknown>> };
    return { ...spec, template: { ...template, spec: change(template.spec) } };
  });
}

/** The Deployment that serves a pool. */
export function childIn(world: FreshWorld, pool: string): Stored<Deployment> | undefined {
  return world
    .list(deployments)
    .find(({ metadata }) => metadata.annotations?.[annotations.refNodePool] === pool);
}

/** The Deployment and StatefulSet controllers, and everything below them, do their work at once. */
export function rollOut(world: FreshWorld, ...names: readonly string[]): void {
  for (const resource of [deployments, statefulSets]) {
    for (const { metadata, spec } of world.list<Deployment | StatefulSet>(resource)) {
      if (names.length > 0 && !names.includes(metadata.name)) continue;
      const replicas = spec?.replicas ?? 1;
      const counts = {
        replicas,
        readyReplicas: replicas,
        updatedReplicas: replicas,
        availableReplicas: replicas,
      };
      const conditions = [{ type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable' }];
      const status = { ...counts, observedGeneration: metadata.generation ?? 0, conditions };
      const { name, namespace = '' } = metadata;
      world.edit<Deployment | StatefulSet>(resource, { namespace, name }, (found) => ({ ...found, status }));
    }
  }
}
