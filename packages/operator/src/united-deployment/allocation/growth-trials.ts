import type { RefusedTrials } from '../../engine/refused-trials.ts';
import type { Step } from '../../engine/step.ts';
import type { SubsetDecision } from '../decision.ts';
import { presentOf } from './after-moves.ts';
import { changeOf, growthOf, type ScaleStep, type Scaling } from './scale-order.ts';

type Apply = Extract<Step, { readonly do: 'apply' }>;

/**
 * Whether the API server refused, when it was asked, that the subset's child grows to what it is to have. Until it takes that, nothing
 * shrinks for it.
 */
export function isGrowthRefused(subset: SubsetDecision, refused: RefusedTrials): boolean {
  const { child, replicas } = subset;
  if (child === undefined || replicas <= presentOf(subset)) return false;
  return refused.has(trialOf(child.object.metadata.uid, replicas));
}

/**
 * What is asked before anything shrinks for a child that is there: whether that may grow. A policy may refuse it, and pods that serve would
 * be lost for nothing.
 */
export function growthTrials(
  applies: readonly Step[],
  scaling: readonly Scaling[],
  order: Readonly<Record<string, ScaleStep>>,
): readonly Step[] {
  const taken = scaling.reduce((sum, each) => sum + Math.max(0, -changeOf(order, each)), 0);
  // While the total shrinks, what this plan takes away is too much whatever becomes of the others, unless it sets back a child.
  if (taken <= Math.max(0, -growthOf(scaling))) return [];
  const growing = scaling.filter((each) => changeOf(order, each) > 0);
  return growing.flatMap(({ name, wanted }) => trialsFor(applies, name, wanted));
}

/** The same once more, of what was refused. `applies`: with all that each subset is to have. */
export function growthTrialsAgain(
  subsets: readonly SubsetDecision[],
  applies: readonly Step[],
): readonly Step[] {
  return subsets
    .flatMap(({ place, replicas }) => trialsFor(applies, place.name, replicas))
    .map((step) => ({ ...step, isRetry: true }));
}

/** What shrinks waits until each of those that grow for it was found good. */
export function afterTrials(
  steps: readonly Step[],
  trials: readonly Step[],
  scaling: readonly Scaling[],
  order: Readonly<Record<string, ScaleStep>>,
): readonly Step[] {
  const tried = trials.flatMap((step) => (step.do === 'try' ? (step.uid ?? []) : []));
  if (tried.length === 0) return steps;
  const shrinking = new Set(scaling.filter((each) => changeOf(order, each) < 0).map(({ name }) => name));
  return steps.map((step) =>
    shrinking.has(step.target ?? '') ? { ...step, dependsOn: [...(step.dependsOn ?? []), ...tried] } : step,
  );
}

function trialsFor(applies: readonly Step[], subset: string, replicas: number) {
  return applies.flatMap((step) =>
    step.do === 'apply' && step.target === subset ? [trialFor(step, replicas)] : [],
  );
}

function trialFor({ resource, object, template, uid, target, eventReason }: Apply, replicas: number) {
  return {
    do: 'try',
    resource,
    object,
    ...(template === undefined ? {} : { template }),
    uid,
    trial: trialOf(uid, replicas),
    ...(target === undefined ? {} : { target }),
    ...(eventReason === undefined ? {} : { eventReason }),
    why: {
      word: 'ChildTried',
      message: `before others shrink for it, the API server is asked whether ${resource.kind} ${object.metadata.name} of subset ${target} may grow`,
    },
  } as const satisfies Step;
}

function trialOf(uid: string, replicas: number): string {
  return `${uid} with ${replicas} replicas`;
}
