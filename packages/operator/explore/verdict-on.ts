import { explore } from '../simulation/explorer/explorer.ts';

export interface Verdict {
  /** How a rule was broken, as a story. */
  readonly story: string | undefined;
  /** The count of states shows that something was explored at all. */
  readonly explored: boolean;
}

/** The verdict on a world that holds every rule. */
export const safe: Verdict = { story: undefined, explored: true };

export function verdictOn(world: Parameters<typeof explore>[0]): Verdict {
  const { violation, states } = explore(world);
  return { story: violation?.story, explored: states > 50 };
}
