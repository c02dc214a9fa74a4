import { annotations, labels } from '@atoll/api';
import type { Instant } from '@atoll/kube';
import { ownersBeforeApply } from '../../children/ownership/field-owners.ts';
import type { Step } from '../../engine/step.ts';
import { childSteps, type ChildRendering } from '../../places/children/child-steps.ts';
import { afterMoves, inTwoStages, movesAway, presentOf } from '../allocation/after-moves.ts';
import {
  afterTrials,
  growthTrials,
  growthTrialsAgain,
  isGrowthRefused,
} from '../allocation/growth-trials.ts';
import { scaleOrder, type ScaleStep, type Scaling } from '../allocation/scale-order.ts';
import { subsetPlaces } from './child.ts';
import type { ChildKind } from './child-kind.ts';
import type { Decision, SubsetDecision } from '../decision.ts';
import { haveSameOrdinals } from '../kruise/kept-ordinals.ts';
import type { Owner, UnitedDeploymentSnapshot } from '../observe.ts';
import { compareSubsetChild, newSubsetChild } from '../rendering/finish-child.ts';
import type { RenderInput } from '../rendering/render-child.ts';
import { staysEmpty } from './stays-empty.ts';
import { templateField } from '../template.ts';

/** What is to be done to children. */
export interface SubsetSteps {
  /** What the API server is asked before the others. */
  readonly trials: readonly Step[];
  readonly creates: readonly Step[];
  readonly owners: readonly Step[];
  readonly applies: readonly Step[];
  /** What must not come before the others: the sum of the replicas would be too large or too small meanwhile. */
  readonly later: readonly Step[];
  /** Some numbers are to go further than this plan takes them. */
  readonly unfinished: boolean;
}

const nothing = { trials: [], creates: [], owners: [], applies: [], later: [], unfinished: false };

export function subsetSteps(
  { owner, refused, history }: UnitedDeploymentSnapshot,
  decision: Decision,
  now: Instant,
): SubsetSteps {
  if (!decision.desired.served) return nothing;
  const { places } = decision;
  const stepsOf = (subsets: readonly SubsetDecision[]) =>
    childSteps(owner, subsetPlaces, subsets, renderingFor(owner, history, decision), now);
  if (places.some(movesAway)) {
    const { creates, owners, applies } = stepsOf(places.filter(isWritable));
    const steps = { creates, owners, applies };
    return { ...nothing, ...afterMoves(steps, decision, places.map(scalingOf)) };
  }
  const shrinks = places.some((each) => each.replicas < presentOf(each));
  const refusedToGrow = shrinks ? places.filter((each) => isGrowthRefused(each, refused)) : [];
  const growsInVain = shrinks ? places.filter(isToStayEmpty) : [];
  const growsLater = shrinks ? growingOnceOwned(places, stepsOf) : [];
  const notNow = [...refusedToGrow, ...growsInVain, ...growsLater];
  const scaling = places.map((each) =>
    notNow.includes(each) ? { ...scalingOf(each), now: false } : scalingOf(each),
  );
  const order = scaleOrder(scaling);
  const { creates, owners, applies } = stepsOf(
    places
      .filter(isWritable)
      .map((subset) => written(subset, order[subset.place.name]?.replicas ?? subset.replicas)),
  );
  const trials = growthTrials(applies, scaling, order);
  const again = growthTrialsAgain(refusedToGrow, stepsOf(refusedToGrow.filter(isWritable)).applies);
  const steps = { creates, owners, applies: afterTrials(applies, trials, scaling, order) };
  return { ...inOrder(steps, decision, scaling, order), trials: [...trials, ...again] };
}

/** Those that grow and of whose fields the owners are changed first: only the next plan can ask whether they may, so nothing shrinks for them before. */
function growingOnceOwned(
  places: readonly SubsetDecision[],
  stepsOf: (subsets: readonly SubsetDecision[]) => Pick<SubsetSteps, 'owners'>,
): readonly SubsetDecision[] {
  const growing = places.filter((each) => isWritable(each) && each.replicas > presentOf(each));
  const first = new Set(stepsOf(growing).owners.map(({ target }) => target));
  return growing.filter(({ place }) => first.has(place.name));
}

/** Nothing shrinks for what would run nothing. */
function isToStayEmpty(subset: SubsetDecision): boolean {
  return subset.replicas > presentOf(subset) && staysEmpty(subset);
}

function isWritable({ patchProblem }: SubsetDecision): boolean {
  return patchProblem === undefined;
}

/**
 * The subset with the number that this plan writes. A partition that fits the end of a scale would release pods that the child
 * still has on the way there.
 */
function written(subset: SubsetDecision, replicas: number): SubsetDecision {
  if (replicas <= subset.replicas) return { ...subset, replicas };
  return { ...subset, replicas, partition: Math.min(subset.partitionWhileShrinking, replicas) };
}

/**
 * What cannot be written stays as it is, and nothing shrinks for what it is to have more. A child that becomes ours again, or may, has its
 * replicas already, and is written by a later plan. One of which something is written before (`isPreliminary`), and that is to shrink, takes
 * part, so that the others wait for it unless that is refused for good.
 */
function scalingOf(decision: SubsetDecision): Scaling {
  const { place, child, replicas, revision, patchProblem, nameConflict, orphan } = decision;
  const { name } = place;
  const comesBack = child === undefined ? (orphan ?? nameConflict?.child) : undefined;
  const present = presentOf({ child: child ?? comesBack });
  const own = child === undefined ? present : decision.own;
  const blocked =
    revision === undefined ||
    patchProblem !== undefined ||
    (child === undefined && comesBack === undefined && nameConflict !== undefined);
  const wanted = blocked ? Math.max(present, replicas) : replicas;
  const isWrittenBefore =
    orphan !== undefined || (child !== undefined && ownersBeforeApply(child.object, replicas) !== undefined);
  const now = !blocked && (isWrittenBefore ? wanted < present : comesBack === undefined);
  return { name, present, own, wanted, now, isNew: now && child === undefined && comesBack === undefined };
}

function inOrder(
  steps: Pick<SubsetSteps, 'creates' | 'owners' | 'applies'>,
  { places }: Decision,
  scaling: readonly Scaling[],
  order: Readonly<Record<string, ScaleStep>>,
): Omit<SubsetSteps, 'trials'> {
  const isLater = ({ target = '' }: Step): boolean => order[target]?.later === true;
  const first = new Set(
    scaling
      .filter(({ name, present }) => order[name]?.later === false && order[name].replicas !== present)
      .map(({ name }) => name),
  );
  const dependsOn = places.flatMap(({ child, orphan, place: { name } }) => {
    if (!first.has(name)) return [];
    return (child ?? orphan)?.object.metadata.uid ?? steps.creates.flatMap((step) => nameOfNew(step, name));
  });
  return {
    ...inTwoStages(steps, isLater, dependsOn),
    // Where nothing is written now, as where a webhook sets each number back, the next plan would be the same.
    unfinished:
      Object.values(steps).some(({ length }) => length > 0) &&
      scaling.some(({ name, wanted }) => order[name]?.replicas !== wanted),
  };
}

function nameOfNew(step: Step, subset: string): readonly string[] {
  return step.do === 'create' && step.target === subset ? [step.object.metadata.name] : [];
}

function renderingFor(
  owner: Owner,
  history: UnitedDeploymentSnapshot['history'],
  { allocation, keptNumbers }: Pick<Decision, 'allocation' | 'keptNumbers'>,
): ChildRendering<ChildKind, SubsetDecision> {
  const input = (
    { place: subset, child, replicas, partition, maxUnavailable }: SubsetDecision,
    revision: RenderInput['revision'],
    name: string,
  ): RenderInput => {
    const { annotations: noted, labels: found } = child?.object.metadata ?? {};
    const patchText = noted?.[annotations.subsetPatch];
    const before = history.find(({ label }) => label === found?.[labels.subsetRevision]);
    const asksForOtherOrdinals = before !== undefined && !haveSameOrdinals(before, revision);
    const given = { owner, subset, name, revision, replicas, partition, maxUnavailable };
    return { ...given, patchText, asksForOtherOrdinals, keptNumber: keptNumbers?.[subset.name] };
  };
  return {
    create: (decision, revision, name, now) => newSubsetChild(input(decision, revision, name), now),
    compare: (decision, revision, live, now) =>
      compareSubsetChild(input(decision, revision, live.metadata.name), live, now),
    templateField: ({ place: { spec } }, kind) =>
      Object.keys(spec.patch ?? {}).length === 0 ? templateField(kind) : undefined,
    replicas: ({ replicas }) => replicas,
    whyCreate: ({ place: { name } }, kind) =>
      `subset ${name} has no ${kind} and is to have ${allocation.replicas[name]} replicas`,
    whyApply: ({ replicas }, { object }, named) => {
      const present = object.spec?.replicas;
      if (present === replicas) return undefined;
      return { word: 'SubsetScaled', message: `${named} goes from ${present ?? 1} to ${replicas} replicas` };
    },
    follows: 'its subset',
  };
}
