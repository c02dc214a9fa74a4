import { labels, nodePools } from '@atoll/api';
import { controllerRevisions, deployments } from '@atoll/kube';
import type { KubeObject, Stored } from '@atoll/kube';
import { unitedDaemonSetKind } from '../../src/pool-workload/controller.ts';
import type { Controller } from '../../src/engine/controller.ts';
import type { PoolWorkloadSnapshot } from '../../src/pool-workload/observe.ts';
import { orphanFinalizer } from '../neighbours/orphan-finalizer.ts';
import { deletes, edits } from '../neighbours/people.ts';
import { withoutVersion } from '../explorer/planned-step.ts';
import { seed } from '../model/store.ts';
import type { Store } from '../model/store.ts';
import { objectsOf } from '../world.ts';
import type { World } from '../world.ts';
import { allDeployments, isAdoption, isOrphan, isStranger, taken, wrongAdoption } from './orphans.ts';
import type { OrphansBug } from './orphans.ts';
import { changingSteps, seeing } from './planted.ts';
import { isSelected, leftIn, leftRevision, poolOf } from './pool-workload-objects.ts';
import { poolWorkloadWorld } from './pool-workload-world.ts';
import type { PoolWorkloadWorldOptions } from './pool-workload-world.ts';
import { withPlanted } from './world-parts.ts';
import { stamp } from './world-options.ts';

/** Deployments that nobody owns and that carry the labels of the pool. */
export type PoolOrphan =
  /** The old operator's, of which only the name shows whose it was. */
  | 'of the old operator'
  /** The old operator's of another workload, `web-2`, with the same selector. */
  | 'of web-2'
  /** Ours of that one. */
  | 'ours of web-2';

export interface PoolOrphansWorldOptions extends Omit<PoolWorkloadWorldOptions, 'old'> {
  readonly orphansBug?: OrphansBug;
  /** What is there before the workload. */
  readonly orphans?: readonly PoolOrphan[];
}

/** A workload in one pool beside Deployments that nobody owns, or that loses its own. */
export function poolOrphansWorld(options: PoolOrphansWorldOptions): World {
  const { orphans = [], orphansBug, kind = unitedDaemonSetKind } = options;
  const { resource } = kind;
  const alone = { pools: ['hz'], oldRendering: orphans.length > 0, ...options };
  const base = poolWorkloadWorld(alone);
  const ownerIn = (store: Store): KubeObject | undefined => objectsOf(store, resource)[0];
  const world: World = {
    ...base,
    begin: orphans.reduce(withOrphan, base.begin),
    neighbours: [
      ...base.neighbours,
      orphanFinalizer(resource, [allDeployments, controllerRevisions]),
      deletes('orphan', resource, () => true, 'Orphan'),
      deletes('others delete orphans', allDeployments, isOrphan),
      edits('takes', allDeployments, (child) => (isOrphan(child) ? [taken(child)] : [])),
    ],
    wrongEffect: (effect) =>
      isAdoption(effect) ? wrongAdoption(effect, ownerIn) : base.wrongEffect?.(effect),
    missing: (store) => missingAdoption(store, ownerIn(store)) ?? base.missing(store),
  };
  return withPlanted<PoolWorkloadSnapshot>(world, (controller, caches) => {
    const cache = caches.find((each) => each.resource === deployments);
    return withBug(controller, () => cache?.list() ?? [], orphansBug);
  });
}

function withOrphan(begin: Store, orphan: PoolOrphan): Store {
  const { ownerReferences: _, ...metadata } = leftIn('hz', 'old15', false).metadata;
  const left = { ...leftIn('hz', 'old15', false), metadata };
  const { ownerReferences: _owners, ...revisionMetadata } = leftRevision().metadata;
  const add = (store: Store, name: string, found: Readonly<Record<string, string>>, uid: string): Store =>
    seed(store, allDeployments, { ...left, metadata: { ...metadata, name, labels: found } }, uid, stamp);
  const { labels: found = {} } = metadata;
  switch (orphan) {
    case 'of the old operator': {
      const history = { ...leftRevision(), metadata: revisionMetadata };
      const store = seed(begin, controllerRevisions, history, 'uid-orphan-revision', stamp);
      return add(store, 'web-hz-old15', found, 'uid-orphan-web-hz-old15');
    }
    case 'of web-2':
      return add(begin, 'web-2-hz-old15', found, 'uid-stranger-old');
    case 'ours of web-2':
      return add(begin, 'web-2-hz-gh45k2xz', { ...found, [labels.workload]: 'web-2' }, 'uid-stranger-ours');
  }
}

/** L: no pool that is selected has an orphan of the workload's own beside another child, or none. */
function missingAdoption(store: Store, owner: KubeObject | undefined): string | undefined {
  if (owner === undefined) return undefined;
  const selected = objectsOf(store, nodePools).filter(isSelected);
  const lost = objectsOf(store, allDeployments).find(
    (child) =>
      isOrphan(child) &&
      !isStranger(child) &&
      selected.some(({ metadata }) => metadata.name === poolOf(child)),
  );
  return lost === undefined ? undefined : `${lost.metadata.name} has no owner`;
}

function withBug(
  controller: Controller<PoolWorkloadSnapshot>,
  known: () => readonly Stored<KubeObject>[],
  bug: OrphansBug | undefined,
): Controller<PoolWorkloadSnapshot> {
  switch (bug) {
    case 'adopts-by-old-caches':
      return changingSteps(controller, (step) => {
        const adopts = step.do === 'patch' && step.resource.kind === 'Deployment';
        return [adopts ? withoutVersion(step) : step];
      });
    case 'adopts-by-labels-alone':
      return seeing(controller, (snapshot) => {
        const orphans = known()
          .filter((object) => isOrphan(object) && snapshot.children.length === 0)
          .map((object) => ({ kind: 'Deployment' as const, object, place: poolOf(object) }));
        return { ...snapshot, orphans };
      });
    case 'old-child-is-no-matter':
      return seeing(controller, (snapshot) => ({ ...snapshot, nameConflicts: {} }));
    case 'never-adopts':
      return seeing(controller, (snapshot) => ({ ...snapshot, orphans: [] }));
    case undefined:
      return controller;
  }
}
