import { cloneSets, type UnitedDeployment, unitedDeployments } from '@atoll/api';
import { keyOf } from '@atoll/kube';
import type { KubeObject, Resource } from '@atoll/kube';
import type { Controller } from '../../../src/engine/controller.ts';
import type { Step } from '../../../src/engine/step.ts';
import { kindFacts } from '../../../src/united-deployment/subsets/child-kind.ts';
import type { UnitedDeploymentSnapshot } from '../../../src/united-deployment/observe.ts';
import { ModelCache } from '../../model/caches.ts';
import { definitionOf, definitions, standingOf } from '../../model/definitions.ts';
import type { Definition } from '../../model/definitions.ts';
import { ofDefinition } from '../../neighbours/of-definition.ts';
import { creates, deletes, edits } from '../../neighbours/people.ts';
import { seed, slotOf } from '../../model/store.ts';
import type { Store } from '../../model/store.ts';
import type { Effect, World } from '../../world.ts';
import { planning, seeing } from '../planted.ts';
import { missingCondition } from './united-deployment-goals.ts';
import { kindOf } from './united-deployment-objects.ts';
import { childrenOf, ownerIn } from './united-deployment-store.ts';
import { unitedDeploymentWorld } from './united-deployment-world.ts';
import type { UnitedDeploymentWorldOptions } from './united-deployment-world.ts';
import { withPlanted } from '../world-parts.ts';
import { stamp } from '../world-options.ts';

/** Bugs with kinds that come and go. */
export type OptionalKindBug =
  /** A kind that is not served has no objects, and one makes them. */
  | 'unserved-is-empty'
  /** A kind that has not been read has no objects. */
  | 'unread-is-empty'
  /** Children of another kind than the wanted one go, whatever has become of their successors. */
  | 'other-kinds-go';

export interface OptionalKindWorldOptions extends UnitedDeploymentWorldOptions {
  readonly optionalBug?: OptionalKindBug;
  /** CloneSets are not installed at the beginning. */
  readonly missing?: boolean;
}

const kind = cloneSets as Resource<KubeObject>;

/** A UnitedDeployment of one subset, of CloneSets or on its way there, whose CustomResourceDefinition comes and goes. */
export function optionalKindWorld(options: OptionalKindWorldOptions): World {
  const { missing = false, optionalBug } = options;
  const base = unitedDeploymentWorld({ kind: 'CloneSet', subsets: [{ name: 'a' }], total: 1, ...options });
  const world: World = {
    ...base,
    optional: [kind],
    // A kind that goes makes requests fail that were right a moment before.
    effort: false,
    begin: missing ? base.begin : seed(base.begin, definitions, definitionOf(kind), 'uid-definition', stamp),
    build: (shown) => {
      const { controller, caches } = base.build(shown);
      return { controller, caches: [...caches, new ModelCache(definitions as Resource<KubeObject>, shown)] };
    },
    neighbours: [
      ...base.neighbours,
      ofDefinition(kind),
      creates('define', definitions, [definitionOf(kind)]),
      deletes('undefine', definitions),
      edits('serve', definitions, (object) => [serveOrNot(object)]),
      edits('to CloneSets', unitedDeployments, (object) => toCloneSets(object)),
    ],
    wrongEffect: (effect) => base.wrongEffect?.(effect) ?? wrongStatus(effect),
    missing: (store) => {
      if (isServed(store)) return base.missing(store);
      return isWanted(store) ? missingUnserved(store) : base.missing(withoutKind(store));
    },
  };
  return withPlanted<UnitedDeploymentSnapshot>(world, (controller) => withBug(controller, optionalBug));
}

function isServed(store: Store): boolean {
  return standingOf(store.objects, kind) === 'stands';
}

function isWanted(store: Store): boolean {
  const owner = ownerIn(store);
  return owner !== undefined && kindOf(owner) === 'CloneSet';
}

/** What of it anybody can see. */
function withoutKind(store: Store): Store {
  const prefix = slotOf(kind, { name: '' });
  return { ...store, objects: new Map([...store.objects].filter(([slot]) => !slot.startsWith(prefix))) };
}

/** L: it is reported, and what is there of other kinds stays. */
function missingUnserved(store: Store): string | undefined {
  const owner = ownerIn(store);
  return owner === undefined
    ? undefined
    : missingCondition(owner, 'Ready', 'False', 'CustomResourceDefinition');
}

function serveOrNot({ metadata, spec }: Definition) {
  return {
    label: `${spec.served ? 'stops' : 'begins'} to serve ${metadata.name}`,
    patch: { spec: { served: !spec.served } },
  };
}

function toCloneSets(object: UnitedDeployment) {
  const { member } = kindFacts[kindOf(object)];
  if (member === 'cloneSetTemplate') return [];
  const template = object.spec.template[member];
  const patch = { spec: { template: { [member]: null, cloneSetTemplate: template } } };
  return [{ label: 'makes it a CloneSet', patch }];
}

/** E, C3: what is served and has not been read is not lost to the status. */
function wrongStatus({ request, before, after, cached, late }: Effect): string | undefined {
  if (late || request.verb !== 'patch' || request.subresource !== 'status') return undefined;
  if (standingOf(cached.known, kind) !== 'stands' || !isServed(before)) return undefined;
  const [old, next] = [before, after].map((store) => {
    const listed = ownerIn(store)?.status?.subsetStatuses ?? [];
    return listed.flatMap(({ workloadName }) => workloadName ?? []);
  });
  const there = childrenOf(before, kind).map(({ metadata }) => metadata.name);
  const lost = old?.find((name) => there.includes(name) && next?.includes(name) !== true);
  return lost === undefined ? undefined : `the status reports that ${lost} is not there`;
}

function withBug(
  controller: Controller<UnitedDeploymentSnapshot>,
  bug: OptionalKindBug | undefined,
): Controller<UnitedDeploymentSnapshot> {
  switch (bug) {
    case 'unserved-is-empty':
      return seeing(controller, (snapshot) => {
        const { desired } = snapshot;
        return desired.ok ? { ...snapshot, desired: { ...desired, served: true } } : snapshot;
      });
    case 'unread-is-empty': {
      const certain = (snapshot: UnitedDeploymentSnapshot): UnitedDeploymentSnapshot => ({
        ...snapshot,
        certain: true,
      });
      return {
        ...controller,
        observe: (key) => {
          const snapshot = controller.observe(key);
          return snapshot === undefined ? undefined : certain(snapshot);
        },
      };
    }
    case 'other-kinds-go':
      return planning(controller, (plan, { desired, children }) => {
        if (!desired.ok) return plan;
        const steps = children
          .filter((child) => child.kind !== desired.kind)
          .map(({ kind: its, object }): Step => {
            const { uid } = object.metadata;
            const { resource } = kindFacts[its];
            const why = { word: 'ChildDeleted', message: 'another kind is wanted' } as const;
            return { do: 'delete', resource, key: keyOf(object), uid, propagation: 'Background', why };
          });
        return { ...plan, stages: [...plan.stages, { name: 'others', steps }] };
      });
    case undefined:
      return controller;
  }
}
