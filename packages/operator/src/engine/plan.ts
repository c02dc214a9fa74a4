import type { Instant } from '@atoll/kube';
import type { Hold } from './hold.ts';
import type { Target } from './rollout/target.ts';
import type { Step } from './step.ts';

/** Steps that may run at the same time. */
export interface Stage {
  /** For people and metrics: `create revision`, `create children`. */
  readonly name: string;
  readonly steps: readonly Step[];
  /** `always`: also when steps of earlier stages failed. `after-success`: only when every earlier stage succeeded. */
  readonly runs: 'always' | 'after-success';
  /** Sends 1, 2, 4, … requests and stops growing at the executor's bound; a wave in which every step failed ends the stage. */
  readonly slowStart?: boolean;
}

/** What is to be done for one object now, why, what waits, and when to look again without an event. */
export interface Plan {
  readonly stages: readonly Stage[];
  /** What could move and does not, and why. The first becomes the Progressing condition's reason. */
  readonly holds: readonly Hold[];
  readonly targets: readonly Target[];
  readonly lookAgainAt?: Instant;
}

export const nothingToDo: Plan = { stages: [], holds: [], targets: [] };
