import { definitionName } from '@atoll/kube';
import type { KubeObject, Resource } from '@atoll/kube';
import type { InstalledDefinition } from '../../src/children/lost-with-definition.ts';
import type { Controller } from '../../src/engine/controller.ts';
import type { Step } from '../../src/engine/step.ts';
import { definitionOf, definitions, standingOf } from '../model/definitions.ts';
import type { Store } from '../model/store.ts';
import { ofDefinition } from '../neighbours/of-definition.ts';
import { creates, deletes } from '../neighbours/people.ts';
import { objectsOf } from '../world.ts';
import type { Neighbour, World } from '../world.ts';
import { changingSteps, observing } from './planted.ts';
import { withPlanted } from './world-parts.ts';

/** Bugs with objects that go with their definition. */
export type LostBug =
  /** An object that is absent was deleted by somebody. */
  | 'absent-is-deleted'
  /** The definition is what the cache shows. */
  | 'definition-not-confirmed'
  /** Of the definition it is seen that it is being deleted, and not that it is a new one. */
  | 'new-definition-is-the-old';

export interface WithLostBug {
  readonly lostBug?: LostBug;
}

/** What of a kind goes with its definition. */
export interface Lost<Name extends string> {
  readonly kind: Resource<KubeObject>;
  /** The people who make the objects again. */
  readonly again: string;
  /** Under this name a snapshot has the definition. */
  readonly seenAs: Name;
  readonly wrongEffect: NonNullable<World['wrongEffect']>;
  /** While some of the objects are absent. */
  readonly missing: World['missing'];
}

const hourMs = 3_600_000;

/** Somebody deletes the definition of the kind, with which all its objects go, installs it again, and makes the objects again. */
export function losing<Name extends string>(
  base: World,
  { kind, again, seenAs, wrongEffect, missing }: Lost<Name>,
  { lostBug }: WithLostBug,
): World {
  const countIn = (store: Store): number => objectsOf(store, kind).length;
  const world: World = {
    ...base,
    // What is made from here on is younger than all that is there.
    now: base.now + hourMs,
    neighbours: [
      ...base.neighbours.map((each) => (each.name === again ? onlyWhileServed(each, kind) : each)),
      ofDefinition(kind),
      creates('define', definitions, [definitionOf(kind)]),
      deletes('undefine', definitions),
    ],
    wrongEffect: (effect) => wrongEffect(effect) ?? base.wrongEffect?.(effect),
    missing: (store) => (countIn(store) < countIn(base.begin) ? missing(store) : base.missing(store)),
  };
  return withPlanted<Looking<Name>>(world, (controller) => withBug(controller, kind, seenAs, lostBug));
}

function onlyWhileServed(neighbour: Neighbour, kind: Resource<KubeObject>): Neighbour {
  const isServed = (store: Store): boolean => standingOf(store.objects, kind) === 'stands';
  return { ...neighbour, moves: (store) => (isServed(store) ? neighbour.moves(store) : []) };
}

type Looking<Name extends string> = Readonly<Record<Name, InstalledDefinition>>;

function withBug<Name extends string>(
  controller: Controller<Looking<Name>>,
  kind: Resource<KubeObject>,
  seenAs: Name,
  bug: LostBug | undefined,
): Controller<Looking<Name>> {
  const withOld = (snapshot: Looking<Name>): Looking<Name> => ({
    ...snapshot,
    [seenAs]: asIfOld(kind, snapshot[seenAs]),
  });
  switch (bug) {
    case 'absent-is-deleted':
      return changingSteps(observing(controller, withOld), (step) => [unconfirmed(step)]);
    case 'new-definition-is-the-old':
      return observing(controller, (snapshot) =>
        snapshot[seenAs]?.metadata.deletionTimestamp === undefined ? withOld(snapshot) : snapshot,
      );
    case 'definition-not-confirmed':
      return changingSteps(controller, (step) => [unconfirmed(step)]);
    case undefined:
      return controller;
  }
}

/** As if it had always been there. */
function asIfOld(kind: Resource<KubeObject>, found: InstalledDefinition): InstalledDefinition {
  const { deletionTimestamp: _, ...metadata } = found?.metadata ?? {
    name: definitionName(kind),
    uid: 'uid-none',
    resourceVersion: '1',
  };
  const old = { metadata: { ...metadata, creationTimestamp: '2020-01-01T00:00:00Z' }, spec: {} };
  return old as unknown as InstalledDefinition;
}

function unconfirmed(step: Step): Step {
  if (step.restsOn === undefined) return step;
  return {
    ...step,
    restsOn: step.restsOn.filter(({ resource }) => resource.plural !== definitions.plural),
  };
}
