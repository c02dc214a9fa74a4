import { fieldManagers, labels, unitedDeployments, type Subset, type UnitedDeployment } from '@atoll/api';
import { keyOf, pods } from '@atoll/kube';
import type { KubeObject, Pod, Resource } from '@atoll/kube';
import { FreshWorld } from './fresh-world.ts';
import type { ChildWorkload } from '../../src/children/child.ts';
import { childKinds, kindFacts, type ChildKind } from '../../src/united-deployment/subsets/child-kind.ts';
import { podTemplateHash } from '../../src/children/pods/deployment-of-pod.ts';
import { createUnitedDeploymentController } from '../../src/united-deployment/controller.ts';

const app = { app: 'web' };

export const podTemplate = {
  metadata: { labels: app },
  spec: { containers: [{ name: 'web', image: 'web:1' }] },
};

export const webKey = { namespace: 'ns', name: 'web' } as const;

export function zone(name: string, more: Partial<Subset> = {}): Subset {
  const term = { key: 'zone', operator: 'In' as const, values: [name] };
  return { name, nodeSelectorTerm: { matchExpressions: [term] }, ...more };
}

/** The manual's example: 6 replicas as 1, 50 % and what is left. */
export const threeZones: readonly Subset[] = [
  zone('a', { replicas: 1 }),
  zone('b', { replicas: '50%' }),
  zone('c'),
];

export function web(
  subsets: readonly Subset[] = threeZones,
  kind: ChildKind = 'Deployment',
  spec: Partial<UnitedDeployment['spec']> = {},
): UnitedDeployment {
  const template = {
    [kindFacts[kind].member]: { metadata: { labels: app }, spec: { template: podTemplate } },
  };
  return {
    metadata: webKey,
    spec: {
      replicas: 6,
      selector: { matchLabels: app },
      template: template as UnitedDeployment['spec']['template'],
      topology: { subsets },
      ...spec,
    },
  };
}

/** A world with one UnitedDeployment in it, and the controller. */
export function spread(workload: UnitedDeployment = web()) {
  const world = new FreshWorld();
  world.put(unitedDeployments, workload);
  const controller = createUnitedDeploymentController(world.readers, world.findings);
  return { world, controller };
}

export function editSpec(
  world: FreshWorld,
  change: (spec: UnitedDeployment['spec']) => Partial<UnitedDeployment['spec']>,
): void {
  world.edit(unitedDeployments, webKey, (found) => ({
    ...found,
    spec: { ...found.spec, ...change(found.spec) },
  }));
}

/** Another image in the template. */
export function setImage(world: FreshWorld, image: string, kind: ChildKind = 'Deployment'): void {
  const template = { ...podTemplate, spec: { containers: [{ name: 'web', image }] } };
  editSpec(world, ({ template: found }) => {
    const { member } = kindFacts[kind];
    const given = found[member];
    return { template: { [member]: { ...given, spec: { ...given?.spec, template } } } as typeof found };
  });
}

/** Children of all kinds by subset, as `Deployment 3`. */
export function childrenOf(world: FreshWorld): Readonly<Record<string, string>> {
  const children: Record<string, string> = {};
  for (const kind of childKinds) {
    for (const { metadata, spec } of world.list<ChildWorkload>(
      kindFacts[kind].resource as Resource<ChildWorkload>,
    )) {
      const subset = metadata.labels?.[labels.subsetName] ?? metadata.name;
      const text = `${kind} ${spec?.replicas ?? 1}`;
      children[subset] = children[subset] === undefined ? text : `${children[subset]}, ${text}`;
    }
  }
  return children;
}

export function childOf(world: FreshWorld, subset: string, kind: ChildKind = 'Deployment') {
  const resource = kindFacts[kind].resource as Resource<ChildWorkload>;
  const found = world.list(resource).find(({ metadata }) => metadata.labels?.[labels.subsetName] === subset);
  if (found === undefined) throw new Error(`no ${kind} of subset ${subset}`);
  return found;
}

/** The controllers of the children and everything below them do their work at once. */
export function rollOut(world: FreshWorld, ...subsets: readonly string[]): void {
  for (const kind of childKinds) {
    const resource = kindFacts[kind].resource as Resource<ChildWorkload>;
    for (const child of world.list(resource)) {
      const subset = child.metadata.labels?.[labels.subsetName] ?? '';
      if (subsets.length > 0 && !subsets.includes(subset)) continue;
      const replicas = child.spec?.replicas ?? 1;
      removePods(world, kind, child.metadata.name);
      for (let index = 0; index < replicas; index += 1) putPod(world, kind, child, index);
      const counts = {
        replicas,
        readyReplicas: replicas,
        updatedReplicas: replicas,
        availableReplicas: replicas,
      };
      const status = { ...counts, observedGeneration: child.metadata.generation ?? 0 };
      const { name, namespace = '' } = child.metadata;
      world.edit(resource, { namespace, name }, (found) => ({ ...found, status }));
    }
  }
}

export interface PodState {
  readonly ready?: boolean;
  readonly node?: string;
  readonly phase?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly conditions?: NonNullable<Pod['status']>['conditions'];
}

/** One pod of a child, by way of a ReplicaSet where the child is a Deployment. */
export function putPod(
  world: FreshWorld,
  kind: ChildKind,
  child: ReturnType<typeof childOf>,
  index: number,
  state: PodState = {},
): void {
  const { name, namespace = '', uid } = child.metadata;
  const { ready = true, phase = 'Running', node } = state;
  const owner = controller(kindFacts[kind].resource.kind, name, uid);
  const controlledBy =
    kind === 'Deployment' ? controller('ReplicaSet', `${name}-${uid}`, `uid-${name}-${uid}`) : owner;
  const conditions = state.conditions ?? [{ type: 'Ready', status: ready ? 'True' : 'False' }];
  world.put(pods, {
    metadata: {
      name: podName(kind, name, index),
      namespace,
      labels: { ...child.spec?.template?.metadata?.labels, [podTemplateHash]: uid, ...state.labels },
      ownerReferences: [controlledBy],
    },
    ...(node === undefined ? {} : { spec: { nodeName: node } }),
    status: { phase, conditions },
  } as unknown as Pod);
}

export function removePods(world: FreshWorld, kind: ChildKind, child: string): void {
  const prefix = podName(kind, child, '');
  for (const { metadata } of world.list(pods)) {
    const { name, namespace = '' } = metadata;
    if (!name.startsWith(prefix) || !/^\d+$/.test(name.slice(prefix.length))) continue;
    world.remove(pods as Resource<KubeObject>, { namespace, name });
  }
}

/** Children of several kinds may have the same name; their pods in this world may not. */
function podName(kind: ChildKind, child: string, index: number | ''): string {
  return kind === 'StatefulSet' ? `${child}-${index}` : `${child}-${kind.toLowerCase()}-${index}`;
}

function controller(kind: string, name: string, uid: string) {
  return { apiVersion: 'apps/v1', kind, name, uid, controller: true };
}

/** `Ready: 'True RolloutComplete'`, … */
export function conditionsOf(world: FreshWorld): Readonly<Record<string, string>> {
  const { conditions = [] } = world.get(unitedDeployments, webKey).status ?? {};
  return Object.fromEntries(conditions.map(({ type, status, reason }) => [type, `${status} ${reason}`]));
}

export function statusOf(world: FreshWorld): NonNullable<UnitedDeployment['status']> {
  return world.get(unitedDeployments, webKey).status ?? {};
}

/** Somebody scales a child, as `kubectl scale` does, and owns its replicas from then on; of 0, which a Scale leaves out, there is no owner. */
export function scaleChild(
  world: FreshWorld,
  subset: string,
  replicas: number,
  kind: ChildKind = 'Deployment',
): void {
  const child = childOf(world, subset, kind);
  const resource = kindFacts[kind].resource as Resource<ChildWorkload>;
  const ours = {
    manager: fieldManagers.atoll,
    operation: 'Apply',
    fieldsV1: { 'f:spec': { 'f:selector': {} } },
  };
  const scaled = {
    manager: 'kubectl',
    operation: 'Update',
    subresource: 'scale',
    fieldsV1: { 'f:spec': { 'f:replicas': {} } },
  };
  world.edit(resource, keyOf(child), (found) => ({
    ...found,
    metadata: { ...found.metadata, managedFields: replicas === 0 ? [ours] : [ours, scaled] },
    spec: { ...found.spec, replicas },
  }));
}

/** What we applied last: all replicas are ours again. */
export function writtenByAtoll(world: FreshWorld): void {
  const fieldsV1 = { 'f:spec': { 'f:selector': {}, 'f:replicas': {} } };
  const managedFields = [{ manager: fieldManagers.atoll, operation: 'Apply', fieldsV1 }];
  for (const kind of childKinds) {
    const resource = kindFacts[kind].resource as Resource<ChildWorkload>;
    for (const child of world.list(resource))
      world.edit(resource, keyOf(child), (found) => ({
        ...found,
        metadata: { ...found.metadata, managedFields },
      }));
  }
}

/** The scheduler's condition of a pod that no node fits. */
export function unschedulable(since: string): PodState {
  const conditions = [
    { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', lastTransitionTime: since },
  ];
  return { ready: false, phase: 'Pending', conditions };
}

/** So many pods of a subset run, and the others find no node. */
export function partlyScheduled(world: FreshWorld, subset: string, ready: number): void {
  const child = childOf(world, subset);
  const replicas = child.spec?.replicas ?? 1;
  removePods(world, 'Deployment', child.metadata.name);
  const since = new Date(world.now).toISOString();
  for (let index = 0; index < replicas; index += 1) {
    putPod(world, 'Deployment', child, index, index < ready ? {} : unschedulable(since));
  }
  const { name, namespace = '' } = child.metadata;
  const counts = { replicas, readyReplicas: ready, updatedReplicas: replicas, availableReplicas: ready };
  const status = { ...counts, observedGeneration: child.metadata.generation ?? 0 };
  const resource = kindFacts.Deployment.resource as Resource<ChildWorkload>;
  world.edit(resource, { namespace, name }, (found) => ({ ...found, status }));
}
