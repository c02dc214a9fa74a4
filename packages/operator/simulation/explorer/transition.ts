import type { State } from './state.ts';

/** One thing that can happen in a state. */
export interface Transition {
  /** For people; worked out only when a story is printed. */
  readonly label: () => string;
  readonly next: State;
  /** Names the fair actions that this is; such an action does not stay enabled for ever without being taken. */
  readonly fair?: readonly string[];
  /** Spends a budget, or happens for no reason: no part of what happens for ever. */
  readonly extra?: 'budget' | 'spurious';
  /** The operator changed the store. */
  readonly effect?: boolean;
  /** What is wrong with it: layer and message. */
  readonly wrong?: string;
}

/** An oracle's finding, as a part of a transition. */
export function ifWrong(wrong: string | undefined): { readonly wrong?: string } {
  return wrong === undefined ? {} : { wrong };
}
