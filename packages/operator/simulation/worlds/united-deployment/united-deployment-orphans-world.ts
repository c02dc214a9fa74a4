import { labels, unitedDeployments } from '@atoll/api';
import type { UnitedDeploymentSnapshot } from '../../../src/united-deployment/observe.ts';
import { creates } from '../../neighbours/people.ts';
import { atRest } from '../../story.ts';
import { seed } from '../../model/store.ts';
import type { Store } from '../../model/store.ts';
import { objectsOf } from '../../world.ts';
import type { World } from '../../world.ts';
import { allDeployments, isAdoption, isOrphan, isStranger } from '../orphans.ts';
import { orphanNeighbours, withOrphansBug, wrongAdoption } from '../orphans.ts';
import type { OrphansBug } from '../orphans.ts';
import { subsetOf, subsetsOf, united } from './united-deployment-objects.ts';
import type { SmallChild } from './united-deployment-objects.ts';
import { childrenIn, ownerIn } from './united-deployment-store.ts';
import { shapeOf, unitedDeploymentWorld } from './united-deployment-world.ts';
import type { UnitedDeploymentWorldOptions } from './united-deployment-world.ts';
import { stamp } from '../world-options.ts';

/** Deployments that nobody owns and that carry the labels of the first subset. */
export type Orphan =
  /** Ours, from before its UnitedDeployment was made again. */
  | 'ours'
  /** Kruise's, of which only the name shows whose it was. */
  | 'of Kruise'
  /** Ours of another UnitedDeployment, `web-2`, with the same selector. */
  | 'of web-2'
  /** Kruise's of that one. */
  | 'of web-2 of Kruise'
  /** A person's, whose selector is another one. */
  | 'of a person';

export interface OrphansWorldOptions extends UnitedDeploymentWorldOptions {
  readonly orphansBug?: OrphansBug;
  /** What is there before the UnitedDeployment. */
  readonly orphans?: readonly Orphan[];
}

/** A UnitedDeployment of one subset beside Deployments that nobody owns, or that loses its own. */
export function orphansWorld(options: OrphansWorldOptions): World {
  const { orphans = [], orphansBug } = options;
  const alone = { subsets: [{ name: 'a' }], total: 1, ...options };
  const base = unitedDeploymentWorld(alone);
  const left = orphans.length === 0 ? undefined : leftBehind(alone);
  const world: World = {
    ...base,
    begin:
      left === undefined
        ? base.begin
        : orphans.reduce((store, each) => withOrphan(store, left, each), base.begin),
    neighbours: [
      ...base.neighbours,
      creates('again', unitedDeployments, [united(shapeOf(alone))]),
      ...orphanNeighbours(unitedDeployments),
    ],
    wrongEffect: (effect) =>
      isAdoption(effect) ? wrongAdoption(effect, ownerIn) : base.wrongEffect?.(effect),
    missing: (store) => missingAdoption(store) ?? base.missing(store),
  };
  return withOrphansBug<UnitedDeploymentSnapshot>(world, orphansBug, subsetOf);
}

/** The child of a UnitedDeployment of the same name that is no more. */
function leftBehind(options: UnitedDeploymentWorldOptions): SmallChild {
  const before = atRest(unitedDeploymentWorld({ ...options, uid: 'uid-old', budgets: {} })).begin;
  const [child] = childrenIn(before);
  if (child === undefined) throw new Error('at rest there is a child');
  const { ownerReferences: _, uid: _uid, ...metadata } = child.metadata;
  return { ...child, metadata };
}

function withOrphan(store: Store, left: SmallChild, orphan: Orphan): Store {
  const { [labels.workload]: _, ...unnamed } = left.metadata.labels ?? {};
  const add = (
    name: string,
    found: Readonly<Record<string, string>>,
    spec: SmallChild['spec'] = left.spec,
  ): Store => {
    const object = { ...left, spec, metadata: { ...left.metadata, name, labels: found } } as SmallChild;
    const isTheirs = orphan !== 'ours' && orphan !== 'of Kruise';
    return seed(store, allDeployments, object, `uid-${isTheirs ? 'stranger' : 'orphan'}-${name}`, stamp);
  };
  switch (orphan) {
    case 'ours':
      return add(left.metadata.name, left.metadata.labels ?? {});
    case 'of Kruise':
      return add('web-a-x7f2k', unnamed);
    case 'of web-2':
      return add('web-2-a-gh45k2xz', { ...unnamed, [labels.workload]: 'web-2' });
    case 'of web-2 of Kruise':
      return add('web-2-a-x7f2k', unnamed);
    case 'of a person':
      return add('web-a-mine', left.metadata.labels ?? {}, {
        ...left.spec,
        selector: { matchLabels: { app: 'web' } },
      } as SmallChild['spec']);
  }
}

/** L: an object that has an orphan of its own runs no duplicate beside it. */
function missingAdoption(store: Store): string | undefined {
  const owner = ownerIn(store);
  if (owner === undefined) return undefined;
  const named = subsetsOf(owner).map(({ name }) => name);
  const lost = objectsOf(store, allDeployments).find(
    (child) => isOrphan(child) && !isStranger(child) && named.includes(subsetOf(child)),
  );
  const serving = childrenIn(store).find((child) => lost !== undefined && subsetOf(child) === subsetOf(lost));
  if (lost === undefined || serving?.metadata.uid?.startsWith('uid-orphan') === true) return undefined;
  return `${lost.metadata.name} has no owner`;
}
