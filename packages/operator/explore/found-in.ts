import { explore } from '../simulation/explorer/explorer.ts';
import { atRest } from '../simulation/story.ts';
import type { World } from '../simulation/world.ts';

/** What an exploration must report of a world with a planted bug. */
export interface Found {
  /** The letter of the oracle that must see it. */
  readonly layer: string;
  readonly report: string;
  /** It is looked for in what happens after the world has come to rest. */
  readonly fromRest?: true;
}

export interface Finding extends Pick<Found, 'layer' | 'report'> {
  /** There is a story, and it is one that a person can follow. */
  readonly hasStory: boolean;
}

/** What is found, with the words that are looked for where they are there. */
export function foundIn(world: World, report: string, fromRest?: true): Finding {
  const { violation } = explore(fromRest === true ? atRest(world) : world);
  const { message = 'nothing', story = '', choices = [] } = violation ?? {};
  return {
    layer: message.slice(0, message.indexOf(':')),
    report: message.includes(report) ? report : message,
    hasStory: story.split('\n').length > 2 && choices.length <= 24,
  };
}
