import { defaultRevisionHistoryLimit } from '@atoll/api';
import { controllerOf, type ControllerRevision, type Instant, type Stored } from '@atoll/kube';
import type { RevisionData } from '../children/child-template.ts';
import { goesLateAt } from '../children/late.ts';
import type { ChildOwner } from '../children/ownership/owner.ts';
import type { Revision, RevisionDecision } from '../children/revisions/revision.ts';
import { revisionSteps, isMade } from '../children/revisions/revision-steps.ts';
import { earliest, earliestAfter } from '../engine/earliest.ts';
import type { Hold } from '../engine/hold.ts';
import type { Inspection } from '../engine/inspection.ts';
import { guardOf, type Plan, type Stage } from '../engine/plan.ts';
import { conditionSince, degradedDue, type FoundCondition } from '../engine/status/conditions.ts';
import type { Step } from '../engine/step.ts';
import { deleteStep, type ChildToDelete } from './children/children-to-delete.ts';
import { adoptHistorySteps } from './adoption/orphaned-history.ts';
import { adoptStep, type SelectingOwner } from './adoption/orphans.ts';
import { unseenOrphans } from './adoption/unseen-orphans.ts';
import type { ChildSteps } from './children/child-steps.ts';
import type { DecidedPlaces, PlaceDecision } from './decide-places.ts';
import type { Place } from './place.ts';
import type { PlacesKind } from './places-kind.ts';
import type { StuckPodStep } from './children/stuck-pod-step.ts';

/** An object that keeps a child in each of its places. */
export interface PlacesOwner extends SelectingOwner {
  readonly spec: SelectingOwner['spec'] & { readonly revisionHistoryLimit?: number };
  readonly status?: { readonly conditions?: readonly FoundCondition[] };
}

/** What the history has to record, and in which form. */
export interface RevisionsToWrite<Kind extends string> {
  readonly decision: RevisionDecision<Kind>;
  readonly history: readonly Revision<Kind>[];
  /** Revisions that nobody owns and that are to become ours. */
  readonly orphaned: readonly Stored<ControllerRevision>[];
  readonly data: RevisionData<Kind>;
}

export interface PlacesToPlan<P extends Place, Kind extends string> {
  readonly decided: DecidedPlaces<PlaceDecision<P, Kind>> & {
    readonly toDelete: readonly ChildToDelete<Kind>[];
  };
  readonly holds: readonly Hold[];
  /** Children of whose pods is to be found out why they are not healthy. */
  readonly inspect: readonly Inspection[];
  /** The uids of what nobody owns, as they were seen (`BesideChildren`). */
  readonly unowned: readonly string[];
  readonly steps: Pick<ChildSteps<unknown>, 'creates' | 'owners' | 'applies'>;
  readonly revisions: RevisionsToWrite<Kind>;
  readonly stuckPods: readonly StuckPodStep[];
  /** Stages of the kind's own. `afterApplies` runs as the children are written: once the revision is there. */
  readonly also?: {
    readonly beforeCreates?: readonly Stage[];
    readonly afterApplies?: Omit<Stage, 'onlyAfterSuccess'>;
    readonly last?: readonly Stage[];
  };
  /** Annotations of the object that a plan depends on as on its spec. */
  readonly controlAnnotations?: readonly string[];
  /** When to reconcile again, for reasons of the kind's own. */
  readonly requeueAt?: readonly (Instant | undefined)[];
}

/**
 * History that was let go, and the revision, first, because children name it; then children that were let go, that are missing, that differ,
 * that are too many, and history that is too long.
 */
export function planPlaces<P extends Place, Kind extends string>(
  owner: ChildOwner<PlacesOwner>,
  kind: PlacesKind<Kind>,
  planned: PlacesToPlan<P, Kind>,
  now: Instant,
): Plan {
  const { decided, holds, inspect, unowned, steps, revisions, stuckPods, also = {} } = planned;
  const { write, trim } = historySteps(owner, decided.needed, revisions);
  const onlyAfterSuccess = isMade(write);
  const adoptions = decided.places.flatMap(({ orphan }) =>
    orphan === undefined ? [] : [adoptStep(owner, kind, orphan)],
  );
  const stages: readonly Stage[] = [
    { name: 'adopt history', steps: adoptHistorySteps(owner, revisions.orphaned) },
    { name: 'write revision', steps: write },
    ...(also.beforeCreates ?? []),
    { name: 'adopt children', steps: adoptions },
    { name: 'create children', steps: steps.creates, onlyAfterSuccess, slowStart: true },
    { name: 'change owners of fields', steps: steps.owners, slowStart: true },
    { name: 'apply children', steps: steps.applies, onlyAfterSuccess, slowStart: true },
    ...(also.afterApplies === undefined ? [] : [{ ...also.afterApplies, onlyAfterSuccess }]),
    { name: 'delete stuck pods', steps: stuckPods.flatMap(({ step }) => step ?? []) },
    {
      name: 'delete children',
      steps: decided.toDelete.map((child) => deleteStep(child, kind)),
    },
    { name: 'trim history', steps: trim },
    ...(also.last ?? []),
  ];
  const made = steps.creates.flatMap((step) => (step.do === 'create' ? [step.resource] : []));
  const unseen = unseenOrphans(owner.object, kind.placeLabel, decided.places, made, unowned);
  const due = dueAt(owner, kind, planned, now);
  return {
    stages: stages.filter((stage) => stage.steps.length > 0),
    holds,
    inspect,
    targets: decided.places.map(({ target }) => target),
    guards: [guardOf(owner.resource, owner.object, planned.controlAnnotations)],
    ...(unseen.length === 0 ? {} : { unseen }),
    ...(due === undefined ? {} : { requeueAt: due }),
  };
}

/** When time alone changes what is planned or reported; undefined: it does not. */
function dueAt<P extends Place, Kind extends string>(
  { object }: ChildOwner<PlacesOwner>,
  { troubleCondition: { type, status } }: PlacesKind<Kind>,
  { decided, stuckPods, requeueAt = [] }: PlacesToPlan<P, Kind>,
  now: Instant,
): Instant | undefined {
  const failingSince = conditionSince(object.status?.conditions, type, status);
  const late = [
    ...decided.places.map(({ lateAt }) => lateAt),
    ...decided.going.map((child) => goesLateAt(child.object)),
  ];
  return earliest([
    failingSince === undefined ? undefined : degradedDue(failingSince, now),
    earliestAfter(now, late),
    ...decided.places.map(({ nameConflict }) => nameConflict?.until),
    decided.rolloutGoesOnAt,
    ...stuckPods.map((each) => each.requeueAt),
    ...requeueAt,
  ]);
}

function historySteps<Kind extends string>(
  owner: ChildOwner<PlacesOwner>,
  needed: ReadonlySet<string>,
  { decision, history, data }: RevisionsToWrite<Kind>,
): { readonly write: readonly Step[]; readonly trim: readonly Step[] } {
  const { metadata, spec } = owner.object;
  const isOurs = ({ stored }: Revision): boolean =>
    stored === undefined || controllerOf(stored)?.uid === metadata.uid;
  const limit = spec?.revisionHistoryLimit ?? defaultRevisionHistoryLimit;
  const { write, trim } = revisionSteps(owner, decision, history.filter(isOurs), needed, data, limit);
  // One that is to be adopted gets its number when it is ours.
  return { write: isOurs(decision.update) ? write : [], trim };
}
