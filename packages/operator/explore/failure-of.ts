import type { Story } from '../simulation/story.ts';

/** What is wrong with a walk, if anything, and the whole of it: the seed alone finds it again. */
export function failureOf({ wrong, missing, text }: Story): string {
  return (wrong ?? missing) === undefined ? '' : `${wrong} / ${missing}\n${text}`;
}
