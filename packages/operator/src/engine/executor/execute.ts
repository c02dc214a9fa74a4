import { ApiError, groupResourceOf } from '@atoll/kube';
import type { Clock, KubeObject, Resource, WriteThroughCache } from '@atoll/kube';
import type { Plan } from '../plan.ts';
import { nothingRefused, type RefusedTrials } from '../refused-trials.ts';
import type { Outcome, PlannedEvent } from '../step.ts';
import { rememberAnswer } from './answers/remember-answer.ts';
import { emptyMemory, isEmptyMemory } from './commands.ts';
import type { ExecutionCommand, ExecutionEvent, Memory, Subject } from './commands.ts';
import { beginExecution, continueExecution, outcomeOf } from './execution.ts';
import type { Execution } from './execution.ts';
import type { Facts, Turn } from './facts.ts';
import { InFlight } from './requests/in-flight.ts';
import type { CacheUpdate } from './answers/judge.ts';
import type { RefusedSteps } from './answers/refusals.ts';
import type { Answer, WriteStep } from './requests/request.ts';
import { Requests } from './requests/requests.ts';
import type { RequestsOptions } from './requests/requests.ts';
import { executionRules } from './rules.ts';

export interface ExecutorOptions extends RequestsOptions {
  readonly clock: Clock;
  /** The cache that a controller's decisions about a resource are read from; undefined where it reads none. */
  readonly cacheOf: (
    resource: Resource<KubeObject>,
    controller: string,
  ) => WriteThroughCache<KubeObject> | undefined;
  /** Why a controller may not send a step: it does not declare such writes. undefined: it may. */
  readonly undeclared: (step: WriteStep, controller: string) => string | undefined;
  /** False the moment leadership is in doubt; asked directly before each send (F4). */
  readonly mayWrite: () => boolean;
  readonly recordEvent: (event: PlannedEvent) => void;
  /** Requests under way at once for one resource in one namespace; see {@link InFlight}. Default 16. */
  readonly requestsInFlight?: number;
}

/** On whose behalf something is executed. */
export interface Work {
  readonly controller: string;
  readonly key: string;
  /** Ends on shutdown and on loss of leadership: nothing is sent any more, open requests are given up. */
  readonly signal: AbortSignal;
  /** Steps that were refused and are not due yet: they fail with the answer that they got, unsent. */
  readonly heldBack?: RefusedSteps | undefined;
}

/** A machine that the executor drives: one that carries out a plan, among other things. */
export interface Driven<State, Event, Command extends { readonly command: string }, Result> {
  /** `bound`: requests of one key that are under way at once. */
  readonly begin: (memory: Memory, bound: number, facts: Facts) => Turn<State, ExecutionCommand | Command>;
  readonly next: (
    state: State,
    event: ExecutionEvent | Event,
    facts: Facts,
  ) => Turn<State, ExecutionCommand | Command>;
  /** Carries out a command that is not one of an execution; returns the event that follows from it. */
  readonly carryOut: (command: Command) => Event | undefined;
  /** undefined: it is not over. */
  readonly resultOf: (state: State) => Result | undefined;
}

/** The one place that writes. Knows requests, caches and leadership, and nothing of any kind. */
export class Executor {
  readonly #options: ExecutorOptions;
  readonly #requests: Requests;
  readonly #inFlight: InFlight;
  /** By controller and key. */
  readonly #memories = new Map<string, Memory>();

  constructor(options: ExecutorOptions) {
    this.#options = options;
    this.#requests = new Requests(options);
    const { requestsInFlight: limit } = options;
    this.#inFlight = new InFlight(limit === undefined ? {} : { limit });
  }

  /** Carries out a plan. Never rejects: each step's fate is in the outcome. */
  async execute(plan: Plan, work: Work): Promise<Outcome> {
    const { heldBack } = work;
    return this.drive<Execution, never, never, Outcome>(
      {
        begin: (memory, bound, facts) =>
          beginExecution({ plan, bound, memory, heldBack }, facts, executionRules),
        next: (state, event, facts) => continueExecution(state, event, facts, executionRules),
        carryOut: () => undefined,
        resultOf: outcomeOf,
      },
      work,
    );
  }

  /**
   * Runs a machine until it is over: its commands are carried out as they come, and what comes of them are its next events. Rejects
   * only where the machine, or what carries out a command that is not the executor's, throws.
   */
  async drive<State, Event, Command extends { readonly command: string }, Result>(
    machine: Driven<State, Event, Command, Result>,
    work: Work,
  ): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    const places = new Map<Subject, () => void>();
    const events: (ExecutionEvent | Event)[] = [];
    let isOver = false;
    let isBusy = true;
    let state: State;
    const take = (turn: Turn<State, ExecutionCommand | Command>): void => {
      state = turn.state;
      for (const command of turn.commands) {
        if (isOfExecution(command)) this.#carryOut(command, work, places, arrive);
        else {
          const event = machine.carryOut(command);
          if (event !== undefined) events.push(event);
        }
      }
    };
    const run = (first: () => Turn<State, ExecutionCommand | Command>): void => {
      isBusy = true;
      try {
        take(first());
        for (let event = events.shift(); event !== undefined; event = events.shift()) {
          take(machine.next(state, event, this.#facts(work)));
        }
        const result = machine.resultOf(state);
        isOver = result !== undefined;
        if (result !== undefined) resolve(result);
      } catch (error) {
        isOver = true;
        for (const leave of places.values()) leave();
        reject(error as Error);
      }
      isBusy = false;
    };
    const arrive = (event: ExecutionEvent): boolean => {
      if (isOver) return false;
      if (isBusy) events.push(event);
      else run(() => machine.next(state, event, this.#facts(work)));
      return true;
    };
    run(() => machine.begin(this.#memoryOf(work), this.#inFlight.limit, this.#facts(work)));
    return promise;
  }

  /** What the API server refused when it was tried for this key. */
  refusedTrials(work: Pick<Work, 'controller' | 'key'>): RefusedTrials {
    return this.#memories.get(idOf(work))?.refusedTrials ?? nothingRefused;
  }

  /** Drops what is remembered of a key that is gone. */
  forget(work: Pick<Work, 'controller' | 'key'>): void {
    this.#memories.delete(idOf(work));
  }

  #carryOut(
    command: ExecutionCommand,
    work: Work,
    places: Map<Subject, () => void>,
    arrive: (event: ExecutionEvent) => boolean,
  ): void {
    const { signal } = work;
    switch (command.command) {
      case 'place': {
        const { of } = command;
        this.#inFlight.enter(work, command.class, (leave) => {
          places.set(of, leave);
          // A machine that has failed takes no event any more.
          if (arrive({ event: 'placed', of })) return;
          places.delete(of);
          leave();
        });
        return;
      }
      case 'leave': {
        const leave = places.get(command.of);
        places.delete(command.of);
        leave?.();
        return;
      }
      case 'read': {
        const { of, resource, key } = command;
        void this.#requests.read(resource, key, signal).then((read) => arrive({ event: 'read', of, read }));
        return;
      }
      case 'list': {
        const { of, listing } = command;
        void this.#requests.list(listing, signal).then((listed) => arrive({ event: 'listed', of, listed }));
        return;
      }
      case 'send': {
        void this.#send(command.step, work).then((answer) =>
          arrive({ event: 'answered', of: command.of, answer }),
        );
        return;
      }
      case 'record':
        this.#options.recordEvent(command.event);
        return;
      case 'cache':
        this.#update(command.updates, work);
        return;
      case 'remember': {
        if (isEmptyMemory(command.memory)) this.#memories.delete(idOf(work));
        else this.#memories.set(idOf(work), command.memory);
      }
    }
  }

  async #send(step: WriteStep, { controller, signal }: Work): Promise<Answer> {
    const { cacheOf, undeclared } = this.#options;
    const why = undeclared(step, controller);
    if (why !== undefined) return { ok: false, error: ownError(step, why) };
    const cache = cacheOf(step.resource, controller);
    const answer = await this.#requests.send(executionRules.requestFor(step), signal, cache);
    if (answer.ok && answer.object !== undefined && 'object' in step && step.do !== 'try')
      rememberAnswer(step.object, answer.object);
    return answer;
  }

  #facts({ signal, controller }: Work): Facts {
    const { mayWrite, clock, cacheOf } = this.#options;
    return {
      leads: mayWrite(),
      stopping: signal.aborted,
      now: clock.now(),
      cached: (resource, key) => {
        const cache = cacheOf(resource, controller);
        return cache === undefined ? 'uncached' : cache.get(key);
      },
    };
  }

  #memoryOf(work: Work): Memory {
    return this.#memories.get(idOf(work)) ?? emptyMemory;
  }

  #update(updates: readonly CacheUpdate[], { controller }: Work): void {
    for (const fact of updates) {
      const cache = this.#options.cacheOf(fact.resource, controller);
      if (cache === undefined) continue;
      if ('present' in fact) cache.wrote(fact.present);
      else cache.wroteDeletion(fact.gone.key, fact.gone.uid);
    }
  }
}

const ofExecution: ReadonlySet<string> = new Set<ExecutionCommand['command']>([
  'place',
  'leave',
  'read',
  'list',
  'send',
  'record',
  'cache',
  'remember',
]);

function isOfExecution<Command extends { readonly command: string }>(
  command: ExecutionCommand | Command,
): command is ExecutionCommand {
  return ofExecution.has(command.command);
}

/** A step that must not be sent is a defect of its controller. */
function ownError({ do: verb, resource }: WriteStep, message: string): ApiError {
  const attempted = `${verb} ${groupResourceOf(resource)}`;
  return new ApiError({ fate: 'unsent', code: 0, reason: 'InternalError', attempted, message });
}

function idOf(work: Pick<Work, 'controller' | 'key'>): string {
  return `${work.controller} ${work.key}`;
}
