import { controllerOf } from '@atoll/kube';
import type { KubeObject, ObjectKey, Reader, Resource, Stored } from '@atoll/kube';
import { source } from '../../src/engine/controller.ts';
import type { Controller, StatusWrite } from '../../src/engine/controller.ts';
import { guardOf, nothingToDo } from '../../src/engine/plan.ts';
import type { Plan } from '../../src/engine/plan.ts';
import type { Outcome, Step } from '../../src/engine/step.ts';

/** The smallest kind that has all of the engine's problems: one child in every pool that is on. */
export interface Spread extends KubeObject {
  readonly spec: { readonly version: number };
  readonly status?: SpreadStatus;
}

export interface SpreadStatus {
  readonly observedGeneration: number;
  /** The version that the plan was made for. */
  readonly version: number;
  readonly pools: readonly string[];
  readonly ready: number;
  readonly refused: readonly string[];
}

export interface Pool extends KubeObject {
  readonly spec: { readonly on: boolean };
}

export interface Child extends KubeObject {
  readonly spec: { readonly version: number };
  readonly status?: { readonly version: number };
}

const group = { group: 'example.test', version: 'v1' } as const;
export const spreads: Resource<Spread> = { ...group, kind: 'Spread', plural: 'spreads', namespaced: true };
export const pools: Resource<Pool> = { ...group, kind: 'Pool', plural: 'pools', namespaced: false };
export const children: Resource<Child> = { ...group, kind: 'Child', plural: 'children', namespaced: true };

export interface SpreadReaders {
  readonly spreads: Reader<Spread>;
  readonly pools: Reader<Pool>;
  /** Indexed by `owner`: the controller's uid. */
  readonly children: Reader<Child>;
}

interface Snapshot {
  readonly spread: Stored<Spread>;
  readonly pools: readonly Stored<Pool>[];
  readonly children: readonly Stored<Child>[];
  readonly certain: boolean;
}

/** While it is there, no child is deleted. */
export const pausedAnnotation = 'example.test/paused';

/** Planted bugs of the controller (section 3, common). */
export type SpreadBug =
  | 'failed-list-is-empty'
  | 'unsorted-status'
  | 'children-not-watched'
  | 'generated-names'
  | 'writes-when-nothing-changed';

export function childName(spread: string, pool: string): string {
  return `${spread}-${pool}`;
}

export function poolOf(child: KubeObject): string {
  return child.metadata.labels?.['pool'] ?? '';
}

export function createSpreadController(readers: SpreadReaders, bug?: SpreadBug): Controller<Snapshot> {
  const allKeys = (): readonly string[] =>
    readers.spreads.list().map((spread) => `${spread.metadata.namespace}/${spread.metadata.name}`);
  return {
    name: 'spread',
    resource: spreads,
    sources: [
      source(readers.spreads, ({ object }) => [`${object.metadata.namespace}/${object.metadata.name}`]),
      source(readers.pools, allKeys),
      ...(bug === 'children-not-watched'
        ? []
        : [
            source(readers.children, ({ object }) => {
              const owner = controllerOf(object);
              return owner === undefined ? [] : [`${object.metadata.namespace}/${owner.name}`];
            }),
          ]),
    ],
    observe: (key) => observe(readers, key, bug),
    decide: () => undefined,
    plan: (snapshot) => plan(snapshot, bug),
    report: (snapshot, _decision, outcome) => report(snapshot, outcome, bug),
  };
}

function observe(readers: SpreadReaders, key: ObjectKey, bug: SpreadBug | undefined): Snapshot | undefined {
  const spread = readers.spreads.get(key);
  if (spread === undefined || spread.metadata.deletionTimestamp !== undefined) return undefined;
  const certain = readers.pools.synced && readers.children.synced;
  return {
    spread,
    pools: readers.pools.list().filter((pool) => pool.spec.on),
    children: readers.children.by('owner', spread.metadata.uid),
    certain: certain || bug === 'failed-list-is-empty',
  };
}

function plan(snapshot: Snapshot, bug: SpreadBug | undefined): Plan {
  if (!snapshot.certain) return nothingToDo;
  const { spread } = snapshot;
  const isLive = (child: Stored<Child>): boolean => child.metadata.deletionTimestamp === undefined;
  const paused = spread.metadata.annotations?.[pausedAnnotation] !== undefined;
  const creations: Step[] = [];
  const others: Step[] = [];
  for (const pool of snapshot.pools) {
    const { name } = pool.metadata;
    const child = snapshot.children.find((each) => poolOf(each) === name);
    if (child === undefined) {
      creations.push({
        do: 'create',
        why: { word: 'ChildCreated', message: `pool ${name} is on and has no child` },
        target: name,
        resource: children,
        object: render(spread, name, bug),
        managed: 'apply',
        identity: ['pool'],
      });
    } else if (
      isLive(child) &&
      (child.spec.version !== spread.spec.version || bug === 'writes-when-nothing-changed')
    ) {
      others.push({
        do: 'apply',
        why: { word: 'ChildUpdated', message: `version ${child.spec.version} → ${spread.spec.version}` },
        target: name,
        resource: children,
        object: {
          ...render(spread, name, bug),
          metadata: { ...render(spread, name, bug).metadata, name: child.metadata.name },
        },
        uid: child.metadata.uid,
        resourceVersion: child.metadata.resourceVersion,
      });
    }
  }
  for (const child of snapshot.children) {
    const pool = poolOf(child);
    if (snapshot.pools.some((each) => each.metadata.name === pool)) continue;
    if (!isLive(child) || paused) continue;
    const { name, uid } = child.metadata;
    others.push({
      do: 'delete',
      why: { word: 'PoolUnselected', message: `pool ${pool} is not on` },
      target: pool,
      resource: children,
      key: { namespace: spread.metadata.namespace ?? '', name },
      uid,
      propagation: 'Background',
    });
  }
  return {
    stages: [
      { name: 'create children', steps: creations, slowStart: true },
      { name: 'update and delete children', steps: others },
    ],
    holds: [],
    targets: [],
    guards: [guardOf(spreads, spread, [pausedAnnotation])],
  };
}

function render(spread: Stored<Spread>, pool: string, bug: SpreadBug | undefined): Child {
  const { namespace = '', name, uid } = spread.metadata;
  const child = childName(name, pool);
  const owner = { apiVersion: 'example.test/v1', kind: 'Spread', name, uid, controller: true };
  return {
    metadata: {
      ...(bug === 'generated-names' ? { name: '', generateName: `${child}-` } : { name: child }),
      namespace,
      labels: { pool },
      ownerReferences: [owner],
    },
    spec: { version: spread.spec.version },
  };
}

function report(snapshot: Snapshot, outcome: Outcome, bug: SpreadBug | undefined): readonly StatusWrite[] {
  if (!snapshot.certain) return [];
  const { spread } = snapshot;
  const refused = outcome.results.flatMap((result) =>
    result.did === 'failed' && result.step.target !== undefined ? [result.step.target] : [],
  );
  const version = spread.spec.version;
  const current = snapshot.children.filter((child) => child.spec.version === version);
  const ready = current.filter((child) => child.status?.version === version);
  const names = (
    bug === 'unsorted-status' ? [...ready, ...current.filter((child) => !ready.includes(child))] : current
  ).map(poolOf);
  const status: SpreadStatus = {
    observedGeneration: spread.metadata.generation ?? 0,
    version: versionOf(outcome) ?? version,
    pools: bug === 'unsorted-status' ? names : names.sort(),
    ready: ready.length,
    refused: refused.sort(),
  };
  return [{ resource: spreads, object: spread, status }];
}

/** The version that the plan's steps carry: what a report would wrongly sell as the observed one. */
function versionOf({ results }: Outcome): number | undefined {
  for (const { step } of results) {
    if (step.do === 'create' || step.do === 'apply') return (step.object as Child).spec.version;
  }
  return undefined;
}
