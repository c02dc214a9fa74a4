import type { KubeObject, Resource } from '@atoll/kube';
import { nodePools, unitedDeployments } from '@atoll/api';
import {
  advancedStatefulSets,
  cloneSets,
  controllerRevisions,
  deployments,
  nodes,
  pods,
  statefulSets,
} from '@atoll/kube';
import type { CacheName, Readers } from './caches.ts';
import type { Controller } from './engine/controller.ts';
import { createNodePoolController, nodePoolAliases } from './node-pool/controller.ts';
import {
  createPoolWorkloadController,
  unitedDaemonSetKind,
  yurtAppDaemonKind,
  type PoolWorkloadKind,
} from './pool-workload/controller.ts';
import type { NeededRight } from './start-up/preflight.ts';
import type { SelectableController } from './start-up/select-controllers.ts';
import { createUnitedDeploymentController, unitedDeploymentAliases } from './united-deployment/controller.ts';

/** A controller that can be run: how it is called, what it reads, what it may write, how it is made. */
export interface ControllerDefinition extends SelectableController {
  readonly reads: readonly CacheName[];
  readonly writes: readonly NeededRight[];
  readonly create: (readers: Readers) => Controller<never>;
}

function define<Snapshot>(
  definition: Omit<ControllerDefinition, 'create'> & {
    readonly create: (readers: Readers) => Controller<Snapshot>;
  },
): ControllerDefinition {
  // Snapshots never leave their controller: the engine hands each back to the controller that made it.
  return definition as unknown as ControllerDefinition;
}

const nodePool = define({
  name: 'node-pool',
  aliases: nodePoolAliases,
  onByDefault: true,
  reads: ['nodePools', 'nodes'],
  writes: [
    { resource: nodePools as Resource<KubeObject>, verb: 'patch' },
    { resource: nodePools as Resource<KubeObject>, verb: 'patch', subresource: 'status' },
    { resource: nodes as Resource<KubeObject>, verb: 'patch' },
  ],
  create: createNodePoolController,
});

function poolWorkload(kind: PoolWorkloadKind): ControllerDefinition {
  const children: readonly Resource<KubeObject>[] = [controllerRevisions, deployments, statefulSets];
  return define({
    name: kind.name,
    aliases: kind.aliases,
    onByDefault: true,
    reads: [kind.reader, 'nodePools', 'deployments', 'statefulSets', 'controllerRevisions', 'poolPods'],
    writes: [
      { resource: kind.resource as Resource<KubeObject>, verb: 'patch', subresource: 'status' },
      ...children.flatMap((resource) => ['create', 'patch', 'delete'].map((verb) => ({ resource, verb }))),
      // Those that keep a StatefulSet from going on.
      { resource: pods as Resource<KubeObject>, verb: 'delete' },
    ],
    create: (readers) => createPoolWorkloadController(kind, readers),
  });
}

const subsetChildren = [
  controllerRevisions,
  deployments,
  statefulSets,
  advancedStatefulSets,
  cloneSets,
] as readonly Resource<KubeObject>[];

const unitedDeployment = define({
  name: 'united-deployment',
  aliases: unitedDeploymentAliases,
  onByDefault: true,
  reads: [
    'unitedDeployments',
    'deployments',
    'statefulSets',
    'advancedStatefulSets',
    'cloneSets',
    'controllerRevisions',
    'subsetPods',
    'kruiseKeptOff',
    'kruiseValidatingWebhooks',
    'kruiseMutatingWebhooks',
  ],
  writes: [
    // A total that was left out is filled in.
    { resource: unitedDeployments as Resource<KubeObject>, verb: 'patch' },
    { resource: unitedDeployments as Resource<KubeObject>, verb: 'patch', subresource: 'status' },
    // Pods are marked as reserved; those that keep a StatefulSet from going on are deleted.
    { resource: pods as Resource<KubeObject>, verb: 'patch' },
    { resource: pods as Resource<KubeObject>, verb: 'delete' },
    ...subsetChildren.flatMap((resource) =>
      ['create', 'patch', 'delete'].map((verb) => ({ resource, verb })),
    ),
  ],
  create: createUnitedDeploymentController,
});

/** Every controller of the operator, in the order in which `--help` names them. */
export const controllerDefinitions: readonly ControllerDefinition[] = [
  nodePool,
  poolWorkload(unitedDaemonSetKind),
  poolWorkload(yurtAppDaemonKind),
  unitedDeployment,
];
