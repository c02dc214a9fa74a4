import { isForItsPlace, type TargetAnswers } from './choose-targets.ts';
import { triedAgainAtMost } from './deleted-in-turn.ts';

/** What becomes of the pods of a rollout that deletes them, where the API server refused to delete some. */
export interface Deletions<Refused> {
  /** Targets whose pod is deleted, in order. */
  readonly deleted: readonly string[];
  /** Targets whose pod could not be deleted before, and is to be now, in order. They have places that no others want. */
  readonly deletedAgain: readonly string[];
  /** What was refused, of all pods that are to be deleted now or when there is a place. */
  readonly undeleted: readonly Refused[];
  /** The answers about all targets but the undeleted ones. */
  readonly others: TargetAnswers;
}

/** Splits the answers by what was refused before. `undeletable`: what was refused, by target. */
export function deletionsOf<Refused>(
  answers: TargetAnswers,
  undeletable: ReadonlyMap<string, Refused>,
): Deletions<Refused> {
  const [undeleted, others] = partition(
    answers,
    ([id, answer]) => undeletable.has(id) && isForItsPlace(answer),
  );
  const started = answers.flatMap(([id, answer]) => (answer.do === 'start' ? [id] : []));
  const [again, deleted] = partition(started, (id) => undeletable.has(id));
  return {
    deleted,
    deletedAgain: again.slice(0, triedAgainAtMost),
    undeleted: undeleted.flatMap(([id]) => undeletable.get(id) ?? []),
    others,
  };
}

function partition<T>(all: readonly T[], is: (each: T) => boolean): readonly [readonly T[], readonly T[]] {
  return [all.filter(is), all.filter((each) => !is(each))];
}
