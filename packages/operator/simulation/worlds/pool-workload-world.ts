import { nodePools } from '@atoll/api';
import type { NodePool } from '@atoll/api';
import { controllerOf, controllerRevisions, deployments, formatKey, statefulSets } from '@atoll/kube';
import type { KubeObject, ObjectKey, Resource } from '@atoll/kube';
import { unitedDaemonSetKind } from '../../src/pool-workload/controller.ts';
import type { PoolWorkloadKind } from '../../src/pool-workload/controller.ts';
import type { Operation } from '../model/api-server.ts';
import { foregroundDeletion } from '../neighbours/foreground-deletion.ts';
import { foregroundFinishes } from '../neighbours/foreground.ts';
import { garbageCollector } from '../neighbours/garbage-collector.ts';
import { creates, deletes, edits } from '../neighbours/people.ts';
import { workloadControllers } from '../neighbours/workload-controllers.ts';
import { withDefinition } from '../model/definitions.ts';
import { emptyStore, seed } from '../model/store.ts';
import type { Store } from '../model/store.ts';
import type { Neighbour, World } from '../world.ts';
import { poolWorkloadProcess, wantedKindOnly } from './pool-workload-bugs.ts';
import type { PoolWorkloadBug } from './pool-workload-bugs.ts';
import {
  dropPoolLabel,
  editImage,
  leftIn,
  leftRevision,
  poolOf,
  relabel,
  scale,
  selectOrNot,
  strangerIn,
  switchKind,
  taint,
  web,
  workload,
} from './pool-workload-objects.ts';
import {
  missingIn,
  nothingRemembered,
  remember,
  wrongEffect,
  wrongPlan,
  wrongState,
} from './pool-workload-oracles.ts';
import type { Rules } from './pool-workload-oracles.ts';
import { forbidden, fromOptions, stamp } from './world-options.ts';
import type { WorldOptions } from './world-options.ts';

export interface PoolWorkloadWorldOptions extends WorldOptions {
  readonly kind?: PoolWorkloadKind;
  readonly pools?: readonly string[];
  /** The workloads; default one, `edge/web`. All select the same pools. */
  readonly owners?: readonly ObjectKey[];
  readonly bug?: PoolWorkloadBug;
  /** The pool whose child is refused for ever. */
  readonly refused?: string;
  /** A Deployment with our labels that nobody owns. */
  readonly stranger?: boolean;
  /** What an older operator left in each pool: one child, of this template or of another one, or two of one age; nothing of ours yet. */
  readonly old?: 'one' | 'put back' | 'duplicates';
  /** Children may be as an older operator rendered them. */
  readonly oldRendering?: boolean;
  /** Children that somebody deletes in the foreground never go. */
  readonly hung?: boolean;
  /** A status must name every child that is known; not to be asked where requests fail. */
  readonly summaries?: boolean;
  /** Pools are not selected at first, and stay so once they are. */
  readonly joining?: boolean;
  /** Pools that are deleted stay for a while. */
  readonly slowPools?: boolean;
}

/** A UnitedDaemonSet or YurtAppDaemon, or two of them, over small pools. */
export function poolWorkloadWorld(options: PoolWorkloadWorldOptions): World {
  const { bug, refused, kind = unitedDaemonSetKind, owners = [web] } = options;
  const rules: Rules = {
    resource: kind.resource,
    owners,
    refused,
    summaries: options.summaries === true,
    old: options.old !== undefined || options.oldRendering === true,
    joining: options.joining === true,
  };
  return {
    ...fromOptions(options),
    build: (shown) => poolWorkloadProcess(shown, kind, bug),
    begin: begin(rules, options),
    keys: owners.map(formatKey),
    neighbours: neighbours(kind, options),
    memory: {
      begin: nothingRemembered,
      next: (memory, store) => remember(memory, store, rules),
    },
    wrongPlan,
    wrongEffect: (effect) => wrongEffect(effect, rules),
    wrongState: (store) => wrongState(store, rules),
    missing: (store) => missingIn(store, rules),
    ...(bug === 'looks-for-the-wanted-kind-only'
      ? { firstRead: (store) => wantedKindOnly(store, kind) }
      : {}),
    ...(refused === undefined ? {} : { refuse: (operation) => refuseChildOf(operation, refused) }),
  };
}

function namesOf({ pools = ['hz', 'bj'] }: PoolWorkloadWorldOptions): readonly string[] {
  return pools;
}

function poolsOf(options: PoolWorkloadWorldOptions): readonly NodePool[] {
  const finalizers = options.slowPools === true ? { finalizers: ['example.test/slow'] } : {};
  const labels = options.joining === true ? {} : { tier: 'a' };
  return namesOf(options).map((name) => ({ metadata: { name, labels, ...finalizers } }));
}

function begin({ resource, owners }: Rules, options: PoolWorkloadWorldOptions): Store {
  let store = withDefinition(emptyStore, nodePools);
  for (const owner of owners) {
    const uid = owner === web ? 'uid-web' : `uid-${formatKey(owner)}`;
    store = seed(store, resource, workload(owner), uid, stamp);
  }
  for (const pool of poolsOf(options))
    store = seed(store, nodePools, pool, `uid-pool-${pool.metadata.name}`, stamp);
  if (options.old !== undefined) store = withOldChildren(store, namesOf(options), options.old);
  if (options.stranger !== true) return store;
  return seed(store, deployments, strangerIn(namesOf(options)[0] ?? ''), 'uid-stranger', stamp);
}

function withOldChildren(
  begin: Store,
  pools: readonly string[],
  old: NonNullable<PoolWorkloadWorldOptions['old']>,
): Store {
  let store = begin;
  const add = (resource: Resource<KubeObject>, object: KubeObject): void => {
    store = seed(store, resource, object, `uid-${object.metadata.name}`, stamp);
  };
  add(controllerRevisions, leftRevision());
  for (const pool of pools) {
    const suffixes = old === 'duplicates' ? ['old1', 'old2'] : ['old1'];
    for (const suffix of suffixes) add(deployments, leftIn(pool, suffix, old === 'put back'));
  }
  return store;
}

function neighbours({ resource }: PoolWorkloadKind, options: PoolWorkloadWorldOptions): readonly Neighbour[] {
  const collected = [deployments, statefulSets, controllerRevisions] as readonly Resource<KubeObject>[];
  const finishing = options.hung === true ? [] : [deployments as Resource<KubeObject>];
  return [
    ...workloadControllers(),
    garbageCollector(collected),
    foregroundDeletion(resource, collected),
    foregroundFinishes([...finishing, nodePools]),
    edits('edit', resource, (object) => [editImage(object)]),
    edits('relabel', resource, () => [relabel()]),
    edits('scale', resource, () => [scale()]),
    edits('kind', resource, (object) => [switchKind(object)]),
    edits('select', nodePools, (pool) => [selectOrNot(pool)]),
    edits('taint', nodePools, (pool) => [taint(pool)]),
    deletes('remove', resource),
    deletes('remove in the foreground', resource, () => true, 'Foreground'),
    creates('again', resource, options.owners?.map(workload) ?? [workload()]),
    deletes('drop', nodePools),
    creates('pool again', nodePools, poolsOf(options)),
    deletes('other writer', deployments, isOwned),
    deletes('foreground', deployments, isOwned, 'Foreground'),
    edits('drift', deployments, (child) => (isOwned(child) ? [dropPoolLabel(child)] : [])),
  ];
}

function isOwned(child: KubeObject): boolean {
  return controllerOf(child) !== undefined;
}

function refuseChildOf(operation: Operation, pool: string) {
  const isChild =
    operation.verb.startsWith('create') && 'object' in operation && poolOf(operation.object) === pool;
  return isChild ? forbidden(`create child of ${pool}`, `exceeded quota: no child in ${pool}`) : undefined;
}
