import { isEmptyMemory, type Memory } from '../../src/engine/executor/commands.ts';
import type { StatusWrite } from '../../src/engine/controller.ts';
import type { Reconcile, ReconcileEvent } from '../../src/engine/reconcile/machine.ts';
import type { Outcome } from '../../src/engine/step.ts';
import type { CacheContent } from '../model/caches.ts';
import type { WatchEvent } from '../model/store.ts';
import type { Fault } from '../world.ts';
import type { Driven } from './drive.ts';
import type { PlannedStep } from './planned-step.ts';
import type { InternedPlan, Running, State, UnderWay } from './state.ts';

/** What goes otherwise than it should while the machine runs. */
export interface Mishap {
  /** What becomes of the request that is sent. */
  readonly fault?: Fault;
  /** Leadership has ended. */
  readonly deposed?: true;
  /** The pace does not let the status be written yet. */
  readonly held?: true;
}

/** The run of a machine until it waits for a place or is to observe again; what happens in between happens at once. */
export interface Run {
  state: State;
  readonly key: string;
  readonly mishap: Mishap;
  machine: Reconcile;
  plan: InternedPlan | undefined;
  steps: readonly PlannedStep[];
  going: readonly StatusWrite[];
  underWay: readonly UnderWay[];
  /** What the caches held when the request left that is served now; undefined: it leaves now. */
  cached: CacheContent | undefined;
  /** What is sent is served later. */
  readonly leaves: boolean;
  readonly events: ReconcileEvent[];
  /** Events of what was written. They are on their way when the answer's object is in the caches. */
  news: readonly WatchEvent[];
  sent: Driven['sent'];
  readonly announced: Partial<Record<'plan' | 'status', Outcome>>;
  died: boolean;
  wrong: string | undefined;
}

export function begunWith(machine: Reconcile): Running {
  return { machine, plan: undefined, steps: [], going: [], underWay: [] };
}

export function runOf(
  state: State,
  key: string,
  { machine, plan, steps, going, underWay }: Running,
  mishap: Mishap,
  leaves = false,
): Run {
  const fresh = { events: [], news: [], sent: undefined, announced: {}, died: false, wrong: undefined };
  return { state, key, mishap, machine, plan, steps, going, underWay, leaves, cached: undefined, ...fresh };
}

export function plannedIn({ steps }: Run, index: number): PlannedStep {
  const planned = steps[index];
  if (planned === undefined) throw new Error(`no step ${index} was planned`);
  return planned;
}

export function withMemory(state: State, key: string, memory: Memory): State {
  const remembered = new Map(state.remembered);
  if (isEmptyMemory(memory)) remembered.delete(key);
  else remembered.set(key, memory);
  return { ...state, remembered };
}
