import type { ApiError } from '@atoll/kube';
import { refusalOf } from '@atoll/kube/testing';
import { planted } from '../planted-rules.ts';
import type { EngineBug } from '../planted-rules.ts';
import type { PaceOptions } from '../explorer/paced.ts';
import { noLateRequest } from '../world.ts';
import type { Fault, World } from '../world.ts';

/** Options of every world. */
export interface WorldOptions {
  readonly name: string;
  readonly budgets: Readonly<Record<string, number>>;
  /** Default: every fault but `crash-unsynced`. */
  readonly faults?: readonly Fault[];
  /** Default 1. */
  readonly lag?: number;
  readonly engineBug?: EngineBug;
  readonly spurious?: boolean;
  readonly patient?: boolean;
  /** So long passes with each unit of the budget `tick`. */
  readonly tickMs?: number;
  /** Keys wait for a worker: a new spec is acknowledged before its plan is carried out. */
  readonly othersWait?: boolean;
  /** Requests of a key that are under way at once; default 1. */
  readonly atOnce?: number;
  /** The shipped pace of status writes, with a budget of so much. */
  readonly pace?: PaceOptions;
  /** The resource that a successor has not read, after `crash-unsynced`. */
  readonly unread?: string;
  /** Resources whose watches have stood still at a successor; default: the parent's. */
  readonly standStill?: readonly string[];
}

export const now = Date.UTC(2026, 0, 1);
/** {@link now}, as the API server writes it. */
export const stamp = '2026-01-01T00:00:00Z';

const allFaults: readonly Fault[] = [...noLateRequest, 'crash-late'];

/** The part of a world that its options decide alone. */
export function fromOptions(
  options: WorldOptions,
): Pick<
  World,
  | 'name'
  | 'budgets'
  | 'faults'
  | 'lag'
  | 'now'
  | 'rules'
  | 'enqueued'
  | 'queueBug'
  | 'spurious'
  | 'unread'
  | 'patient'
  | 'tickMs'
  | 'standStill'
  | 'othersWait'
  | 'atOnce'
  | 'pace'
> {
  const {
    name,
    budgets,
    engineBug,
    spurious,
    unread,
    patient,
    tickMs,
    standStill,
    othersWait,
    atOnce,
    pace,
  } = options;
  return {
    name,
    budgets,
    faults: options.faults ?? allFaults,
    lag: options.lag ?? 1,
    now,
    ...(engineBug === undefined ? {} : planted(engineBug)),
    ...(spurious === undefined ? {} : { spurious }),
    ...(patient === undefined ? {} : { patient }),
    ...(tickMs === undefined ? {} : { tickMs }),
    ...(unread === undefined ? {} : { unread }),
    ...(othersWait === undefined ? {} : { othersWait }),
    ...(standStill === undefined ? {} : { standStill }),
    ...(atOnce === undefined ? {} : { atOnce }),
    ...(pace === undefined ? {} : { pace }),
  };
}

/** A refusal that trying again does not help. */
export function forbidden(attempted: string, message: string): ApiError {
  return refusalOf(403, attempted, message);
}
