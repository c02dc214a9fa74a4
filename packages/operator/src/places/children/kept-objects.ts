import { conditionTypes } from '@atoll/api';
import type { Instant, KubeObject, Resource, Stored } from '@atoll/kube';
import type { ChildOwner } from '../../children/ownership/owner.ts';
import type { StatusWrite } from '../../engine/controller.ts';
import { failuresOf } from '../../engine/problems/failures.ts';
import type { Hold } from '../../engine/hold.ts';
import { guardOf, nothingToDo, type Plan } from '../../engine/plan.ts';
import { deletion } from '../../engine/steps/deletion.ts';
import { contains } from '../../engine/same-meaning.ts';
import {
  conditionSince,
  mergeConditions,
  overallStatements,
  overallTypes,
  type FoundCondition,
} from '../../engine/status/conditions.ts';
import type { Outcome, Seen, Step } from '../../engine/step.ts';
import { troubleOf } from '../../engine/problems/trouble.ts';
import { standingOfPlaces, standingUndecided } from './standing.ts';

/** An object that keeps others, and its conditions as they were found. */
interface KeepingObject extends KubeObject {
  readonly status?: {
    readonly observedGeneration?: number;
    readonly conditions?: readonly FoundCondition[];
  };
}

/** Objects that have no rollout of their own, as ConfigMaps: one in each place, written as soon as it differs. */
export interface ObjectsToKeep {
  readonly owner: ChildOwner<KeepingObject>;
  readonly resource: Resource<KubeObject>;
  /** By place; their names are unique and always the same for one place. */
  readonly wanted: ReadonlyMap<string, KubeObject>;
  /** Those that the owner has. */
  readonly present: readonly Stored<KubeObject>[];
  readonly placeOf: (object: Stored<KubeObject>) => string;
  /** False while a cache has not been filled: then nothing that is absent proves anything. */
  readonly certain: boolean;
  /** Why nothing is decided, as where a selector cannot be read: all stay as they are. */
  readonly holds?: readonly Hold[];
}

/** What is to be done so that each place has its object. */
export interface KeptObjects extends ObjectsToKeep {
  readonly missing: readonly (readonly [place: string, wanted: KubeObject])[];
  readonly outdated: readonly (readonly [place: string, wanted: KubeObject, live: Stored<KubeObject>])[];
  readonly toDelete: readonly Stored<KubeObject>[];
}

/**
 * Compares what is wanted with what is there. An object may hold more than is wanted: others may add to it. So what an object
 * must not hold any more has to show in it, as by a hash of all in an annotation.
 */
export function decideObjects(given: ObjectsToKeep): KeptObjects {
  const live = new Map(given.present.map((object) => [object.metadata.name, object]));
  const names = new Set([...given.wanted.values()].map(({ metadata }) => metadata.name));
  const wanted = [...given.wanted].map(
    ([place, object]) => [place, object, live.get(object.metadata.name)] as const,
  );
  return {
    ...given,
    missing: wanted.flatMap(([place, object, found]) => (found === undefined ? [[place, object]] : [])),
    outdated: wanted.flatMap(([place, object, found]) =>
      found === undefined || contains(found, object) ? [] : [[place, object, found]],
    ),
    toDelete: given.present.filter(({ metadata }) => !names.has(metadata.name)),
  };
}

/** `seen`: how the place was seen whose object is deleted; it is read live before the deletion. */
export function planObjects(decided: KeptObjects, seen: (place: string) => Seen): Plan {
  const { owner, resource, missing, outdated, toDelete, placeOf, certain, holds = [] } = decided;
  if (holds.length > 0) return { ...nothingToDo, holds };
  if (!certain || owner.object.metadata.deletionTimestamp !== undefined) return nothingToDo;
  const { kind } = resource;
  const steps: readonly Step[] = [
    ...missing.map(([target, object]): Step => {
      const why = { word: 'ChildCreated', message: `${target} has no ${kind}` } as const;
      return { do: 'create', resource, object, managed: 'apply', target, why };
    }),
    ...outdated.map(([target, object, { metadata }]): Step => {
      const why = {
        word: 'ChildUpdated',
        message: `the ${kind} of ${target} differs from the spec`,
      } as const;
      const { uid, resourceVersion } = metadata;
      return { do: 'apply', resource, object, uid, resourceVersion, target, why };
    }),
    ...toDelete.map((object): Step => {
      const target = placeOf(object);
      const why = { word: 'ChildDeleted', message: `${target} is not selected any more` } as const;
      return { ...deletion(resource, object), restsOn: [seen(target)], target, why };
    }),
  ];
  return {
    stages: [{ name: `keep ${resource.plural}`, steps, slowStart: true }],
    holds: [],
    targets: [],
    guards: [guardOf(owner.resource, owner.object)],
  };
}

/** The status with the overall conditions. `called`: what people call the places; `also`: what else the status has. */
export function reportObjects(
  { owner: { resource, object }, resource: { kind }, wanted, certain, holds = [], ...decided }: KeptObjects,
  called: string,
  also: object,
  outcome: Outcome,
  now: Instant,
): readonly StatusWrite[] {
  const { generation } = object.metadata;
  const found = object.status?.conditions;
  const trouble = troubleOf(
    holds,
    failuresOf(outcome),
    conditionSince(found, conditionTypes.ready, 'False') ?? now,
  );
  const open = [...decided.missing, ...decided.outdated].map(([place]) => place);
  const toDelete = decided.toDelete.map(decided.placeOf);
  const count = wanted.size;
  const done = () =>
    ({ reason: 'RolloutComplete', message: `${count} of ${count} ${called} have their ${kind}` }) as const;
  const standing =
    certain && holds.length === 0
      ? standingOfPlaces({ called, count, open, toDelete, pendingDeletion: 0, done }, [], [], trouble)
      : standingUndecided(certain, holds, trouble);
  const statements = overallStatements(standing, now);
  const conditions = mergeConditions(found, statements, overallTypes, generation, now);
  const observedGeneration = certain ? generation : object.status?.observedGeneration;
  const seen = observedGeneration === undefined ? {} : { observedGeneration };
  return [{ resource, object, status: { ...also, ...seen, conditions } }];
}
