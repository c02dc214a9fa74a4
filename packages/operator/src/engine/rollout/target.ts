import type { Instant } from '@atoll/kube';

/** One thing that a rollout moves: a pool's child, a subset's child, a node's pod. */
export interface Target {
  /** Unique within the workload, stable: the pool, subset or node name. */
  readonly id: string;
  readonly pool?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly zone?: string;
  /** The revision that runs there now; undefined where nothing runs yet. */
  readonly revision: string | undefined;
  /** The revision that should run there: f(target), never one for all. */
  readonly wanted: string;
  readonly healthy: boolean;
  readonly reachable: boolean;
  /** When the move to `revision` began: written together with the template, the only durable clock for deadlines. */
  readonly startedAt?: Instant;
}
