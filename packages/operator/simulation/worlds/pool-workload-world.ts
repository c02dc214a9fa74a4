import { annotations, labels, nodePools, unitedDaemonSets } from '@atoll/api';
import type { NodePool, PoolWorkload } from '@atoll/api';
import { ApiError, controllerOf, controllerRevisions, deployments, statefulSets } from '@atoll/kube';
import type { CacheEvent, KubeObject, ObjectKey, Resource } from '@atoll/kube';
import { caches } from '../../src/caches.ts';
import type { CacheDeclaration } from '../../src/caches.ts';
import type { Controller } from '../../src/engine/controller.ts';
import type { Plan } from '../../src/engine/plan.ts';
import { sameJson } from '../../src/engine/same-meaning.ts';
import type { Step } from '../../src/engine/step.ts';
import { createPoolWorkloadController, unitedDaemonSetKind } from '../../src/pool-workload/controller.ts';
import { emptyStore, seed, slotOf } from '../store.ts';
import type { Operation } from '../api-server.ts';
import type { Store } from '../store.ts';
import type { Shown } from '../caches.ts';
import { garbageCollector } from '../neighbours/garbage-collector.ts';
import { deletes, edits } from '../neighbours/people.ts';
import { workloadControllers } from '../neighbours/workload-controllers.ts';
import { processOf } from '../process.ts';
import { objectsOf } from '../world.ts';
import type { Effect, EngineBug, Fault, Process, World } from '../world.ts';

/** Planted bugs of section 3.2, as wrappers around the shipped controller. */
export type PoolWorkloadBug =
  | 'generated-names'
  | 'children-not-watched'
  | 'adopts-by-label'
  | 'pools-by-new-labels-only'
  | 'revision-in-pod-label'
  | 'forgets-the-other-kind'
  | 'unsynced-is-empty';

export interface PoolWorkloadWorldOptions {
  readonly name: string;
  readonly pools?: readonly string[];
  readonly budgets: Readonly<Record<string, number>>;
  readonly faults?: readonly Fault[];
  readonly lag?: number;
  readonly bug?: PoolWorkloadBug;
  readonly engineBug?: EngineBug;
  /** The pool whose child is refused for ever. */
  readonly refused?: string;
  /** A Deployment with our labels that nobody owns. */
  readonly stranger?: boolean;
  readonly spurious?: boolean;
}

const now = Date.UTC(2026, 0, 1);
const stamp = '2026-01-01T00:00:00Z';
const key: ObjectKey = { namespace: 'edge', name: 'web' };
const childKinds: readonly Resource<KubeObject>[] = [deployments, statefulSets];

interface Memory {
  /** Pools that have ever been unselected or gone. */
  readonly left: readonly string[];
}

/** A UnitedDaemonSet over small pools. */
export function poolWorkloadWorld(options: PoolWorkloadWorldOptions): World {
  const names = options.pools ?? ['hz', 'bj'];
  let begin = seed(emptyStore, unitedDaemonSets, workload(), 'uid-web', stamp);
  for (const name of names) {
    const pool: NodePool = { metadata: { name, labels: { tier: 'a' } } };
    begin = seed(begin, nodePools, pool, `uid-pool-${name}`, stamp);
  }
  if (options.stranger === true)
    begin = seed(begin, deployments, strangerIn(names[0] ?? ''), 'uid-stranger', stamp);
  const { refused } = options;
  return {
    name: options.name,
    build: (shown) => build(shown, options.bug),
    begin,
    keys: ['edge/web'],
    neighbours: [
      ...workloadControllers(),
      garbageCollector([deployments, statefulSets, controllerRevisions] as readonly Resource<KubeObject>[]),
      edits('edit', unitedDaemonSets, (object) => [
        { label: 'sets another image', patch: templatePatch(object, { image: nextImage(object) }) },
      ]),
      edits('relabel', unitedDaemonSets, () => [
        { label: 'labels the children, not their pods', patch: metadataPatch({ team: 'blue' }) },
      ]),
      edits('scale', unitedDaemonSets, () => [{ label: 'scales to 2', patch: replicasPatch(2) }]),
      edits('kind', unitedDaemonSets, (object) => [kindPatch(object)]),
      edits('select', nodePools, ({ metadata }) => [
        metadata.labels?.['tier'] === 'a'
          ? { label: `unlabels pool ${metadata.name}`, patch: { metadata: { labels: { tier: null } } } }
          : { label: `labels pool ${metadata.name}`, patch: { metadata: { labels: { tier: 'a' } } } },
      ]),
      deletes('drop', nodePools),
      deletes('rival', deployments, (child) => controllerOf(child) !== undefined),
      edits('drift', deployments, (child) =>
        controllerOf(child) === undefined
          ? []
          : [
              {
                label: `takes the pool label from ${child.metadata.name}`,
                patch: { metadata: { labels: { [labels.poolName]: null } } },
              },
            ],
      ),
    ],
    budgets: options.budgets,
    faults: options.faults ?? [
      'lost-after',
      'lost-before',
      'refused',
      'crash-before',
      'crash-after',
      'crash-late',
    ],
    lag: options.lag ?? 1,
    now,
    memory: { begin: { left: [] } satisfies Memory, next: remember },
    wrongEffect,
    wrongState,
    missing: (store) => missingIn(store, refused),
    ...(refused === undefined ? {} : { refuse: (operation) => refuseChildOf(operation, refused) }),
    ...(options.engineBug === undefined ? {} : { bug: options.engineBug }),
    ...(options.spurious === undefined ? {} : { spurious: options.spurious }),
  };
}

function workload(): PoolWorkload {
  return {
    metadata: { name: 'web', namespace: 'edge' },
    spec: {
      selector: { matchLabels: { app: 'web' } },
      nodepoolSelector: { matchLabels: { tier: 'a' } },
      workloadTemplate: {
        deploymentTemplate: {
          metadata: { labels: { app: 'web' } },
          spec: { replicas: 1, template: pods('web:1') },
        },
      },
    },
  };
}

function pods(image: string) {
  return { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image }] } };
}

function strangerIn(pool: string): KubeObject {
  const object = {
    metadata: {
      name: 'stranger',
      namespace: 'edge',
      labels: { app: 'web', [labels.poolName]: pool },
      annotations: { [annotations.refNodePool]: pool },
    },
    spec: { replicas: 1, template: pods('other:1') },
  };
  return object;
}

function build(shown: Shown, bug: PoolWorkloadBug | undefined): Process {
  const adopting: CacheDeclaration<KubeObject> = {
    resource: deployments as Resource<KubeObject>,
    indexers: { owner: () => ['uid-web'] },
  };
  return processOf(
    shown,
    ['unitedDaemonSets', 'nodePools', 'deployments', 'statefulSets', 'controllerRevisions'],
    (readers) => {
      const believing = Object.fromEntries(
        Object.entries(readers).map(([name, reader]) => [
          name,
          bug === 'unsynced-is-empty' ? alwaysSynced(reader) : reader,
        ]),
      ) as unknown as typeof readers;
      return withBug(createPoolWorkloadController(unitedDaemonSetKind, believing), bug);
    },
    bug === 'adopts-by-label'
      ? { deployments: adopting }
      : bug === 'forgets-the-other-kind'
        ? { deployments: forgettingOf(shown) }
        : {},
  );
}

/** A Deployment is forgotten as soon as the template is of the other kind. */
function forgettingOf(shown: Shown): CacheDeclaration<KubeObject> {
  const { resource, indexers } = caches.deployments as unknown as CacheDeclaration<KubeObject>;
  return {
    resource,
    indexers: {
      owner: (object) => {
        const web = shown.content.known.get(slotOf(unitedDaemonSets, key))?.object as
          PoolWorkload | undefined;
        return web?.spec.workloadTemplate?.deploymentTemplate === undefined
          ? []
          : (indexers['owner']?.(object) ?? []);
      },
    },
  };
}

function alwaysSynced<T extends object>(reader: T): T {
  return new Proxy(reader, {
    get: (target, name) => {
      if (name === 'synced') return true;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

function withBug<Snapshot>(
  controller: Controller<Snapshot>,
  bug: PoolWorkloadBug | undefined,
): Controller<Snapshot> {
  switch (bug) {
    case 'children-not-watched':
      return {
        ...controller,
        sources: controller.sources.filter(({ reader }) => (reader.resource as object) !== deployments),
      };
    case 'pools-by-new-labels-only':
      return {
        ...controller,
        sources: controller.sources.map((each) =>
          (each.reader.resource as object) === nodePools
            ? {
                ...each,
                keysFor: (event: CacheEvent<KubeObject>) =>
                  each.keysFor({ type: 'added', object: event.object }),
              }
            : each,
        ),
      };
    case 'generated-names':
      return changing(controller, (step) =>
        step.do === 'create' && step.resource.kind === 'Deployment' ? generated(step) : step,
      );
    case 'revision-in-pod-label':
      return changing(controller, (step) => (step.do === 'apply' ? withRevisionInPods(step) : step));
    case 'adopts-by-label':
    case 'forgets-the-other-kind':
    case 'unsynced-is-empty':
    case undefined:
      return controller;
  }
}

function changing<Snapshot>(
  controller: Controller<Snapshot>,
  change: (step: Step) => Step,
): Controller<Snapshot> {
  return {
    ...controller,
    plan: (snapshot, at): Plan => {
      const plan = controller.plan(snapshot, at);
      return { ...plan, stages: plan.stages.map((stage) => ({ ...stage, steps: stage.steps.map(change) })) };
    },
  };
}

function generated(step: Extract<Step, { readonly do: 'create' }>): Step {
  const metadata = { ...step.object.metadata, name: '', generateName: `${step.object.metadata.name}-` };
  return { ...step, object: { ...step.object, metadata } };
}

function withRevisionInPods(step: Extract<Step, { readonly do: 'apply' }>): Step {
  const object = step.object as KubeObject & {
    readonly spec: { readonly template: { readonly metadata?: object } };
  };
  const revision = object.metadata.labels?.[labels.controllerRevisionHash];
  const { template } = object.spec;
  const found = (template.metadata as { readonly labels?: object } | undefined)?.labels;
  const podLabels = { ...found, [labels.controllerRevisionHash]: revision };
  const changed = { ...template, metadata: { ...template.metadata, labels: podLabels } };
  return { ...step, object: { ...object, spec: { ...object.spec, template: changed } } as KubeObject };
}

function templateOf(object: PoolWorkload): 'deploymentTemplate' | 'statefulSetTemplate' {
  return object.spec.workloadTemplate?.deploymentTemplate === undefined
    ? 'statefulSetTemplate'
    : 'deploymentTemplate';
}

function imageOf(object: PoolWorkload): string {
  const template = object.spec.workloadTemplate?.[templateOf(object)] as unknown as {
    readonly spec: { readonly template: ReturnType<typeof pods> };
  };
  return template.spec.template.spec.containers[0]?.image ?? '';
}

function nextImage(object: PoolWorkload): string {
  return `web:${Number(imageOf(object).slice(4)) + 1}`;
}

function templatePatch(object: PoolWorkload, { image }: { readonly image: string }): object {
  return {
    spec: {
      workloadTemplate: {
        [templateOf(object)]: { spec: { template: { spec: { containers: [{ name: 'web', image }] } } } },
      },
    },
  };
}

function metadataPatch(added: Readonly<Record<string, string>>): object {
  return { spec: { workloadTemplate: { deploymentTemplate: { metadata: { labels: added } } } } };
}

function replicasPatch(replicas: number): object {
  return { spec: { workloadTemplate: { deploymentTemplate: { spec: { replicas } } } } };
}

function kindPatch(object: PoolWorkload): { readonly label: string; readonly patch: object } {
  const from = templateOf(object);
  const to = from === 'deploymentTemplate' ? 'statefulSetTemplate' : 'deploymentTemplate';
  const template = object.spec.workloadTemplate?.[from];
  return {
    label: `makes it a ${to}`,
    patch: { spec: { workloadTemplate: { [from]: null, [to]: template } } },
  };
}

function remember(memory: unknown, store: Store): Memory {
  const { left } = memory as Memory;
  const selected = objectsOf(store, nodePools).filter((pool) => pool.metadata.labels?.['tier'] === 'a');
  const names = new Set(selected.map((pool) => pool.metadata.name));
  const served = childKinds.flatMap((resource) => objectsOf(store, resource)).map(poolOf);
  return { left: [...new Set([...left, ...served.filter((pool) => !names.has(pool))])].sort() };
}

function poolOf(child: KubeObject): string {
  return child.metadata.annotations?.[annotations.refNodePool] ?? '';
}

function wrongEffect(effect: Effect): string | undefined {
  const { request, before, after } = effect;
  const slot = slotOf(request.resource, 'key' in request ? request.key : request.object.metadata);
  const held = before.objects.get(slot)?.object;
  if (
    held !== undefined &&
    request.resource.kind !== 'UnitedDaemonSet' &&
    controllerOf(held)?.uid !== 'uid-web'
  ) {
    return `${request.resource.kind} ${held.metadata.name} is not ours`;
  }
  if (request.verb === 'delete' && request.resource.kind === 'Deployment' && held !== undefined) {
    const others = objectsOf(before, statefulSets).filter((child) => poolOf(child) === poolOf(held));
    if (!(effect.memory as Memory).left.includes(poolOf(held)) && others.length === 0) {
      return `the child of pool ${poolOf(held)} is deleted, which was always selected`;
    }
  }
  const next = after.objects.get(slot)?.object;
  if (
    request.verb === 'apply' &&
    held !== undefined &&
    next !== undefined &&
    sameImage(held, next) &&
    !samePods(held, next)
  ) {
    return `the pods of ${held.metadata.name} restart although their template is the same`;
  }
  return undefined;
}

interface WithPods extends KubeObject {
  readonly spec?: { readonly template?: ReturnType<typeof pods> };
}

function sameImage(a: WithPods, b: WithPods): boolean {
  return sameJson(a.spec?.template?.spec.containers, b.spec?.template?.spec.containers);
}

function samePods(a: WithPods, b: WithPods): boolean {
  return sameJson(a.spec?.template, b.spec?.template);
}

function childrenIn(store: Store, resource: Resource<KubeObject>): readonly KubeObject[] {
  return objectsOf(store, resource).filter((child) => controllerOf(child)?.uid === 'uid-web');
}

function wrongState(store: Store): string | undefined {
  for (const resource of childKinds) {
    const served = childrenIn(store, resource).map(poolOf);
    if (new Set(served).size !== served.length)
      return `two ${resource.plural} in one pool: ${served.join(', ')}`;
  }
  const stranger = store.objects.get(slotOf(deployments, { namespace: 'edge', name: 'stranger' }));
  return stranger !== undefined && stranger.object.metadata.ownerReferences !== undefined
    ? 'the stranger was adopted'
    : undefined;
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

function missingIn(store: Store, refused: string | undefined): string | undefined {
  const [web] = objectsOf(store, unitedDaemonSets);
  if (web === undefined) return undefined;
  const selected = objectsOf(store, nodePools)
    .filter((pool) => pool.metadata.labels?.['tier'] === 'a')
    .map((pool) => pool.metadata.name);
  const wanted = selected.filter((name) => name !== refused).sort();
  const resource = (
    templateOf(web) === 'deploymentTemplate' ? deployments : statefulSets
  ) as Resource<KubeObject>;
  const other = childKinds.find((each) => each.kind !== resource.kind);
  const own = childrenIn(store, resource);
  const have = own
    .filter((child) => imageIn(child) === imageOf(web))
    .map(poolOf)
    .sort();
  const shown = own.map((child) => `${poolOf(child)}@${imageIn(child)}`).join(', ') || 'none';
  if (have.join() !== wanted.join() || own.length !== wanted.length) {
    return `pools ${wanted.join(', ')} want ${imageOf(web)}; there are ${shown}`;
  }
  if (other !== undefined && childrenIn(store, other).length > 0)
    return `${other.plural} of the old kind are left`;
  const { status } = web;
  if (status?.observedGeneration !== web.metadata.generation) return 'the status is of an older generation';
  const named = [...(status?.nodepools ?? [])];
  if (named.join() !== [...selected].sort().join()) return `status.nodepools is ${named.join(', ')}`;
  const ready = (status?.conditions as readonly Condition[] | undefined)?.find(
    ({ type }) => type === 'Ready',
  );
  const fails = refused !== undefined && selected.includes(refused);
  if (!fails) return ready?.status === 'True' ? undefined : `Ready is ${ready?.status}: ${ready?.message}`;
  const tells = ready?.status === 'False' && ready.message?.includes(refused) === true;
  return tells
    ? undefined
    : `Ready does not name the refused pool: ${ready?.status} ${ready?.reason} ${ready?.message}`;
}

function imageIn(child: WithPods): string {
  return child.spec?.template?.spec.containers[0]?.image ?? '';
}

function refuseChildOf(operation: Operation, pool: string): ApiError | undefined {
  if (!operation.verb.startsWith('create') || !('object' in operation) || poolOf(operation.object) !== pool)
    return undefined;
  const message = `exceeded quota: no child in ${pool}`;
  return new ApiError({
    fate: 'refused',
    code: 403,
    reason: 'Forbidden',
    attempted: `create child of ${pool}`,
    message,
  });
}
