import { labels, nodePools } from '@atoll/api';
import type { PoolWorkload } from '@atoll/api';
import { controllerOf, deployments } from '@atoll/kube';
import type { CacheDeclaration, CacheEvent, KubeObject, Reader, Stored } from '@atoll/kube';
import { caches } from '../../src/caches.ts';
import type { Readers } from '../../src/caches.ts';
import type { Controller } from '../../src/engine/controller.ts';
import type { Plan } from '../../src/engine/plan.ts';
import type { Step } from '../../src/engine/step.ts';
import { createPoolWorkloadController } from '../../src/pool-workload/controller.ts';
import type { PoolWorkloadKind } from '../../src/pool-workload/controller.ts';
import type { PoolWorkloadSnapshot } from '../../src/pool-workload/observe.ts';
import type { Shown } from '../model/caches.ts';
import { withoutVersion } from '../explorer/planned-step.ts';
import { processOf } from '../process.ts';
import { slotOf } from '../model/store.ts';
import type { Store } from '../model/store.ts';
import { objectsOf } from '../world.ts';
import type { Process } from '../world.ts';
import {
  alwaysSynced,
  asIfLive,
  changingStatus,
  changingSteps,
  planning,
  reportingWhatWasPlanned,
  seeing,
  wakingLess,
} from './planted.ts';
import { childKindOf, childKinds, placement, web } from './pool-workload-objects.ts';

/** Planted bugs of section 3.2, and those common to all kinds that are bugs of a controller. */
export type PoolWorkloadBug =
  | 'generated-names'
  | 'children-not-watched'
  | 'adopts-by-label'
  | 'pools-by-new-labels-only'
  | 'revision-in-pod-label'
  | 'forgets-the-other-kind'
  | 'looks-for-the-wanted-kind-only'
  | 'terminating-is-present'
  | 'serves-a-terminating-owner'
  | 'who-left-stays-away'
  | 'serves-a-terminating-pool'
  | 'status-before-children'
  | 'unsynced-is-empty'
  | 'status-of-older-spec'
  | 'unsorted-status'
  | 'other-kind-goes-at-once'
  | 'owner-by-name'
  | 'owner-left-out'
  | 'enqueues-the-namesake'
  | 'duplicates-of-old-caches'
  | 'corrects-old-rendering'
  | 'applies-at-take-over'
  | 'placement-replaced';

/** The shipped controller over model caches, with a bug or none. */
export function poolWorkloadProcess(
  shown: Shown,
  kind: PoolWorkloadKind,
  bug: PoolWorkloadBug | undefined,
): Process {
  return processOf(
    shown,
    [
      kind.reader,
      'nodePools',
      'definitionOfNodePools',
      'deployments',
      'statefulSets',
      'controllerRevisions',
      'poolPods',
    ],
    (readers) => withBug(createPoolWorkloadController(kind, readersWith(readers, bug)), bug),
    declaredWith(shown, kind, bug),
  );
}

function withBug(
  controller: Controller<PoolWorkloadSnapshot>,
  bug: PoolWorkloadBug | undefined,
): Controller<PoolWorkloadSnapshot> {
  const ofDeployments = (resource: object): boolean => resource === deployments;
  const ofPools = (resource: object): boolean => resource === nodePools;
  switch (bug) {
    case 'children-not-watched':
      return wakingLess(controller, ofDeployments, () => undefined);
    case 'pools-by-new-labels-only':
      return wakingLess(controller, ofPools, ({ object }) => ({ type: 'added', object }));
    case 'generated-names':
      return changingSteps(controller, (step) => [generated(step)]);
    case 'revision-in-pod-label':
      return changingSteps(controller, (step) => [
        step.do === 'apply' ? withTemplate(step, revisionInPods) : step,
      ]);
    case 'placement-replaced':
      return changingSteps(controller, (step) => [
        step.do === 'apply' || step.do === 'create' ? withTemplate(step, withoutTolerations) : step,
      ]);
    case 'status-before-children':
      return reportingWhatWasPlanned(controller);
    case 'status-of-older-spec':
      return reportingWhatWasPlanned(controller, (before, { owner }) => ({ ...before, owner }));
    case 'unsorted-status':
      return changingStatus(controller, readyFirst);
    case 'other-kind-goes-at-once':
      return {
        ...controller,
        plan: (snapshot, decision, at) => {
          const plan = controller.plan(snapshot, decision, at);
          const [first] = snapshot.children.filter(({ kind }) => kind === 'Deployment');
          const [created] = plan.stages.flatMap(({ steps }) => steps).filter(createsStatefulSet);
          if (first === undefined || created === undefined) return plan;
          return withDeletions(plan, [deletion(first.object.metadata, 'the template is of another kind')]);
        },
      };
    case 'enqueues-the-namesake':
      return {
        ...controller,
        sources: controller.sources.map((each) => ({
          ...each,
          keysFor: (event: CacheEvent<KubeObject>) => [...each.keysFor(event)].map(inFirstNamespace),
        })),
      };
    case 'who-left-stays-away':
      // From the status, which may be of another day.
      return planning(controller, (plan, { owner, children, poolsLeft }) => {
        const { nodepools } = owner.object.status ?? {};
        const left = children.filter(
          ({ place = '' }) => nodepools?.includes(place) === false && poolsLeft[place] === undefined,
        );
        return withDeletions(
          plan,
          left.map(({ object }) => deletion(object.metadata, 'the pool has left')),
        );
      });
    case 'serves-a-terminating-owner':
      return seeing(controller, (snapshot) => {
        const { owner } = snapshot;
        return { ...snapshot, owner: { ...owner, object: asIfLive(owner.object) } };
      });
    case 'corrects-old-rendering':
      return changingSteps(controller, (step) => [
        step.do === 'apply' ? withTemplate(step, withPlacement) : step,
      ]);
    case 'applies-at-take-over':
      return changingSteps(controller, (step) => [
        step.do === 'apply' ? withTemplate(step, withImage) : step,
      ]);
    case 'duplicates-of-old-caches':
      return changingSteps(controller, (step) => [step.do === 'delete' ? withoutVersion(step) : step]);
    case 'owner-by-name':
    case 'owner-left-out':
    case 'adopts-by-label':
    case 'forgets-the-other-kind':
    case 'looks-for-the-wanted-kind-only':
    case 'terminating-is-present':
    case 'serves-a-terminating-pool':
    case 'unsynced-is-empty':
    case undefined:
      return controller;
  }
}

/** What a new process finds that looks for children of the wanted kind only; of the other it gets events. */
export function wantedKindOnly(store: Store, { resource }: PoolWorkloadKind): Store {
  const wanted = objectsOf(store, resource).map(childKindOf);
  const others = childKinds
    .filter((kind) => !wanted.includes(kind))
    .map((kind) => slotOf(kind, { name: '' }));
  const objects = [...store.objects].filter(([slot]) => !others.some((prefix) => slot.startsWith(prefix)));
  return { ...store, objects: new Map(objects) };
}

function readersWith(readers: Readers, bug: PoolWorkloadBug | undefined): Readers {
  if (bug === 'unsynced-is-empty') {
    const all = Object.entries(readers).map(([name, reader]) => [name, alwaysSynced(reader)]);
    return Object.fromEntries(all) as unknown as Readers;
  }
  if (bug === 'serves-a-terminating-pool') return { ...readers, nodePools: asIfAllLive(readers.nodePools) };
  return bug === 'terminating-is-present'
    ? { ...readers, deployments: asIfAllLive(readers.deployments) }
    : readers;
}

function asIfAllLive<T extends KubeObject>(reader: Reader<T>): Reader<T> {
  const { resource } = reader;
  const live = (object: Stored<T>): Stored<T> => asIfLive(object as unknown as KubeObject) as Stored<T>;
  return {
    resource,
    synced: true,
    by: (index, value) => reader.by(index, value).map(live),
    get: (key) => [reader.get(key)].flatMap((found) => found ?? []).map(live)[0],
    list: () => reader.list().map(live),
  };
}

function declaredWith(
  shown: Shown,
  kind: PoolWorkloadKind,
  bug: PoolWorkloadBug | undefined,
): { readonly deployments?: CacheDeclaration<KubeObject> } {
  const { resource, indexers } = caches.deployments as unknown as CacheDeclaration<KubeObject>;
  if (bug === 'adopts-by-label') {
    return { deployments: { resource, indexers: { ...indexers, owner: () => ['uid-web'] } } };
  }
  if (bug === 'owner-left-out') {
    const owner = (): readonly string[] => workloadsIn(shown, kind).map(({ metadata }) => metadata.uid ?? '');
    return { deployments: { resource, indexers: { ...indexers, owner } } };
  }
  if (bug === 'owner-by-name') {
    const owner = (object: Stored<KubeObject>): readonly string[] =>
      workloadsIn(shown, kind)
        .filter(({ metadata }) => metadata.name === controllerOf(object)?.name)
        .map(({ metadata }) => metadata.uid ?? '');
    return { deployments: { resource, indexers: { ...indexers, owner } } };
  }
  if (bug !== 'forgets-the-other-kind') return {};
  const owner = (object: Stored<KubeObject>): readonly string[] => {
    const found = shown.content.known.get(slotOf(kind.resource, web))?.object as PoolWorkload | undefined;
    const isWanted = found?.spec.workloadTemplate?.deploymentTemplate !== undefined;
    return isWanted ? (indexers['owner']?.(object) ?? []) : [];
  };
  return { deployments: { resource, indexers: { ...indexers, owner } } };
}

function workloadsIn({ content }: Shown, kind: PoolWorkloadKind): readonly KubeObject[] {
  const prefix = slotOf(kind.resource, { name: '' });
  return [...content.known].filter(([slot]) => slot.startsWith(prefix)).map(([, { object }]) => object);
}

function inFirstNamespace(key: string): string {
  return `${web.namespace}/${key.slice(key.indexOf('/') + 1)}`;
}

function generated(step: Step): Step {
  if (step.do !== 'create' || step.resource.kind !== 'Deployment') return step;
  const metadata = { ...step.object.metadata, name: '', generateName: `${step.object.metadata.name}-` };
  return { ...step, object: { ...step.object, metadata } };
}

type Writing = Extract<Step, { readonly do: 'apply' | 'create' }>;

interface Templated extends KubeObject {
  readonly spec?: {
    readonly template?: {
      readonly metadata?: { readonly labels?: object };
      readonly spec?: {
        readonly tolerations?: unknown;
        readonly nodeSelector?: object;
        readonly containers?: unknown;
      };
    };
  };
}

type Template = NonNullable<NonNullable<Templated['spec']>['template']>;

function withTemplate(step: Writing, change: (template: Template, object: KubeObject) => Template): Writing {
  const object = step.object as Templated;
  const template = object.spec?.template;
  if (template === undefined) return step;
  const changed = { ...object, spec: { ...object.spec, template: change(template, object) } };
  return { ...step, object: changed };
}

function revisionInPods(template: Template, { metadata }: KubeObject): Template {
  const revision = metadata.labels?.[labels.controllerRevisionHash];
  const podLabels = { ...template.metadata?.labels, [labels.controllerRevisionHash]: revision };
  return { ...template, metadata: { ...template.metadata, labels: podLabels } };
}

/** Rightly, and at once: what restarts every pod of a take-over. */
function withPlacement(template: Template): Template {
  const nodeSelector = { ...template.spec?.nodeSelector, ...placement.nodeSelector };
  return { ...template, spec: { ...template.spec, nodeSelector } };
}

/** The template's, although an older operator left another image and nobody edited the template since. */
function withImage(template: Template): Template {
  return { ...template, spec: { ...template.spec, containers: [{ name: 'web', image: 'web:1' }] } };
}

function withoutTolerations(template: Template): Template {
  const { tolerations: _, ...spec } = template.spec ?? {};
  return { ...template, spec };
}

interface Summaries {
  readonly pools?: readonly { readonly name: string; readonly readyReplicas?: number }[];
}

function readyFirst(status: Summaries): object {
  const pools = [...(status.pools ?? [])].sort((a, b) => (b.readyReplicas ?? 0) - (a.readyReplicas ?? 0));
  return { ...status, pools };
}

type StoredMeta = Pick<Stored<KubeObject>['metadata'], 'name' | 'uid' | 'namespace'>;

function createsStatefulSet(step: Step): boolean {
  return step.do === 'create' && step.resource.kind === 'StatefulSet';
}

function withDeletions(plan: Plan, steps: readonly Step[]): Plan {
  if (steps.length === 0) return plan;
  return { ...plan, stages: [...plan.stages, { name: 'delete children', steps }] };
}

function deletion({ name, namespace = '', uid }: StoredMeta, message: string): Step {
  const why = { word: 'ChildDeleted', message } as const;
  const resource = deployments;
  return { do: 'delete', resource, key: { namespace, name }, uid, propagation: 'Background', why };
}
