import type { ApiError, Instant, KubeObject } from '@atoll/kube';
import type { Plan } from '../src/engine/plan.ts';
import type { WriteStep } from '../src/engine/request.ts';
import type { SkipReason, Step } from '../src/engine/step.ts';
import type { Store, WatchEvent } from './api-server.ts';
import { resourceOfSlot } from './api-server.ts';
import type { CacheContent, Known } from './caches.ts';
import { canonicalText, deepFreeze } from './json.ts';

/** A step whose resourceVersion is kept apart, because versions are renumbered from state to state. */
export interface PlannedStep {
  readonly step: Step;
  readonly version: number | undefined;
  /** Its stage runs only when all before it succeeded. */
  readonly afterSuccess: boolean;
}

export interface InternedPlan {
  readonly id: number;
  readonly plan: Plan;
  /** Its steps; versions are those of the cache content that it was made from. */
  readonly steps: readonly PlannedStep[];
}

export type ShortResult =
  | { readonly did: 'done'; readonly adopted: boolean }
  | { readonly did: 'failed'; readonly error: ApiError }
  | { readonly did: 'skipped'; readonly because: SkipReason };

/** A pass under way: the steps of its plan, then of its status writes. */
export interface Running {
  readonly phase: 'plan' | 'report' | 'status';
  readonly plan: InternedPlan;
  /** uid and generation of the parent when it was observed. */
  readonly parent: string;
  readonly steps: readonly PlannedStep[];
  readonly results: readonly ShortResult[];
  /** Results of the plan, once the status is written. */
  readonly planned: readonly ShortResult[];
}

export interface Doubt {
  readonly step: PlannedStep;
  readonly error: ApiError;
}

export interface State {
  readonly store: Store;
  /** How many objects each name has had: the number is part of the uid. */
  readonly made: ReadonlyMap<string, number>;
  readonly caches: CacheContent;
  /** Undelivered watch events by resource. */
  readonly pending: ReadonlyMap<string, readonly WatchEvent[]>;
  /** Events that bring nothing new, because a response was faster, and that still wake (W6). */
  readonly echoes: ReadonlyMap<string, WatchEvent>;
  /** What listeners were last told of an object that an own write has changed since. */
  readonly announced: ReadonlyMap<string, KubeObject>;
  readonly unsynced: ReadonlySet<string>;
  readonly dirty: ReadonlySet<string>;
  readonly timers: ReadonlyMap<string, Instant>;
  readonly running: ReadonlyMap<string, Running>;
  readonly inDoubt: ReadonlyMap<string, readonly Doubt[]>;
  /** Requests of dead processes that may still commit. */
  readonly late: readonly PlannedStep[];
  readonly left: ReadonlyMap<string, number>;
  readonly now: Instant;
  readonly memory: object | undefined;
}

/** Gives equal content one object and one number. */
export class Interner {
  readonly #byText = new Map<string, object>();
  readonly #byQuickText = new Map<string, object>();
  readonly #ids = new WeakMap<object, number>();
  #last = 0;

  of<T extends object>(value: T): T {
    if (this.#ids.has(value)) return value;
    // The sorted text is slow; nearly always the keys come in an order that was seen before.
    const quick = JSON.stringify(value);
    const seen = this.#byQuickText.get(quick);
    if (seen !== undefined) return seen as T;
    const text = canonicalText(value);
    const known = this.#byText.get(text);
    this.#byQuickText.set(quick, known ?? value);
    if (known !== undefined) return known as T;
    this.#last += 1;
    this.#byText.set(text, deepFreeze(value));
    this.#ids.set(value, this.#last);
    return value;
  }

  id(value: object): number {
    const known = this.#ids.get(value);
    return known ?? this.#ids.get(this.of(value)) ?? 0;
  }
}

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

/** The plan's steps with their resourceVersions apart. */
export function plannedSteps(plan: Plan, interner: Interner): readonly PlannedStep[] {
  return plan.stages.flatMap((stage) =>
    stage.steps.map((step) => plannedStep(step, stage.runs === 'after-success', interner)),
  );
}

/** From the versions of a cache content to those of the state that has it. */
export function inState(steps: readonly PlannedStep[], content: LocalContent): readonly PlannedStep[] {
  return steps.map((step) =>
    step.version === undefined ? step : { ...step, version: content.versions[step.version - 1] ?? 0 },
  );
}

function plannedStep(step: Step, afterSuccess: boolean, interner: Interner): PlannedStep {
  if ((step.do !== 'patch' && step.do !== 'delete') || step.resourceVersion === undefined) {
    return { step: interner.of(step), version: undefined, afterSuccess };
  }
  const { resourceVersion, ...rest } = step;
  return { step: interner.of(rest), version: Number(resourceVersion), afterSuccess };
}

/** The step as it is sent from a state. */
export function sendable(planned: PlannedStep): WriteStep {
  const { step, version } = planned;
  if (step.do === 'event') throw new Error('an event is no request');
  if (version === undefined || (step.do !== 'patch' && step.do !== 'delete')) return step;
  return { ...step, resourceVersion: String(version) };
}

export function shortText(result: ShortResult): string {
  if (result.did === 'done') return result.adopted ? 'a' : 'd';
  return result.did === 'failed' ? `f${result.error.reason}` : `s${result.because}`;
}

/** Events that a faster response has made empty become echoes: all that is left of them is that they wake. */
export function withEchoes(state: State): State {
  let pending = state.pending;
  let echoes = state.echoes;
  for (const [resource, events] of state.pending) {
    const kept: WatchEvent[] = [];
    for (const event of events) {
      if (isEmpty(event, state.caches)) echoes = new Map(echoes).set(event.slot, event);
      else kept.push(event);
    }
    if (kept.length !== events.length) pending = new Map(pending).set(resource, kept);
  }
  // With the stream of deletions known, a tombstone has nothing left to keep out.
  const caches =
    state.caches.tombstones.size === 0 ? state.caches : { ...state.caches, tombstones: new Set<string>() };
  return { ...state, pending, echoes, caches };
}

function isEmpty(event: WatchEvent, caches: CacheContent): boolean {
  const { uid } = event.object.metadata;
  if (caches.tombstones.has(uid ?? '')) return true;
  const held = caches.known.get(event.slot);
  return (
    event.type !== 'DELETED' &&
    held?.object.metadata.uid === uid &&
    held !== undefined &&
    held.version >= event.version
  );
}

export function pendingResources(state: State): readonly string[] {
  const names = new Set<string>();
  for (const [resource, events] of state.pending) if (events.length > 0) names.add(resource);
  for (const slot of state.echoes.keys()) names.add(resourceOfSlot(slot));
  return [...names].sort();
}

export function uidAndGeneration(object: KubeObject | undefined): string {
  return object === undefined ? '' : `${object.metadata.uid} ${object.metadata.generation}`;
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
