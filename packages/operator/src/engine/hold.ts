import type { Instant } from '@atoll/kube';
import type { ReasonWord } from '@atoll/api';

/** A decision not to move, as data (`reference/conditions.md`). */
export interface Hold {
  readonly reason: ReasonWord;
  readonly waitsFor: 'person' | 'time' | 'health' | 'nodes' | 'quota';
  /** Names of what is held: at most 50, sorted. */
  readonly targets: readonly string[];
  /** How many are held, exactly. */
  readonly count: number;
  readonly since?: Instant;
  readonly until?: Instant;
  /** What a person would have to do or what has to happen, in one clause: `the quota "small" allows more pods`. */
  readonly freedBy: string;
  /** Something is wrong, as opposed to merely not done yet: turns Degraded True when it lasts 60 s. */
  readonly bad: boolean;
}
