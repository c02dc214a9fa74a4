import { unitedDaemonSets, yurtAppDaemons, type PoolWorkload } from '@atoll/api';
import type { CacheEvent, KubeObject, Reader, Resource } from '@atoll/kube';
import type { Readers } from '../caches.ts';
import { noFindings, type Findings } from '../causes/findings.ts';
import type { ChildWorkload } from '../children/child.ts';
import { changesChild } from '../children/changes-child.ts';
import { everyKey } from '../children/every-key.ts';
import { ownSource, source, type Controller, type Source } from '../engine/controller.ts';
import { keysForChildOrOrphan, keysForRevision } from '../places/adoption/keys-for-orphan.ts';
import { keysForSelectedPool } from '../places/pools/keys-for-selected-pool.ts';
import { poolPlaces } from './child.ts';
import { decide } from './decide.ts';
import type { PoolWorkloadDecision } from './decision.ts';
import { observe, type PoolWorkloadSnapshot } from './observe.ts';
import { plan } from './plan.ts';
import { report } from './report.ts';
import { eventsOf } from './events.ts';
import { keysForPoolPod, keysForYurtManager } from './keys-for-event.ts';

/** One controller, two kinds: the proposal's name, and the one under which it was released. */
export interface PoolWorkloadKind {
  readonly name: 'united-daemon-set' | 'yurt-app-daemon';
  readonly resource: Resource<PoolWorkload>;
  readonly reader: 'unitedDaemonSets' | 'yurtAppDaemons';
}

export const unitedDaemonSetKind: PoolWorkloadKind = {
  name: 'united-daemon-set',
  resource: unitedDaemonSets,
  reader: 'unitedDaemonSets',
};

export const yurtAppDaemonKind: PoolWorkloadKind = {
  name: 'yurt-app-daemon',
  resource: yurtAppDaemons,
  reader: 'yurtAppDaemons',
};

/** Keeps one Deployment or StatefulSet in every pool that the workload selects. */
export function createPoolWorkloadController(
  kind: PoolWorkloadKind,
  readers: Readers,
  findings: Findings = noFindings,
): Controller<PoolWorkloadSnapshot, PoolWorkloadDecision> {
  const { resource } = kind;
  const workloads: Reader<PoolWorkload> = readers[kind.reader];
  const keysForOwned = (event: CacheEvent<KubeObject>) =>
    keysForChildOrOrphan(resource, workloads, poolPlaces.placeLabel, event);
  const childSource = (reader: Reader<ChildWorkload>): Source =>
    source(reader, keysForOwned, 'deferred', changesChild);
  return {
    name: kind.name,
    resource,
    sources: [
      ownSource(workloads),
      source(readers.nodePools, (event) =>
        keysForSelectedPool(workloads, ({ spec }) => spec.nodepoolSelector, event),
      ),
      source(readers.definitionOfNodePools, () => everyKey(workloads)),
      source(
        readers.deployments,
        (event) => [...keysForOwned(event), ...keysForYurtManager(workloads, event)],
        'deferred',
        changesChild,
      ),
      childSource(readers.statefulSets),
      source(readers.controllerRevisions, (event) => keysForRevision(resource, workloads, event), 'deferred'),
      source(readers.poolPods, (event) => keysForPoolPod(resource, readers.statefulSets, event), 'deferred'),
    ],
    observe: (key) => observe(resource, workloads, readers, key, findings),
    decide,
    plan,
    events: (snapshot, _decision, outcome) => eventsOf(snapshot, outcome),
    report,
  };
}
