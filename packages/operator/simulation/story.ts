import type { State } from './explorer/state.ts';
import type { Transition } from './explorer/transition.ts';
import { Transitions } from './explorer/transitions.ts';
import type { World } from './world.ts';

export interface Story {
  /** What happened, a line each. */
  readonly text: string;
  /** What is not as desired where the world came to rest; undefined: nothing. */
  readonly missing: string | undefined;
  /** The finding of an oracle on the way. */
  readonly wrong: string | undefined;
}

/** Somebody's action between two rests: the first one whose label contains the words. */
export type Action = string;

const longest = 20_000;

/**
 * Plays a world in a fixed order: the operator and its neighbours act in turn until all rest, then comes the next
 * action. The text reads like a story and is kept as a golden file.
 */
export function storyOf(world: World, actions: readonly Action[]): Story {
  const player = new Player(world);
  player.rest((moves) => moves.reduce((best, move) => (weight(move) > weight(best) ? move : best)));
  for (const action of actions) {
    player.add('');
    player.take(action);
    player.rest((moves) => moves.reduce((best, move) => (weight(move) > weight(best) ? move : best)));
  }
  return player.end();
}

/**
 * What the store holds once everything that the world begins with is done: explored from there, a change meets a world
 * at rest, and no state is spent on how it came to be.
 */
export function atRest(world: World): World {
  const player = new Player({ ...world, budgets: {} });
  player.rest((moves) => moves.reduce((best, move) => (weight(move) > weight(best) ? move : best)));
  return { ...world, begin: player.state.store, now: player.state.now };
}

/**
 * A walk in random order through a world that is too large to be explored: actions, faults and other writers strike until their
 * budgets are spent, then everything heals. The seed decides everything.
 */
export function randomWalk(world: World, seed: number): Story {
  const player = new Player(world);
  const { random, pick } = choicesOf(seed);
  player.roam((moves) => {
    const extra = moves.filter((move) => move.extra === 'budget');
    const fair = moves.filter((move) => move.extra === undefined);
    return extra.length > 0 && (fair.length === 0 || random() < 0.1)
      ? pick(extra)
      : pick(fair.length > 0 ? fair : moves);
  });
  player.rest(pick);
  return player.end();
}

export interface Choices {
  /** From 0 to 1, without 1. */
  random(this: void): number;
  /** From 0 to `most`. */
  upTo(this: void, most: number): number;
  /** One of a list that is not empty. */
  pick<T>(this: void, list: readonly T[]): T;
}

/** What a seed decides, one choice after the other. */
export function choicesOf(seed: number): Choices {
  const random = randomFrom(seed);
  return {
    random,
    upTo: (most) => Math.floor(random() * (most + 1)),
    pick: <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T,
  };
}

/** The numbers of a seed: mulberry32. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

class Player {
  readonly #world: World;
  readonly #transitions: Transitions;
  readonly #lines: string[];
  #state: State;
  #wrong: string | undefined;

  constructor(world: World) {
    this.#world = world;
    this.#transitions = new Transitions(world);
    this.#state = this.#transitions.begin();
    this.#lines = [world.name, ''];
  }

  get state(): State {
    return this.#state;
  }

  add(line: string): void {
    this.#lines.push(line);
  }

  take(action: Action): void {
    const found = this.#transitions
      .from(this.#state)
      .find((move) => move.extra === 'budget' && move.label().includes(action));
    if (found === undefined) throw new Error(`${this.#world.name}: nobody can "${action}" now`);
    this.#move(found);
  }

  /** Lets everybody act who is fair, until nothing changes any more. */
  rest(choose: (moves: readonly Transition[]) => Transition): void {
    this.#go(choose, (move) => move.extra === undefined);
  }

  /** As {@link rest}, with actions and faults while there are any. */
  roam(choose: (moves: readonly Transition[]) => Transition): void {
    this.#go(choose, (move) => move.extra !== 'spurious');
  }

  end(): Story {
    const missing = this.#world.missing(this.#state.store);
    this.#lines.push('', missing === undefined ? 'All is as desired.' : `Not as desired: ${missing}`);
    return { text: this.#lines.join('\n'), missing, wrong: this.#wrong };
  }

  #go(choose: (moves: readonly Transition[]) => Transition, allowed: (move: Transition) => boolean): void {
    for (let step = 0; step < longest && this.#wrong === undefined; step += 1) {
      const here = this.#transitions.text(this.#state);
      const moves = this.#transitions
        .from(this.#state)
        .filter((move) => allowed(move) && this.#transitions.text(move.next) !== here);
      if (moves.length === 0) return;
      this.#move(choose(moves));
    }
    if (this.#wrong === undefined) throw new Error(`${this.#world.name}: does not come to rest`);
  }

  #move(move: Transition): void {
    this.#lines.push(move.label());
    this.#state = move.next;
    this.#wrong ??= move.wrong;
  }
}

/** In a fixed order the one that brings most news along goes first, so that nobody acts on old ones needlessly. */
function weight(move: Transition): number {
  return move.fair?.length ?? 0;
}
