import type { Interner } from './interner.ts';
import type { Known } from './caches.ts';
import type { PlannedStep } from './planned-step.ts';
import { shortText } from './short-result.ts';
import type { State } from './state.ts';
import type { WatchEvent } from './store.ts';

/** One text per state that behaves alike: versions count only by their order, contents by their number. */
export class Canonical {
  readonly #interner: Interner;

  /** Texts of maps that many states share. */
  readonly #texts = new WeakMap<object, string>();

  constructor(interner: Interner) {
    this.#interner = interner;
  }

  /** The same state with versions 1, 2, 3, … */
  renumbered(state: State): State {
    const rank = ranks(state);
    if ([...rank].every(([version, at]) => version === at) && state.store.version === rank.size) return state;
    const at = <T extends { readonly version: number | undefined }>(held: T): T => {
      const version = held.version === undefined ? undefined : rank.get(held.version);
      return version === held.version ? held : { ...held, version };
    };
    return {
      ...state,
      store: { objects: mapValues(state.store.objects, at), version: rank.size },
      caches: { ...state.caches, known: mapValues(state.caches.known, at) },
      pending: mapValues(state.pending, (events) => events.map(at)),
      running: mapValues(state.running, (running) => ({ ...running, steps: running.steps.map(at) })),
      inDoubt: mapValues(state.inDoubt, (doubts) =>
        doubts.map((doubt) => ({ ...doubt, step: at(doubt.step) })),
      ),
      late: state.late.map(at),
    };
  }

  text(state: State): string {
    const id = (object: object): number => this.#interner.id(object);
    const event = (pending: WatchEvent): string =>
      `${pending.type[0]}${id(pending.object)}:${pending.version}`;
    const step = (planned: PlannedStep): string => `${id(planned.step)}@${planned.version ?? ''}`;
    const parts: string[] = [];
    parts.push(
      this.#shared(state.store.objects, (held) => {
        const applied = held.applied === undefined ? '' : id(held.applied);
        return `${id(held.object)}.${applied}:${held.version}`;
      }),
    );
    parts.push(this.#shared(state.made, String));
    parts.push(this.#shared(state.caches.known, (held) => `${id(held.object)}:${held.version}`));
    parts.push(sorted(state.pending, (events) => events.map(event).join(',')));
    parts.push(
      sorted(state.echoes, (echo) => `${echo.type[0]}${echo.type === 'DELETED' ? id(echo.object) : ''}`),
    );
    parts.push(sorted(state.announced, (object) => String(id(object))));
    parts.push([...state.unsynced].sort().join(), [...state.dirty].sort().join());
    parts.push(sorted(state.timers, String));
    parts.push(
      sorted(state.running, (running) =>
        [
          running.phase,
          running.plan.id,
          running.parent,
          running.steps.map(step).join(','),
          running.results.map(shortText).join(','),
          running.planned.map(shortText).join(','),
        ].join('/'),
      ),
    );
    parts.push(sorted(state.inDoubt, (doubts) => doubts.map((doubt) => step(doubt.step)).join(',')));
    parts.push(state.late.map(step).join(','), sorted(state.left, String), String(state.now));
    parts.push(state.memory === undefined ? '' : String(this.#interner.id(state.memory)));
    return parts.join('\n');
  }

  #shared<V>(map: ReadonlyMap<string, V>, text: (value: V) => string): string {
    let known = this.#texts.get(map);
    if (known === undefined) this.#texts.set(map, (known = sorted(map, text)));
    return known;
  }

  /** What the caches hold, with versions counted inside: equal texts are equal snapshots. */
  content(known: ReadonlyMap<string, Known>, unsynced: ReadonlySet<string>): LocalContent {
    const slots = [...known.keys()].sort();
    const versions = [...new Set(slots.map((slot) => known.get(slot)?.version ?? 0))].sort((a, b) => a - b);
    const local = new Map<string, Known>();
    const parts: string[] = [];
    for (const slot of slots) {
      const held = known.get(slot);
      if (held === undefined) continue;
      const version = versions.indexOf(held.version) + 1;
      local.set(slot, { object: held.object, version });
      parts.push(`${this.#interner.id(held.object)}:${version}`);
    }
    return { known: local, versions, text: `${parts.join()}|${[...unsynced].sort().join()}` };
  }
}

export interface LocalContent {
  readonly known: ReadonlyMap<string, Known>;
  /** Local version n is `versions[n - 1]` of the state. */
  readonly versions: readonly number[];
  readonly text: string;
}

function ranks(state: State): Map<number, number> {
  const seen = new Set<number>();
  for (const held of state.store.objects.values()) seen.add(held.version);
  for (const held of state.caches.known.values()) seen.add(held.version);
  for (const events of state.pending.values()) for (const event of events) seen.add(event.version);
  const steps = [...state.late];
  for (const running of state.running.values()) steps.push(...running.steps);
  for (const doubts of state.inDoubt.values()) steps.push(...doubts.map((doubt) => doubt.step));
  for (const step of steps) if (step.version !== undefined) seen.add(step.version);
  const order = [...seen].sort((a, b) => a - b);
  return new Map(order.map((version, index) => [version, index + 1]));
}

/** The same map where no value changes, so that what is known of it stays known. */
function mapValues<K, V>(map: ReadonlyMap<K, V>, change: (value: V) => V): ReadonlyMap<K, V> {
  const changed = new Map<K, V>();
  let same = true;
  for (const [key, value] of map) {
    const next = change(value);
    same &&= next === value;
    changed.set(key, next);
  }
  return same ? map : changed;
}

function sorted<V>(map: ReadonlyMap<string, V>, text: (value: V) => string): string {
  const keys = [...map.keys()].sort();
  return keys.map((key) => `${key}=${text(map.get(key) as V)}`).join(';');
}
