import type { Reconcile } from '../../src/engine/reconcile/machine.ts';
import type { Interner } from './interner.ts';
import type { CacheContent, Known } from '../model/caches.ts';
import type { PlannedStep } from './planned-step.ts';
import { pacedText } from './paced.ts';
import { machineText } from './machine-text.ts';
import type { State } from './state.ts';
import type { Store, WatchEvent } from '../model/store.ts';

/**
 * One text per state that behaves alike: contents count by their number, versions only by their order, and that only
 * among those of one object, because nobody may compare versions of two.
 */
export class Canonical {
  readonly #interner: Interner;

  /** Maps that many states share: one of each content, and its number. */
  readonly #shared = new WeakMap<object, Shared>();
  readonly #sharedByText = new Map<string, Shared>();
  readonly #sharedAsItCame = new Map<string, Shared>();
  readonly #machines = new WeakMap<object, string>();
  readonly #contents = new WeakMap<object, LocalContent>();
  readonly #contentIds = new Map<string, number>();

  constructor(interner: Interner) {
    this.#interner = interner;
  }

  /** The same state with versions 1, 2, 3, …, and with maps that other states have too: what is worked out for one is known for all. */
  form(state: State): State {
    const renumbered = this.#renumbered(state);
    return {
      ...renumbered,
      store: { ...renumbered.store, objects: this.#objects(renumbered).map },
      made: this.#made(renumbered).map,
      caches: { ...renumbered.caches, known: this.#known(renumbered).map },
    };
  }

  #renumbered(state: State): State {
    const { rank, last, same } = ranks(state);
    if (same && state.store.version === last) return state;
    const at = <T extends { readonly version: number | undefined }>(held: T, slot: string | undefined): T => {
      if (held.version === undefined || slot === undefined) return held;
      const version = (rank.get(slot)?.indexOf(held.version) ?? -1) + 1;
      return version === held.version ? held : { ...held, version };
    };
    const atEvent = (event: WatchEvent): WatchEvent => at(event, event.slot);
    const atStep = (step: PlannedStep): PlannedStep => {
      const { restsOn } = step;
      const own = at(step, step.slot);
      if (restsOn === undefined) return own;
      const rests = mapList(restsOn, (each) => at(each, each.slot));
      return rests === restsOn ? own : { ...own, restsOn: rests };
    };
    return {
      ...state,
      store: { objects: mapValues(state.store.objects, at), version: last },
      caches: { ...state.caches, known: mapValues(state.caches.known, at) },
      pending: mapValues(state.pending, (events) => mapList(events, atEvent)),
      running: mapValues(state.running, (running) => {
        const steps = mapList(running.steps, atStep);
        return steps === running.steps ? running : { ...running, steps };
      }),
      late: mapList(state.late, atStep),
    };
  }

  text(state: State): string {
    const id = (object: object): number => this.#interner.id(object);
    const event = (pending: WatchEvent): string =>
      `${pending.type[0]}${id(pending.object)}:${pending.version}`;
    const step = (planned: PlannedStep): string => {
      const own = `${id(planned.step)}@${planned.version ?? ''}`;
      return planned.restsOn === undefined
        ? own
        : `${own}+${planned.restsOn.map(({ version }) => version).join('+')}`;
    };
    const parts: string[] = [`${this.#objects(state).id} ${this.#made(state).id} ${this.#known(state).id}`];
    parts.push(sorted(state.pending, (events) => events.map(event).join(',')));
    parts.push(
      sorted(state.echoes, (echo) => `${echo.type[0]}${echo.type === 'DELETED' ? id(echo.object) : ''}`),
    );
    parts.push(sorted(state.announced, ({ object, isSkipped }) => `${id(object)}${isSkipped ? '+' : ''}`));
    parts.push(listed(state.unsynced), listed(state.dirty));
    parts.push(sorted(state.timers, String));
    parts.push(
      sorted(state.running, (running) =>
        [
          running.plan?.id,
          this.#machine(running.machine),
          running.steps.map(step).join(','),
          running.going.map((write) => id(write)).join(),
          running.underWay
            .map(({ index, cached }) => `${index}:${this.content(cached.known, noneUnsynced).id}`)
            .join(),
        ].join('/'),
      ),
    );
    parts.push(
      sorted(state.remembered, ({ inDoubt, failedLast, skippedLast, refusedTrials }) =>
        [
          ...inDoubt.map((doubt) => id(doubt.step)),
          ...[...failedLast].sort(),
          ...[...skippedLast].map((each) => `skipped ${each}`).sort(),
          ...[...refusedTrials]
            .map(([trial, { answer, turn }]) => `${trial} ${turn} ${answer.message}`)
            .sort(),
        ].join(),
      ),
    );
    parts.push(state.late.map(step).join(','), sorted(state.left, String), String(state.now));
    parts.push(state.paced === undefined ? '' : pacedText(state.paced, state.now));
    parts.push(state.memory === undefined ? '' : String(this.#interner.id(state.memory)));
    return parts.join('\n');
  }

  #machine(machine: Reconcile): string {
    const text = this.#machines.get(machine) ?? machineText(machine);
    this.#machines.set(machine, text);
    return text;
  }

  #objects({ store }: State): Shared<Store['objects']> {
    return this.#share('s', store.objects, (held) => {
      const applied = held.applied === undefined ? '' : this.#interner.id(held.applied);
      return `${this.#interner.id(held.object)}.${applied}:${held.version}`;
    });
  }

  #made({ made }: State): Shared<State['made']> {
    return this.#share('m', made, String);
  }

  #known({ caches }: State): Shared<CacheContent['known']> {
    return this.#share('c', caches.known, (held) => `${this.#interner.id(held.object)}:${held.version}`);
  }

  #share<V>(
    letter: string,
    map: ReadonlyMap<string, V>,
    text: (value: V) => string,
  ): Shared<ReadonlyMap<string, V>> {
    let known = this.#shared.get(map);
    if (known === undefined) {
      // Nearly always the keys come in an order that was seen before, and need not be sorted.
      const asItComes = `${letter}${textOf([...map.keys()], map, text)}`;
      known = this.#sharedAsItCame.get(asItComes) ?? this.#shareSorted(letter, map, text);
      this.#sharedAsItCame.set(asItComes, known);
      this.#shared.set(map, known);
    }
    return known as Shared<ReadonlyMap<string, V>>;
  }

  #shareSorted<V>(letter: string, map: ReadonlyMap<string, V>, text: (value: V) => string): Shared {
    const whole = `${letter}${sorted(map, text)}`;
    const known = this.#sharedByText.get(whole) ?? { id: this.#sharedByText.size, map };
    this.#sharedByText.set(whole, known);
    return known;
  }

  /** What the caches hold, with a version for each object: equal ids are equal snapshots. */
  content(known: ReadonlyMap<string, Known>, unsynced: ReadonlySet<string>): LocalContent {
    const found = this.#contents.get(known) ?? this.#content(known);
    this.#contents.set(known, found);
    return unsynced.size === 0 ? found : { ...found, id: `${found.id} ${[...unsynced].sort().join()}` };
  }

  #content(known: ReadonlyMap<string, Known>): LocalContent {
    const slots = [...known.keys()].sort();
    const versions: number[] = [];
    const local = new Map<string, Known>();
    const parts: number[] = [];
    for (const slot of slots) {
      const held = known.get(slot);
      if (held === undefined) continue;
      versions.push(held.version);
      local.set(slot, { object: held.object, version: versions.length });
      parts.push(this.#interner.id(held.object));
    }
    const text = parts.join();
    const id = this.#contentIds.get(text) ?? this.#contentIds.size;
    this.#contentIds.set(text, id);
    return { known: local, versions, id: String(id) };
  }
}

function listed(names: ReadonlySet<string>): string {
  return names.size === 0 ? '' : [...names].sort().join();
}

const noneUnsynced: ReadonlySet<string> = new Set();

interface Shared<M = object> {
  readonly id: number;
  readonly map: M;
}

export interface LocalContent {
  readonly known: ReadonlyMap<string, Known>;
  /** Local version n is `versions[n - 1]` of the state. */
  readonly versions: readonly number[];
  /** Equal for equal contents. */
  readonly id: string;
}

interface Ranks {
  /** The versions of each object that something still refers to, in order. */
  readonly rank: ReadonlyMap<string, readonly number[]>;
  /** The highest rank. */
  readonly last: number;
  /** Whether every version is its own rank already. */
  readonly same: boolean;
}

function ranks(state: State): Ranks {
  const rank = new Map<string, number[]>();
  const add = (slot: string, version: number): void => {
    const seen = rank.get(slot);
    if (seen === undefined) rank.set(slot, [version]);
    else if (!seen.includes(version)) seen.push(version);
  };
  const addStep = ({ slot, version, restsOn = [] }: PlannedStep): void => {
    if (slot !== undefined && version !== undefined) add(slot, version);
    for (const each of restsOn) add(each.slot, each.version);
  };
  for (const [slot, held] of state.store.objects) add(slot, held.version);
  for (const [slot, held] of state.caches.known) add(slot, held.version);
  for (const events of state.pending.values()) for (const event of events) add(event.slot, event.version);
  for (const running of state.running.values()) running.steps.forEach(addStep);
  state.late.forEach(addStep);
  let last = 0;
  let same = true;
  for (const versions of rank.values()) {
    versions.sort((a, b) => a - b);
    last = Math.max(last, versions.length);
    same &&= versions.at(-1) === versions.length;
  }
  return { rank, last, same };
}

/** The same map where no value changes, so that what is known of it stays known. */
function mapValues<K, V>(map: ReadonlyMap<K, V>, change: (value: V, key: K) => V): ReadonlyMap<K, V> {
  const changed = new Map<K, V>();
  let same = true;
  for (const [key, value] of map) {
    const next = change(value, key);
    same &&= next === value;
    changed.set(key, next);
  }
  return same ? map : changed;
}

function mapList<V>(list: readonly V[], change: (value: V) => V): readonly V[] {
  const changed = list.map(change);
  return changed.every((value, index) => value === list[index]) ? list : changed;
}

function sorted<V>(map: ReadonlyMap<string, V>, text: (value: V) => string): string {
  if (map.size === 0) return '';
  return textOf([...map.keys()].sort(), map, text);
}

function textOf<V>(keys: readonly string[], map: ReadonlyMap<string, V>, text: (value: V) => string): string {
  let all = '';
  for (const key of keys) all += `${key}=${text(map.get(key) as V)};`;
  return all;
}
