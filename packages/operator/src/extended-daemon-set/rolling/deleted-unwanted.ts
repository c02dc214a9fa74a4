import { compareTexts } from '@atoll/kube';
import type { Instant } from '@atoll/kube';
import { refusedAmong, type RefusedOne, type RefusedTrials } from '../../engine/refused-trials.ts';
import { deletionName } from '../../engine/steps/deletion.ts';
import type { UnwantedPod } from '../fleet/unwanted-pods.ts';
import { deletedAgainInTurn } from './refusals/refused-in-turn.ts';

/** Unwanted pods, by whether their deletion was refused. */
export interface UnwantedPods {
  readonly deleted: readonly UnwantedPod[];
  /** Those whose deletion was refused before, and is asked for again now. */
  readonly deletedAgain: readonly UnwantedPod[];
  /** All whose deletion was refused. */
  readonly undeleted: readonly RefusedOne<UnwantedPod>[];
  /** Those that stay because nothing is deleted now. */
  readonly kept: readonly UnwantedPod[];
  /** The names of what was refused, for the plan to remember. */
  readonly remembers: readonly string[];
}

export const noneUnwanted: UnwantedPods = {
  deleted: [],
  deletedAgain: [],
  undeleted: [],
  kept: [],
  remembers: [],
};

/** Those that were refused come last and in turn: many of them would take the places of all others for ever. */
export function deletedUnwanted(
  unwanted: readonly UnwantedPod[],
  isFrozen: boolean,
  refused: RefusedTrials,
  now: Instant,
): UnwantedPods {
  const undeleted = refusedAmong(unwanted, refused, ({ pod }) => deletionName(pod)).toSorted((a, b) =>
    compareTexts(a.trial, b.trial),
  );
  const remembers = undeleted.map(({ trial }) => trial);
  if (isFrozen) return { ...noneUnwanted, kept: unwanted, remembers };
  const isUndeleted = new Set(undeleted.map(({ of }) => of));
  return {
    deleted: unwanted.filter((each) => !isUndeleted.has(each)),
    deletedAgain: deletedAgainInTurn(undeleted, now).map(({ of }) => of),
    undeleted,
    kept: [],
    remembers,
  };
}
