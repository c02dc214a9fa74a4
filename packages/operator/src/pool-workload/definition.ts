import { controllerRevisions, deployments, pods, statefulSets } from '@atoll/kube';
import { poolWorkloadWebhooks } from '../admission/pool-workload/webhooks.ts';
import { defineKind, type KindDefinition } from '../definitions/kind-definition.ts';
import { figuresOf } from '../definitions/object-figures.ts';
import {
  createPoolWorkloadController,
  unitedDaemonSetKind,
  yurtAppDaemonKind,
  type PoolWorkloadKind,
} from './controller.ts';
import { poolWorkloadFigures } from './figures.ts';

export const unitedDaemonSetDefinition = poolWorkload(
  unitedDaemonSetKind,
  ['uniteddaemonset', 'united-daemon-set-controller'],
  async () => (await import('@atoll/api/schema')).unitedDaemonSetKind,
);

export const yurtAppDaemonDefinition = poolWorkload(
  yurtAppDaemonKind,
  ['yurtappdaemon', 'yurt-app-daemon-controller'],
  async () => (await import('@atoll/api/schema')).yurtAppDaemonKind,
);

function poolWorkload(
  kind: PoolWorkloadKind,
  aliases: readonly string[],
  schema: NonNullable<KindDefinition['schema']>,
): KindDefinition {
  const children = [controllerRevisions, deployments, statefulSets];
  return defineKind({
    name: kind.name,
    aliases,
    onByDefault: true,
    resource: kind.resource,
    schema,
    reads: [
      kind.reader,
      'nodePools',
      'definitionOfNodePools',
      'deployments',
      'statefulSets',
      'controllerRevisions',
      'poolPods',
    ],
    confirms: ['definitionOfNodePools'],
    writes: [
      { resource: kind.resource, verbs: ['patch'], subresource: 'status' },
      ...children.map((resource) => ({ resource, verbs: ['create', 'patch', 'delete'] }) as const),
      // Those that keep a StatefulSet from going on.
      { resource: pods, verbs: ['delete'] },
    ],
    ownsChildren: true,
    webhooks: poolWorkloadWebhooks(kind.resource),
    figures: (readers) => figuresOf(readers[kind.reader], poolWorkloadFigures),
    create: (readers, findings) => createPoolWorkloadController(kind, readers, findings),
  });
}
