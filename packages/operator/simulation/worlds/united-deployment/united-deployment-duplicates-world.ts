import { byAge, keyOf } from '@atoll/kube';
import type { KubeObject, Resource } from '@atoll/kube';
import { kindFacts } from '../../../src/united-deployment/subsets/child-kind.ts';
import type { UnitedDeploymentSnapshot } from '../../../src/united-deployment/observe.ts';
import type { Controller } from '../../../src/engine/controller.ts';
import { withoutVersion } from '../../explorer/planned-step.ts';
import { atRest } from '../../story.ts';
import { seed, slotOf, storedOf } from '../../model/store.ts';
import type { Store } from '../../model/store.ts';
import type { Effect, Neighbour, World } from '../../world.ts';
import { changingSteps, seeing } from '../planted.ts';
import type { SmallChild } from './united-deployment-objects.ts';
import { childrenIn, childrenOf } from './united-deployment-store.ts';
import { unitedDeploymentWorld } from './united-deployment-world.ts';
import type { UnitedDeploymentWorldOptions } from './united-deployment-world.ts';
import { alsoRemembering, withPlanted } from '../world-parts.ts';
import { stamp } from '../world-options.ts';

/** Bugs in who of two duplicate children goes. */
export type DuplicatesBug =
  /** It goes although its status is another one by now. */
  | 'goes-by-old-caches'
  /** The oldest stays, no matter which one has pods. */
  | 'oldest-stays';

export interface DuplicatesWorldOptions extends UnitedDeploymentWorldOptions {
  readonly duplicatesBug?: DuplicatesBug;
  /** Which of the two have available pods at the beginning. Default: both. */
  readonly serving?: 'older' | 'younger';
}

interface Memory {
  /** Uids of children that had available pods at some moment. */
  readonly served: readonly string[];
}

/** A UnitedDeployment of one subset with two children, as lost answers and generated names have left them. */
export function duplicatesWorld(options: DuplicatesWorldOptions): World {
  const { kind = 'Deployment', duplicatesBug, serving } = options;
  const { resource } = kindFacts[kind];
  const base = unitedDeploymentWorld({ subsets: [{ name: 'a' }], total: 1, duplicates: true, ...options });
  const world: World = {
    ...base,
    begin: withDuplicate(atRest(base).begin, resource, serving),
    neighbours: [...base.neighbours, health(resource)],
  };
  const judged = alsoRemembering<Memory>(world, { served: [] }, remember, wrongDeletion);
  return withPlanted<UnitedDeploymentSnapshot>(judged, (controller) => withBug(controller, duplicatesBug));
}

function remember({ served }: Memory, store: Store): Memory {
  const found = childrenIn(store)
    .filter(isServing)
    .map(({ metadata }) => metadata.uid ?? '');
  return { served: [...new Set([...served, ...found])].sort() };
}

/** Its name comes first, so that of the two, made in one second, it counts as the older. */
function withDuplicate(
  begin: Store,
  resource: Resource<KubeObject>,
  serving: DuplicatesWorldOptions['serving'],
): Store {
  const [child] = childrenOf(begin, resource);
  if (child === undefined) throw new Error('at rest there is a child');
  const { uid: _, ...metadata } = child.metadata;
  const older: SmallChild = { ...child, metadata: { ...metadata, name: 'web-a-0' } };
  const younger = serving === 'older' ? withPods(child, 0) : child;
  const applied = begin.objects.get(slotOf(resource, keyOf(child)))?.applied;
  let store = seed(begin, resource, serving === 'younger' ? withPods(older, 0) : older, 'uid-older', stamp);
  store = seed(store, resource, younger, '', stamp);
  const objects = new Map(store.objects);
  for (const each of [older, younger]) {
    const slot = slotOf(resource, keyOf(each));
    const held = objects.get(slot);
    if (held !== undefined && applied !== undefined) objects.set(slot, { ...held, applied });
  }
  return { ...store, objects };
}

function withPods(child: SmallChild, pods: number): SmallChild {
  return { ...child, status: { ...child.status, readyReplicas: pods, availableReplicas: pods } };
}

/** Pods break and recover. */
function health(resource: Resource<KubeObject>): Neighbour {
  return {
    name: 'health',
    spends: 'health',
    moves: (store) =>
      childrenOf(store, resource).map((child) => {
        const pods = isServing(child) ? 0 : (child.spec?.replicas ?? 1);
        const held = store.objects.get(slotOf(resource, keyOf(child)));
        const object =
          held === undefined ? child : { ...storedOf(held), status: withPods(child, pods).status };
        return {
          label: `${child.metadata.name} has ${pods} available pods`,
          operation: { verb: 'update', resource, object, subresource: 'status' },
        };
      }),
  };
}

/** E: the child that goes has no available pods, as far as is known and in truth, or another one has had some. */
function wrongDeletion({ request, before, cached }: Effect, { served }: Memory): string | undefined {
  if (request.verb !== 'delete') return undefined;
  const slot = slotOf(request.resource, request.key);
  const child = before.objects.get(slot)?.object as SmallChild | undefined;
  if (child === undefined || !isServing(child)) return undefined;
  const { name, uid } = child.metadata;
  const known = cached.known.get(slot)?.object as SmallChild | undefined;
  if (known !== undefined && !isServing(known)) return `${name} goes, whose pods are available by now`;
  const others = served.some((each) => each !== uid);
  return others ? undefined : `${name} goes, which alone has available pods`;
}

function isServing({ status }: SmallChild): boolean {
  return (status?.availableReplicas ?? 0) > 0;
}

function withBug(
  controller: Controller<UnitedDeploymentSnapshot>,
  bug: DuplicatesBug | undefined,
): Controller<UnitedDeploymentSnapshot> {
  switch (bug) {
    case 'goes-by-old-caches':
      return changingSteps(controller, (step) => [step.do === 'delete' ? withoutVersion(step) : step]);
    case 'oldest-stays':
      return seeing(controller, (snapshot) => {
        const [oldest] = [...snapshot.children].sort((a, b) => byAge(a.object, b.object));
        const children = snapshot.children.map((child) => {
          const pods = child === oldest ? 1 : 0;
          const status = { ...child.object.status, availableReplicas: pods };
          return { ...child, object: { ...child.object, status } };
        });
        return { ...snapshot, children };
      });
    case undefined:
      return controller;
  }
}
