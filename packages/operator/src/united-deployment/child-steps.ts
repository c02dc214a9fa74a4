import { annotations } from '@atoll/api';
import type { Instant } from '@atoll/kube';
import { adoption } from '../children/adoption.ts';
import type { RenderedChild } from '../children/child.ts';
import type { Difference } from '../children/compare-child.ts';
import { ownersAfterApply, ownersBeforeApply } from '../children/field-owners.ts';
import { childName } from '../children/names.ts';
import { ownerStep } from '../children/owner-step.ts';
import type { Reason, Step } from '../engine/step.ts';
import { afterMoves, inTwoStages, movesAway, presentOf } from './allocation/after-moves.ts';
import { subsetPlaces, type Child } from './child.ts';
import { kindFacts } from './child-kind.ts';
import type { Decision, SubsetDecision } from './decision.ts';
import { compareSubsetChild, newSubsetChild } from './rendering/finish-child.ts';
import type { Owner, UnitedDeploymentSnapshot } from './observe.ts';
import type { RenderInput } from './rendering/render-child.ts';
import { scaleOrder, type ScaleStep, type Scaling } from './allocation/scale-order.ts';
import { revisionAt } from '../engine/rollout/target.ts';

/** What is to be done to children. */
export interface ChildSteps {
  readonly adoptions: readonly Step[];
  readonly creates: readonly Step[];
  readonly owners: readonly Step[];
  readonly applies: readonly Step[];
  /** What must not come before the others: the sum of the replicas would be too large or too small meanwhile. */
  readonly later: readonly Step[];
  /** Some numbers are to go further than this plan takes them. */
  readonly unfinished: boolean;
}

const { eventReason, placeLabel } = subsetPlaces;

export function childSteps(
  { owner }: UnitedDeploymentSnapshot,
  decision: Decision,
  now: Instant,
): ChildSteps {
  const steps = {
    adoptions: [] as Step[],
    creates: [] as Step[],
    owners: [] as Step[],
    applies: [] as Step[],
  };
  if (!decision.desired.served) return { ...steps, later: [], unfinished: false };
  const moves = decision.places.some(movesAway);
  const order = moves ? {} : scaleOrder(decision.places.map(scalingOf));
  for (const subset of decision.places) {
    if (subset.orphan !== undefined) {
      steps.adoptions.push(adoptStep(owner, subset.orphan));
      continue;
    }
    if (subset.patchProblem !== undefined) continue;
    const each = written(subset, order[subset.place.name]?.replicas ?? subset.replicas);
    if (each.child !== undefined) change(steps, owner, each, each.child, now);
    else if (each.nameConflict === undefined) create(steps.creates, owner, each, now);
  }
  return moves ? { ...afterMoves(steps, decision), unfinished: false } : inOrder(steps, decision, order);
}

/**
 * The subset with the number that this plan writes. A partition that fits the end of a scale would release pods that the child
 * still has on the way there.
 */
function written(subset: SubsetDecision, replicas: number): SubsetDecision {
  if (replicas <= subset.replicas) return { ...subset, replicas };
  return { ...subset, replicas, partition: Math.min(subset.partitionWhileShrinking, replicas) };
}

/** What cannot be written stays as it is. */
function scalingOf(decision: SubsetDecision): Scaling {
  const { place, child, replicas, revision, patchProblem, nameConflict, orphan } = decision;
  const { name } = place;
  const present = presentOf(decision);
  const blocked =
    revision === undefined ||
    patchProblem !== undefined ||
    orphan !== undefined ||
    (child === undefined && nameConflict !== undefined);
  const now = child === undefined || ownersBeforeApply(child.object, replicas) === undefined;
  return { name, present, wanted: blocked ? present : replicas, now };
}

function inOrder(
  steps: Omit<ChildSteps, 'later' | 'unfinished'>,
  { places }: Decision,
  order: Readonly<Record<string, ScaleStep>>,
): ChildSteps {
  const isLater = ({ target = '' }: Step): boolean => order[target]?.later === true;
  const first = places.filter(
    (each) => order[each.place.name]?.later === false && order[each.place.name]?.replicas !== presentOf(each),
  );
  const follows = first.flatMap(({ child, place: subset }) =>
    child === undefined
      ? steps.creates.flatMap((step) => nameOfNew(step, subset.name))
      : [child.object.metadata.uid],
  );
  return {
    ...inTwoStages(steps, isLater, follows),
    // Where nothing is written now, as where a webhook sets each number back, the next plan would be the same.
    unfinished:
      Object.values(steps).some(({ length }) => length > 0) &&
      places.some((each) => {
        const { name, wanted } = scalingOf(each);
        return order[name]?.replicas !== wanted;
      }),
  };
}

function nameOfNew(step: Step, subset: string): readonly string[] {
  return step.do === 'create' && step.target === subset ? [step.object.metadata.name] : [];
}

function create(creates: Step[], owner: Owner, decision: SubsetDecision, now: Instant): void {
  const { place: subset, revision } = decision;
  if (revision === undefined) return;
  const name = childName(owner.object.metadata, subset.name);
  const input = renderInput(owner, decision, revision, name);
  const object = newSubsetChild(input, now);
  creates.push({
    do: 'create',
    resource: kindFacts[revision.template.kind].resource,
    object,
    managed: 'apply',
    identity: [placeLabel],
    target: subset.name,
    eventReason,
    why: {
      word: 'ChildCreated',
      message: `subset ${subset.name} has no ${revision.template.kind} and is to have ${decision.replicas} replicas`,
    },
  });
}

/** Whoever owns what is decided first and by itself; the child is written when that is seen to be so. */
function change(
  steps: { readonly owners: Step[]; readonly applies: Step[] },
  owner: Owner,
  decision: SubsetDecision,
  child: Child,
  now: Instant,
): void {
  const { place: subset, revision, replicas } = decision;
  if (revision === undefined) return;
  const { object: live } = child;
  const { resource } = kindFacts[child.kind];
  const target = subset.name;
  const before = ownersBeforeApply(live, replicas);
  const input = renderInput(owner, decision, revision, live.metadata.name);
  const difference = before === undefined ? compareSubsetChild(input, live, now) : undefined;
  const hands = before ?? (difference === undefined ? ownersAfterApply(live, replicas) : undefined);
  if (hands !== undefined) {
    const changing = { resource, object: live, target, place: `subset ${target}`, eventReason };
    steps.owners.push(ownerStep(changing, hands));
  }
  if (difference === undefined) return;
  const { object, kind } = difference;
  const { uid, resourceVersion } = live.metadata;
  const why = reasonToApply(decision, child, object, kind);
  steps.applies.push({ do: 'apply', resource, object, uid, resourceVersion, target, eventReason, why });
}

function renderInput(
  owner: Owner,
  { place: subset, child, replicas, partition, maxUnavailable }: SubsetDecision,
  revision: RenderInput['revision'],
  name: string,
): RenderInput {
  const patchText = child?.object.metadata.annotations?.[annotations.subsetPatch];
  return { owner, subset, name, revision, replicas, partition, maxUnavailable, patchText };
}

function reasonToApply(
  { place: subset, target, revision, replicas }: SubsetDecision,
  { kind, object: live }: Child,
  object: RenderedChild,
  difference: Difference['kind'],
): Reason {
  const named = `${kind} ${object.metadata.name} of subset ${subset.name}`;
  const runs = revisionAt(target.at);
  if (runs !== revision?.label) {
    const from = runs ?? 'no revision';
    return { word: 'ChildUpdated', message: `${named} goes from ${from} to ${revision?.label}` };
  }
  const present = live.spec?.replicas;
  if (present !== replicas) {
    return { word: 'SubsetScaled', message: `${named} goes from ${present ?? 1} to ${replicas} replicas` };
  }
  return difference === 'drifted'
    ? { word: 'ChildDrifted', message: `${named} was changed by somebody else` }
    : { word: 'ChildUpdated', message: `${named} follows its subset` };
}

function adoptStep(owner: Owner, { kind, object, place: subset }: Child): Step {
  const named = `${kind} ${object.metadata.name} of subset ${subset ?? ''}`;
  return {
    ...adoption(owner, kindFacts[kind].resource, object),
    ...(subset === undefined ? {} : { target: subset }),
    eventReason,
    why: { word: 'ChildAdopted', message: `${named} has no owner and is what this subset asks for` },
  };
}
