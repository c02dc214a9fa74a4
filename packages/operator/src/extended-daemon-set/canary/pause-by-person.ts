/**
 * How the condition `Canary-Paused` of a replica set records that a person has paused a canary, by the annotation alone or although that is removed by
 * now. Statuses in clusters have these words: where one is worded anew, the older one is still to be read.
 */
const recorded: Readonly<Record<PauseAnnotation, readonly [written: string, ...older: readonly string[]]>> = {
  set: ['a person paused it'],
  removed: ['a person paused it; removing the annotation canary-paused is not enough'],
};

/** What became of the annotation by which a person paused a canary. */
export type PauseAnnotation = 'set' | 'removed';

/** What is recorded of the pause. `cause`: what is wrong with the canary besides. */
export function pauseMessage(annotation: PauseAnnotation, cause?: string): string {
  const [words] = recorded[annotation];
  return cause === undefined ? words : `${words}; ${cause}`;
}

/** What became of the annotation of a pause that is recorded so; undefined: it was not paused by a person, or that is not known any more. */
export function pauseByPerson(message: string): PauseAnnotation | undefined {
  const isOf = (annotation: PauseAnnotation): boolean =>
    recorded[annotation].some((words) => message === words || message.startsWith(`${words}; `));
  // The words of the one begin with those of the other.
  if (isOf('removed')) return 'removed';
  return isOf('set') ? 'set' : undefined;
}
