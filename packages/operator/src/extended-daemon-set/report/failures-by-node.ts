import { compareTexts } from '@atoll/kube';
import type { ApiError } from '@atoll/kube';
import { trialOf } from '../../engine/refused-trials.ts';
import { failureOf, failuresOf, type FailedStep, type Failure } from '../../engine/problems/failures.ts';
import type { Outcome } from '../../engine/step.ts';
import type { Rolling } from '../rolling/decide-rolling.ts';
import type { UnwantedPods } from '../rolling/deleted-unwanted.ts';
import type { RefusedNode } from '../rolling/refusals/refused-successors.ts';
import type { RolledFleet } from '../rolling/roll-fleet.ts';
import { withWhatStays } from './unrecorded-batch.ts';

type ByTrial = ReadonlyMap<string, readonly RefusedNode[]>;

/**
 * The failed writes of an outcome. Where a trial was refused, that may be a failure of nodes whose pod was not tried, too. Of many that were refused some are
 * tried at a time: the others have the answer of before, so that what is reported does not depend on whose turn it is.
 */
export function failuresByNode(
  outcome: Outcome,
  { active, canary, unwanted }: Pick<RolledFleet, 'active' | 'canary' | 'unwanted'>,
): readonly Failure[] {
  const rollings = [canary, active].flatMap((rolling) => rolling ?? []);
  const failed = failuresOf(outcome).map(withWhatStays);
  const ofPods = [...failed.filter(isOfPod), ...askedLater(outcome, rollings, unwanted)].sort(byTarget);
  const others = failed.filter((each) => !isOfPod(each));
  return [...ofTrials(outcome, others, rollings), ...ofPods];
}

function ofTrials(
  outcome: Outcome,
  failed: readonly FailedStep[],
  rollings: readonly Rolling[],
): readonly Failure[] {
  if (!failed.some(isTrial)) return failed;
  const stay = rollings.flatMap(({ refused }) => refused);
  const byTrial = Map.groupBy(stay, ({ trial }) => trial);
  const later = triedLater(outcome, byTrial);
  if (later.length === 0) return failed.flatMap((each) => onItsNodes(each, byTrial));
  const tried = failed.filter(isTrial).flatMap((each) => onItsNodes(each, byTrial));
  return [...[...tried, ...later].sort(byTarget), ...failed.filter((each) => !isTrial(each))];
}

/** Pods that were refused before, or whose deletion was, and that had no new answer: some are asked for at a time, in turn. */
function askedLater(
  { results }: Outcome,
  rollings: readonly Rolling[],
  unwanted: UnwantedPods,
): readonly Failure[] {
  const answered = new Set(
    results.flatMap(({ step, did }) => (did === 'skipped' ? [] : (trialOf(step) ?? []))),
  );
  const later = <T extends Pick<RefusedNode, 'trial' | 'answer'>>(
    reason: Failure['reason'],
    refused: readonly T[],
    nodeOf: (each: T) => string,
  ): readonly Failure[] =>
    refused.flatMap((each) => (answered.has(each.trial) ? [] : failureOf(nodeOf(each), each.answer, reason)));
  const idOf = ({ node }: RefusedNode): string => node.target.id;
  return [
    ...later('PodRefused', unwanted.undeleted, ({ of }) => of.node),
    ...rollings.flatMap(({ undeleted, unmade }) => [
      ...later('PodRefused', undeleted, idOf),
      ...later('ChildRefused', unmade, idOf),
    ]),
  ];
}

function onItsNodes(failed: FailedStep, byTrial: ByTrial): readonly Failure[] {
  const stay = failed.step.do === 'try' ? byTrial.get(failed.step.trial) : undefined;
  // What was refused has the same words on all of its nodes; what was not answered is no refusal.
  const errorOf = ({ answer }: RefusedNode): ApiError => (failed.error.retryable ? failed.error : answer);
  const nodes = stay?.map((each) => ({ ...failed, error: errorOf(each), target: each.node.target.id }));
  return nodes?.sort(byTarget) ?? [failed];
}

/** What was refused before and is none of the plan's trials. */
function triedLater({ results }: Outcome, byTrial: ByTrial): readonly Failure[] {
  const tried = new Set(results.flatMap(({ step }) => (step.do === 'try' ? [step.trial] : [])));
  return [...byTrial].flatMap(([trial, stay]) =>
    tried.has(trial) ? [] : stay.map(({ node, answer }) => failureOf(node.target.id, answer, 'ChildRefused')),
  );
}

function isTrial({ step }: FailedStep): boolean {
  return step.do === 'try';
}

function isOfPod({ step }: FailedStep): boolean {
  return step.do !== 'try' && step.do !== 'patch' && trialOf(step) !== undefined;
}

function byTarget({ target: a = '' }: Failure, { target: b = '' }: Failure): number {
  return compareTexts(a, b);
}
