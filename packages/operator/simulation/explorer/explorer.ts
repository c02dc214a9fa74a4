import type { Plan } from '../../src/engine/plan.ts';
import { componentsOf } from './components.ts';
import type { State } from './state.ts';
import { Transitions } from './transitions.ts';
import { deliveriesDue } from './waiting.ts';
import type { World } from '../world.ts';

/**
 * What is wrong: `P` a plan, `E` an effect, `S` a state, `W` wasted effort, `L` the world can stay for ever without
 * being as desired, or without being silent.
 */
export interface Violation {
  readonly message: string;
  /** The shortest way there, as a story. */
  readonly story: string;
  /** Which transition was taken in each state: replays exactly these actions. */
  readonly choices: readonly number[];
}

export interface Exploration {
  readonly world: string;
  readonly states: number;
  readonly edges: number;
  readonly violation: Violation | undefined;
  /** Every distinct plan that was made: a corpus for plan oracles. */
  readonly plans: readonly Plan[];
}

/** Bits of an edge. */
const budget = 1;
const spurious = 2;
const effect = 4;

/**
 * Explores every interleaving of a world, breadth first, so that the first violation found has the shortest trace;
 * then looks for futures in which the world stays wrong or busy for ever. Never truncates silently: too many states
 * throw.
 */
export function explore(world: World): Exploration {
  const transitions = new Transitions(world);
  const most = world.most ?? 300_000;
  const known = new Map<string, number>();
  // A state is needed only until it is expanded; a trace replays the choices.
  const open: (State | undefined)[] = [];
  const parents: number[] = [];
  const choices: number[] = [];
  const missing: (string | undefined)[] = [];
  const missingByStore = new Map<object, string | undefined>();
  const from: number[] = [];
  const to: number[] = [];
  const kinds: number[] = [];
  const fair: (readonly number[])[] = [];
  const due: (readonly number[])[] = [];
  const fairNames = new Map<string, number>();
  const idOfFair = (name: string): number => {
    const id = fairNames.get(name) ?? fairNames.size;
    fairNames.set(name, id);
    return id;
  };

  const add = (state: State, parent: number, choice: number): number => {
    const text = transitions.text(state);
    const old = known.get(text);
    if (old !== undefined) return old;
    const index = parents.length;
    if (index >= most) throw new Error(`${world.name}: more than ${most} states; make the world smaller`);
    known.set(text, index);
    open.push(state);
    parents.push(parent);
    due.push(deliveriesDue(state).map(idOfFair));
    choices.push(choice);
    const store = state.store.objects;
    if (!missingByStore.has(store)) missingByStore.set(store, world.missing(state.store));
    missing.push(missingByStore.get(store));
    return index;
  };
  const finish = (violation: Violation | undefined): Exploration => ({
    world: world.name,
    states: parents.length,
    edges: from.length,
    violation,
    plans: transitions.plans,
  });
  const violated = (message: string, path: readonly number[], ends: string): Exploration =>
    finish({ message, choices: path, story: storyOf(world, message, path, ends) });

  add(transitions.begin(), -1, -1);
  for (let index = 0; index < parents.length; index += 1) {
    const state = open[index];
    if (state === undefined) continue;
    open[index] = undefined;
    let choice = 0;
    for (const transition of transitions.from(state)) {
      if (transition.wrong !== undefined) {
        return violated(transition.wrong, [...pathTo(index, parents, choices), choice], '');
      }
      const target = add(transition.next, index, choice);
      from.push(index);
      to.push(target);
      fair.push((transition.fair ?? []).map(idOfFair));
      const extra = transition.extra === 'budget' ? budget : transition.extra === 'spurious' ? spurious : 0;
      kinds.push(extra + (transition.effect === true ? effect : 0));
      choice += 1;
    }
  }

  const names = [...fairNames.keys()];
  const end = endlessWrong({ nodes: parents.length, from, to, kinds, fair, due, missing, names });
  if (end === undefined) return finish(undefined);
  return violated(end.message, pathTo(end.state, parents, choices), end.why);
}

interface Explored {
  readonly nodes: number;
  readonly from: readonly number[];
  readonly to: readonly number[];
  readonly kinds: readonly number[];
  readonly fair: readonly (readonly number[])[];
  /** Fair actions that are enabled in a state without an edge of their own. */
  readonly due: readonly (readonly number[])[];
  readonly missing: readonly (string | undefined)[];
  readonly names: readonly string[];
}

interface End {
  readonly state: number;
  readonly message: string;
  readonly why: string;
}

/**
 * Futures for ever, exact under weak fairness: components of the graph without budgets and causeless reconciles that have
 * no fair edge at all, or in which no fair action stays enabled without being taken inside. In each of their states the
 * world must be as desired, and nothing in them may write.
 */
function endlessWrong(graph: Explored): End | undefined {
  const kept: number[] = [];
  graph.kinds.forEach((kind, edge) => {
    if ((kind & (budget | spurious)) === 0) kept.push(edge);
  });
  const of = (edges: readonly number[], edge: number): number => edges[edge] ?? 0;
  const from = kept.map((edge) => of(graph.from, edge));
  const to = kept.map((edge) => of(graph.to, edge));
  const components = componentsOf({ nodes: graph.nodes, from, to });

  const size = new Int32Array(components.count);
  for (const component of components.of) size[component] = (size[component] ?? 0) + 1;
  const inner = new Uint8Array(components.count);
  const taken = Array.from({ length: components.count }, () => new Set<number>());
  const enabled = Array.from({ length: components.count }, () => new Map<number, number>());
  const writes = new Map<number, number>();
  const fairOf: (readonly number[])[] = graph.due.map((due) => due);
  for (const edge of kept) {
    const source = of(graph.from, edge);
    const component = components.of[source] ?? 0;
    const fair = graph.fair[edge] ?? [];
    fairOf[source] = [...(fairOf[source] ?? []), ...fair];
    if (components.of[of(graph.to, edge)] !== component) continue;
    inner[component] = 1;
    for (const id of fair) taken[component]?.add(id);
    if ((of(graph.kinds, edge) & effect) !== 0)
      writes.set(component, Math.min(source, writes.get(component) ?? source));
  }
  fairOf.forEach((fair, state) => {
    const counts = enabled[components.of[state] ?? 0];
    for (const id of new Set(fair)) counts?.set(id, (counts.get(id) ?? 0) + 1);
  });
  const lasts = (component: number): boolean => {
    const enabledHere = enabled[component] ?? new Map<number, number>();
    if (enabledHere.size === 0) return true;
    if (inner[component] !== 1) return false;
    return [...enabledHere].every(
      ([fair, states]) => states < (size[component] ?? 0) || taken[component]?.has(fair) === true,
    );
  };

  const lasting = new Map<number, boolean>();
  for (let state = 0; state < graph.nodes; state += 1) {
    const component = components.of[state] ?? 0;
    if (!lasting.has(component)) lasting.set(component, lasts(component));
    if (lasting.get(component) !== true) continue;
    const wrong = graph.missing[state];
    const actions = [...(taken[component] ?? [])].map((fair) => graph.names[fair] ?? '').sort();
    const why = actions.length === 0 ? 'nothing more happens' : `from here for ever: ${actions.join(', ')}`;
    if (wrong !== undefined) return { state, message: `L: the world can stay so: ${wrong}`, why };
    if (writes.has(component)) return { state, message: 'L: the operator never stops writing', why };
  }
  // A reconcile without a cause, where everything is as desired and quiet, must change nothing either.
  for (let edge = 0; edge < graph.from.length; edge += 1) {
    if (of(graph.kinds, edge) !== spurious) continue;
    const component = components.of[of(graph.from, edge)] ?? 0;
    const target = components.of[of(graph.to, edge)] ?? 0;
    if (
      lasting.get(component) !== true ||
      target === component ||
      graph.missing[of(graph.from, edge)] !== undefined
    )
      continue;
    if (lasting.get(target) !== true) {
      const why = 'a reconcile without a cause plans something here';
      return {
        state: of(graph.from, edge),
        message: 'L: at rest, a reconcile without a cause is not silent',
        why,
      };
    }
  }
  return undefined;
}

function pathTo(state: number, parents: readonly number[], choices: readonly number[]): readonly number[] {
  const path: number[] = [];
  for (let at = state; (parents[at] ?? -1) >= 0; at = parents[at] ?? -1) path.push(choices[at] ?? 0);
  return path.reverse();
}

/** Replays the choices and writes down what happens. */
function storyOf(world: World, message: string, path: readonly number[], ends: string): string {
  const transitions = new Transitions(world);
  let state = transitions.begin();
  const lines = [`${world.name}: ${message}`];
  path.forEach((choice, at) => {
    const transition = transitions.from(state)[choice];
    if (transition === undefined) return;
    lines.push(`${String(at + 1).padStart(3)}. ${transition.label()}`);
    state = transition.next;
  });
  if (ends !== '') lines.push(`     ${ends}`);
  return lines.join('\n');
}
