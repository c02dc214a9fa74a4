import type { Instant, KubeObject, Stored } from '@atoll/kube';
import type { Difference } from '../../children/compare-child.ts';
import type { ChildWorkload } from '../../children/child.ts';
import { ownersAfterApply, ownersBeforeApply } from '../../children/ownership/field-owners.ts';
import { ownersOfFilledIn } from '../../children/ownership/filled-in.ts';
import { childName } from '../../children/names.ts';
import type { ChildOwner } from '../../children/ownership/owner.ts';
import { ownerStep } from '../../children/ownership/owner-step.ts';
import type { Revision } from '../../children/revisions/revision.ts';
import { revisionAt } from '../../engine/rollout/target.ts';
import type { Reason, Seen, Step } from '../../engine/step.ts';
import type { PlaceDecision } from '../decide-places.ts';
import type { Place, PlaceChild } from '../place.ts';
import type { PlacesKind } from '../places-kind.ts';

/** How a kind renders the child of a place, and with which reason. `Decision`: what the kind decides for one place. */
export interface ChildRendering<Kind extends string, Decision> {
  /** A child under this name, where the place has none. */
  readonly create: (decision: Decision, revision: Revision<Kind>, name: string, now: Instant) => KubeObject;
  /** The field of the owner that the child's fields are made of; undefined: more than one, as where a place has a patch. */
  readonly templateField: (decision: Decision, kind: Kind) => string | undefined;
  /** What a child is made from besides the template and its place; read live before it is made. */
  readonly madeFrom?: (decision: Decision) => readonly Seen[];
  /** What is to be written so that the child that is there is as it should be; undefined: nothing. */
  readonly compare: (
    decision: Decision,
    revision: Revision<Kind>,
    live: Stored<ChildWorkload>,
    now: Instant,
  ) => Difference | undefined;
  /** undefined: not ours, or the child has none. */
  readonly replicas: (decision: Decision) => number | undefined;
  /** Why a child is created: `pool a is selected and has no Deployment`. */
  readonly whyCreate: (decision: Decision, kind: Kind) => string;
  /** A reason of the kind's own to write a child that is of the wanted revision. */
  readonly whyApply?: (decision: Decision, child: PlaceChild<Kind>, named: string) => Reason | undefined;
  /** What a child follows that is written for no other reason: `its pool`. */
  readonly follows: string;
}

/** What is to be done so that each place has its child, as it should be. */
export interface ChildSteps<Decision> {
  readonly creates: readonly Step[];
  /** Changes of the owners of fields, each before or after the child itself is written. */
  readonly owners: readonly Step[];
  readonly applies: readonly Step[];
  /** Places whose child is as it should be. */
  readonly unchanged: readonly Decision[];
}

/** Each place is for itself: a step that fails at one stops nothing at another. */
export function childSteps<P extends Place, Kind extends string, Decision extends PlaceDecision<P, Kind>>(
  owner: ChildOwner,
  kind: PlacesKind<Kind>,
  decisions: readonly Decision[],
  rendering: ChildRendering<Kind, Decision>,
  now: Instant,
): ChildSteps<Decision> {
  const creates: Step[] = [];
  const owners: Step[] = [];
  const applies: Step[] = [];
  const unchanged: Decision[] = [];
  for (const decision of decisions) {
    const { place, child, revision, nameConflict, orphan } = decision;
    if (revision === undefined) continue;
    if (child === undefined) {
      if (nameConflict === undefined && orphan === undefined)
        creates.push(createStep(owner, kind, decision, revision, rendering, now));
      continue;
    }
    const { object: live } = child;
    const resource = kind.resourceOf(child.kind);
    const { eventReason } = kind;
    const target = place.name;
    const replicas = rendering.replicas(decision);
    // Who owns the fields is changed first and by itself; the child is written when that is seen to be so.
    const before = ownersBeforeApply(live, replicas);
    const difference = before === undefined ? rendering.compare(decision, revision, live, now) : undefined;
    const change =
      before ??
      (difference === undefined
        ? ownersAfterApply(live, replicas)
        : ownersOfFilledIn(live, difference.object));
    if (change !== undefined) {
      const called = `${kind.place} ${target}`;
      owners.push(ownerStep({ resource, object: live, target, place: called, eventReason }, change));
      continue;
    }
    if (difference === undefined) {
      unchanged.push(decision);
      continue;
    }
    applies.push(applyStep(kind, decision, child, difference, rendering));
  }
  return { creates, owners, applies, unchanged };
}

function createStep<P extends Place, Kind extends string, Decision extends PlaceDecision<P, Kind>>(
  owner: ChildOwner,
  { resourceOf, placeLabel, createEventReason }: PlacesKind<Kind>,
  decision: Decision,
  revision: Revision<Kind>,
  rendering: ChildRendering<Kind, Decision>,
  now: Instant,
): Step {
  const { name: target } = decision.place;
  const name = childName(owner.object.metadata, target);
  const { kind } = revision.template;
  const restsOn = rendering.madeFrom?.(decision) ?? [];
  return {
    do: 'create',
    resource: resourceOf(kind),
    object: rendering.create(decision, revision, name, now),
    ...templateOf(rendering.templateField(decision, kind)),
    managed: 'apply',
    identity: [placeLabel],
    target,
    ...(restsOn.length === 0 ? {} : { restsOn }),
    ...(createEventReason === undefined ? {} : { eventReason: createEventReason }),
    why: { word: 'ChildCreated', message: rendering.whyCreate(decision, kind) },
  };
}

function applyStep<P extends Place, Kind extends string, Decision extends PlaceDecision<P, Kind>>(
  kind: PlacesKind<Kind>,
  decision: Decision,
  child: PlaceChild<Kind>,
  difference: Difference,
  rendering: ChildRendering<Kind, Decision>,
): Step {
  const { uid, resourceVersion } = child.object.metadata;
  return {
    do: 'apply',
    resource: kind.resourceOf(child.kind),
    object: difference.object,
    ...templateOf(rendering.templateField(decision, child.kind)),
    uid,
    resourceVersion,
    target: decision.place.name,
    eventReason: kind.eventReason,
    why: reasonToApply(kind, decision, child, difference, rendering),
  };
}

function templateOf(template: string | undefined): Pick<Extract<Step, { readonly do: 'apply' }>, 'template'> {
  return template === undefined ? {} : { template };
}

function reasonToApply<P extends Place, Kind extends string, Decision extends PlaceDecision<P, Kind>>(
  { place: called }: PlacesKind<Kind>,
  decision: Decision,
  child: PlaceChild<Kind>,
  { kind: difference }: Difference,
  { whyApply, follows }: ChildRendering<Kind, Decision>,
): Reason {
  const { place, target, revision } = decision;
  const named = `${child.kind} ${child.object.metadata.name} of ${called} ${place.name}`;
  const runs = revisionAt(target.at);
  if (runs !== revision?.label) {
    const from = runs ?? 'no revision';
    return { word: 'ChildUpdated', message: `${named} goes from ${from} to ${revision?.label}` };
  }
  const own = whyApply?.(decision, child, named);
  if (own !== undefined) return own;
  return difference === 'drifted'
    ? { word: 'ChildDrifted', message: `${named} was changed by somebody else` }
    : { word: 'ChildUpdated', message: `${named} follows ${follows}` };
}
