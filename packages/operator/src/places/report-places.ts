import type { Instant } from '@atoll/kube';
import { takenOver } from '../children/ownership/owner-step.ts';
import type { ChildOwner } from '../children/ownership/owner.ts';
import type { StatusWrite } from '../engine/controller.ts';
import { failuresOf, type FailedStep } from '../engine/problems/failures.ts';
import type { Hold } from '../engine/hold.ts';
import {
  conditionSince,
  mergeConditions,
  overallStatements,
  overallTypes,
  type Statement,
} from '../engine/status/conditions.ts';
import type { Outcome, SkipReason } from '../engine/step.ts';
import { troubleOf } from '../engine/problems/trouble.ts';
import type { ChildToDelete } from './children/children-to-delete.ts';
import type { PlaceDecision } from './decide-places.ts';
import type { PlacesOwner } from './plan-places.ts';
import type { PlaceChild } from './place.ts';
import type { PlacesKind } from './places-kind.ts';
import { standingOfPlaces, standingUndecided, type Done } from './children/standing.ts';

/** What a kind reports of the places of an object. */
export interface PlacesReport<Decision> {
  readonly owner: ChildOwner<PlacesOwner>;
  /** False while a cache has not been filled. */
  readonly certain: boolean;
  readonly holds: readonly Hold[];
  /** undefined: nothing could be decided; what was last known of the places stays in the status. */
  readonly decided:
    | {
        readonly places: readonly Decision[];
        readonly toDelete: readonly ChildToDelete[];
        readonly pendingDeletion: readonly PlaceChild[];
      }
    | undefined;
  /** The status without conditions and `observedGeneration`, as it is found or as it was decided. */
  readonly status: object;
  /** Conditions of the kind's own, besides those that every kind has. */
  readonly statements?: (failures: readonly FailedStep[]) => readonly Statement[];
  /** The types of all conditions that `statements` may state. */
  readonly ownTypes?: readonly string[];
  /** Whether nothing is left to do for a place. */
  readonly isComplete: (decision: Decision) => boolean;
  /** The message of the conditions when nothing is left to do. */
  readonly done: () => Done;
}

/**
 * The status as the snapshot after the writes shows it: Ready, Progressing, Degraded and the kind's own conditions, and
 * which generation was seen.
 */
export function reportPlaces<Decision extends PlaceDecision>(
  { places: called, troubleCondition }: Pick<PlacesKind, 'places' | 'troubleCondition'>,
  report: PlacesReport<Decision>,
  outcome: Outcome,
  now: Instant,
): StatusWrite {
  const { owner, certain, holds, decided, statements = () => [], ownTypes = [] } = report;
  const { object, resource } = owner;
  const { generation } = object.metadata;
  const found = object.status?.conditions;
  const failures = failuresOf(outcome);
  const since = conditionSince(found, troubleCondition.type, troubleCondition.status) ?? now;
  const trouble = troubleOf(holds, failures, since);
  const open = new Set([...takenOver(outcome), ...notDone(outcome)]);
  const standing =
    decided === undefined
      ? standingUndecided(certain, holds, trouble)
      : standingOfPlaces(
          {
            called,
            count: decided.places.length,
            open: decided.places
              .filter((each) => !report.isComplete(each) || open.has(each.place.name))
              .map(({ place }) => place.name),
            blocked: failures.length === 0 ? [] : blockedIn(outcome),
            toDelete: decided.toDelete.map(({ child }) => child.place),
            pendingDeletion: decided.pendingDeletion.length,
            done: report.done,
          },
          holds,
          failures,
          trouble,
        );
  const stated = [...statements(failures), ...overallStatements(standing, now)];
  const owned = decided === undefined ? overallTypes : [...ownTypes, ...overallTypes];
  const status = {
    ...report.status,
    ...(certain && generation !== undefined ? { observedGeneration: generation } : {}),
    conditions: mergeConditions(found, stated, owned, generation, now),
  };
  return { resource, object, status };
}

/**
 * The places for which something was planned and not sent: what the snapshot shows of them may look as wanted and be of the spec before, as
 * when nothing but a number or a partition changed.
 */
function notDone(outcome: Outcome): readonly string[] {
  return skippedPlaces(outcome, () => true);
}

/** The places for which nothing was sent because a step before failed. */
function blockedIn(outcome: Outcome): readonly string[] {
  return skippedPlaces(outcome, (because) => because === 'earlier-stage-failed');
}

function skippedPlaces({ results }: Outcome, isMeant: (because: SkipReason) => boolean): readonly string[] {
  return results.flatMap((result) => {
    if (result.did !== 'skipped' || !isMeant(result.because)) return [];
    return result.step.do === 'event' || result.step.target === undefined ? [] : [result.step.target];
  });
}
