import type { Request, WriteStep } from '../../src/engine/executor/requests/request.ts';
import type { Served } from '../model/api-server.ts';
import type { Explored } from './explored.ts';
import type { State } from './state.ts';
import type { CacheContent } from '../model/caches.ts';
import type { Store } from '../model/store.ts';
import type { World } from '../world.ts';

/** The oracles of every world, and the world's own, each with the letter of its layer (docs/contributing/testing.md lists them). */
export class Oracles {
  readonly #explored: Explored;
  readonly #world: World;

  constructor(explored: Explored) {
    this.#explored = explored;
    this.#world = explored.world;
  }

  /**
   * Of an effect of the operator on the true store. `key`: on whose behalf; undefined: of a dead process, and late. `cached`: what the
   * caches held when the request left.
   */
  effect(
    state: State,
    served: Served,
    request: Request,
    key: string | undefined,
    cached = state.caches,
  ): string | undefined {
    if (request.verb === 'delete' && request.options.uid === undefined) return 'E: a delete without the uid';
    if (served.events.length === 0) return undefined;
    const isCreation = served.events.some((event) => event.type === 'ADDED');
    if (isCreation && !request.verb.startsWith('create')) return `E: ${request.verb} made an object`;
    const inVain = key === undefined ? undefined : this.#inVain(cached, key, request, isCreation);
    if (inVain !== undefined) return `E: ${inVain}`;
    const { store: before, memory, now } = state;
    const late = key === undefined;
    const effect = { before, after: served.store, key, request, late, cached, memory, now };
    const wrong = this.#world.wrongEffect?.(effect);
    return wrong === undefined ? this.state(served.store, memory) : `E: ${wrong}`;
  }

  /** C7: for what is known to go nothing is made, applied or deleted. What a dead process had seen of it is not recorded. */
  #inVain(cached: CacheContent, key: string, { verb }: Request, isCreation: boolean): string | undefined {
    if (!isCreation && verb !== 'apply' && verb !== 'delete') return undefined;
    const parent = this.#explored.parentIn(cached, key);
    const does = isCreation ? 'made' : verb === 'apply' ? 'applied' : 'deleted';
    if (parent === undefined) return `something is ${does} for ${key}, which is known to be gone`;
    return parent.metadata.deletionTimestamp === undefined
      ? undefined
      : `something is ${does} for ${key}, which is known to be going`;
  }

  /** On a path without faults and other writers nothing is asked for in vain. */
  wasted(state: State, served: Served, step: WriteStep): string | undefined {
    if (this.#world.effort === false || served.events.length > 0 || step.do === 'try') return undefined;
    const { budgets, atOnce = 1 } = this.#world;
    // What is under way when leadership ends is sent again by the next leader.
    const ends = atOnce > 1 ? ['depose'] : [];
    const used = ['fault', 'other writer', 'fail-over', ...ends].some(
      (name) => (state.left.get(name) ?? 0) < (budgets[name] ?? 0),
    );
    if (used) return undefined;
    if (served.answer.ok) return `W: ${step.do} changed nothing`;
    const { reason } = served.answer.error;
    if (reason === 'AlreadyExists') return `W: ${step.do} of what is there`;
    return reason === 'Conflict' && this.#nobodyElseWrote(state)
      ? `W: ${step.do} of what the operator itself has changed`
      : undefined;
  }

  #nobodyElseWrote({ left }: State): boolean {
    const { budgets, neighbours } = this.#world;
    const isIdle = (name: string | undefined): boolean =>
      name !== undefined && (left.get(name) ?? 0) === (budgets[name] ?? 0);
    return neighbours.every(({ spends }) => isIdle(spends));
  }

  state(store: Store, memory: object | undefined): string | undefined {
    const wrong = this.#world.wrongState?.(store, memory);
    return wrong === undefined ? undefined : `S: ${wrong}`;
  }
}
