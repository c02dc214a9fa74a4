import type { Fault, FaultProxy, KeptRequests, ProxiedRequest } from '@atoll/testbed';
import { expect } from 'vitest';
import { withoutElection, type OperatorControlPlane } from '../set-up/operator-control-plane.ts';
import { shuffled } from '../set-up/random.ts';
import { eventually } from '../set-up/standing.ts';

/** With the times of users: who waits for the processor for seconds does not lose the Lease, and ends by itself. */
const withElection: readonly string[] = [];
const patienceMs = 150_000;

/** Where the process is when it dies; `late`: what it had sent arrives when its successor has finished. */
const moments = ['before a request', 'after an answer', 'with requests under way', 'late'] as const;
type Moment = (typeof moments)[number];

export interface Killing {
  readonly world: OperatorControlPlane;
  /** Through which the operator reaches the API server. */
  readonly proxy: FaultProxy;
  /** The operator's, through the proxy. */
  readonly kubeconfig: string;
  readonly kills: number;
  readonly random: () => number;
  /** Resources whose writes are where it dies. */
  readonly written: readonly string[];
  /**
   * What is changed, one after the other, each when all before has come to its end, or after so many kills if that is
   * sooner and nothing of the dead is still to arrive; yields what to call it.
   */
  readonly changes: readonly (() => Promise<string>)[];
  /** What is changed when `changes` came to their end before the last kill: each change may pass without one. */
  readonly changeMore: () => Promise<string>;
  readonly killsPerChange?: number;
  /** Rounds that lead by the Lease; of some in a row each but the first waits for one that nobody released. */
  readonly electionRounds?: readonly number[];
  /** Throws while something is not as wanted. */
  readonly expectSettled: () => Promise<void>;
}

export interface Killed {
  /** A line for each death. */
  readonly rounds: readonly string[];
  /** Requests that arrived after their sender's successor had finished. */
  readonly arrivedLate: number;
}

/** Kills the operator by SIGKILL while it works, again and again, and ends with one that has finished. */
export async function killOften(killing: Killing): Promise<Killed> {
  const { world, kubeconfig, kills, random, expectSettled } = killing;
  const { killsPerChange = Infinity, electionRounds = [] } = killing;
  const { controlPlane } = world;
  const traps = new Traps(killing);
  const rounds: string[] = [];
  const open = [...killing.changes];
  let change = 'nothing yet';
  let changedIn = 0;
  let running = false;
  let arrivedLate = 0;
  const isSettled = async (): Promise<boolean> =>
    expectSettled().then(
      () => true,
      () => false,
    );
  const start = async (round: number): Promise<void> => {
    const args = electionRounds.includes(round) ? withElection : withoutElection;
    await world.start({ kubeconfig, args });
  };

  // Each moment once in every four rounds, so that each meets creation as well as update; what arrives late meets the
  // first creation, because duplicate children come of that.
  const drawn = Array.from({ length: kills / moments.length }, () => shuffled(moments, random)).flat();
  const order = drawn.toSpliced(drawn.indexOf('late'), 1).toSpliced(0, 0, 'late');
  for (let round = 1; round <= kills;) {
    const settled = await isSettled();
    if (settled) arrivedLate += await traps.forwardLate();
    if (settled || (round - changedIn >= killsPerChange && !traps.keepsRequests)) {
      change = await (open.shift() ?? killing.changeMore)();
      changedIn = round;
    }
    const moment = order[round - 1] ?? 'late';
    const nth = 1 + Math.floor(random() * 20);
    const trap = traps.set(moment, nth);
    // The process may die before it has reported that it is healthy.
    if (!running) {
      await start(round).catch((error: unknown) => {
        if (!trap.sprung()) throw error;
      });
    }
    running = true;
    await eventually(async () => expect(trap.sprung() || (await isSettled())).toBe(true), patienceMs);
    if (!trap.sprung()) {
      trap.remove();
      continue;
    }
    const write = trap.write();
    if (moment === 'with requests under way' || moment === 'late')
      await controlPlane.component('operator').kill();
    await eventually(async () => expect(controlPlane.component('operator').pid).toBeUndefined());
    trap.remove();
    running = false;
    const election = electionRounds.includes(round) ? ', leading by the Lease' : '';
    rounds.push(`${round}. ${change}: ${moment}, write ${nth} (${write})${election}`);
    round += 1;
  }
  await start(0);
  await eventually(expectSettled, patienceMs);
  arrivedLate += await traps.forwardLate();
  await eventually(expectSettled, patienceMs);
  return { rounds, arrivedLate };
}

/** A trap that springs at the nth write, or never if there are fewer. */
interface Trap {
  readonly sprung: () => boolean;
  /** The write that sprang it. */
  readonly write: () => string;
  readonly remove: () => void;
}

class Traps {
  readonly #killing: Killing;
  readonly #late: KeptRequests[] = [];

  constructor(killing: Killing) {
    this.#killing = killing;
  }

  set(moment: Moment, nth: number): Trap {
    const { world, proxy, written } = this.#killing;
    const match = { verb: 'write', resource: written, nth } as const;
    if (moment === 'late') {
      const kept = proxy.keepRequests({ ...match, times: Infinity });
      this.#late.push(kept);
      return {
        sprung: () => kept.requests.length > 0,
        write: () => textOf(kept.requests[0]),
        remove: () => kept.remove(),
      };
    }
    const call = async (): Promise<void> => world.controlPlane.component('operator').kill();
    const faults: Readonly<Record<Exclude<Moment, 'late'>, Fault>> = {
      'before a request': { do: 'crash', when: 'before-forwarding', call },
      'after an answer': { do: 'crash', when: 'after-answer', call },
      'with requests under way': { do: 'slow', latencyMs: 0 },
    };
    const injection = proxy.inject(match, faults[moment]);
    return {
      sprung: () => injection.taken.length > 0,
      write: () => textOf(injection.taken[0]),
      remove: () => injection.remove(),
    };
  }

  get keepsRequests(): boolean {
    return this.#late.length > 0;
  }

  async forwardLate(): Promise<number> {
    let arrived = 0;
    for (const kept of this.#late.splice(0)) arrived += (await kept.forward()).length;
    return arrived;
  }
}

function textOf(request: ProxiedRequest | undefined): string {
  const { verb = '', resource = '', subresource } = request ?? {};
  return `${verb} ${resource}${subresource === undefined ? '' : `/${subresource}`}`;
}
