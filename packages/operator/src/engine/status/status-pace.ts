import { formatKey, groupResourceOf, keyOf } from '@atoll/kube';
import type { Fields, Instant } from '@atoll/kube';
import type { StatusWrite } from '../controller.ts';
import type { Outcome } from '../step.ts';
import { overallTypes } from './conditions.ts';
import { statusDiff } from './status-diff.ts';
import { longestWaitMs, WriteBudget } from './write-budget.ts';

/** What is remembered of one object's status writes. */
export interface StatusHistory {
  readonly writtenAt: Instant;
  /** How long the next write waits while the status moves, by the size of the last one. */
  readonly intervalMs: number;
  /** Before this nothing that turns is written: the last write was of counts only, less than a second ago. */
  readonly turnsFrom: Instant;
  /** When writes went at once because something turned, those of the last minute. */
  readonly turnedAt: readonly Instant[];
  /** The generation of the object then: also a status without `observedGeneration` is of a spec. */
  readonly generation: number | undefined;
}

/** A small status is written at most this often while it moves (`reference/conditions.md`). */
const baseIntervalMs = 5_000;
/** A status of a thousand pools is a quarter of a megabyte, which every watcher receives whole with each write. */
const msPerCharacter = 1_000 / 32_768;
const longestIntervalMs = 15_000;
/** What turns just after counts were written waits for so long since then: every watcher receives one write a second, not two. */
const afterCountsMs = 1_000;

/** Something that turns more often than this within the window flaps, and waits like everything else. */
const turnsAtOnce = 6;
const turnsWindowMs = 60_000;

/**
 * Whether a status that differs waits for no interval: it shows that a new spec was seen, or something turns that others wait
 * for: a condition that every kind has (its status, its appearance, its end), or what the controller calls urgent. The conditions
 * of a kind's own follow with the next write: among many objects that would be a write more for each.
 *
 * Unless it flaps: after {@link turnsAtOnce} turns within a minute, turns wait like counts. Where the spec is changed again
 * and again each change is seen: with a new generation the turns are counted anew. A status that has a pace of its own keeps to
 * that, turns included.
 */
export function isImmediate(write: StatusWrite, history: StatusHistory | undefined, now: Instant): boolean {
  if (write.paceMs !== undefined) return false;
  if (seesNewSpec(write)) return true;
  const turnsOften = history !== undefined && recentTurns(history, write, now).length >= turnsAtOnce;
  return (write.urgent === true || turns(write)) && !turnsOften;
}

/** When the interval since the last write has passed: now, or later. */
export function intervalEnd(last: StatusHistory | undefined, now: Instant): Instant {
  return last === undefined ? now : notBefore(last.writtenAt + last.intervalMs, last, now);
}

/** When an {@link isImmediate} status may be written: now, or where only counts were written just before, a second after those. */
function immediateFrom(write: StatusWrite, last: StatusHistory | undefined, now: Instant): Instant {
  if (last === undefined || seesNewSpec(write)) return now;
  return notBefore(last.turnsFrom, last, now);
}

function notBefore(from: Instant, { writtenAt }: StatusHistory, now: Instant): Instant {
  // A clock that was set back must not keep a status waiting.
  return writtenAt > now ? now : Math.max(now, from);
}

/** Milliseconds between two writes of this status while it moves; `baseMs` as the controller asks. */
export function intervalMs(status: object, baseMs = baseIntervalMs): number {
  const size = JSON.stringify(status).length;
  return Math.min(longestIntervalMs, Math.round(baseMs + size * msPerCharacter));
}

/** The history of one object: of another that is made anew under its name nothing is known. */
export interface Remembered extends StatusHistory {
  readonly uid: string;
}

/** All that a pace remembers, as data. */
export interface PaceMemory {
  readonly histories: ReadonlyMap<string, Remembered>;
  readonly due: ReadonlyMap<string, Instant>;
}

/** What of the wanted writes goes now, and when the rest is due. */
export interface PacedWrites {
  readonly now: readonly StatusWrite[];
  /** undefined: nothing waits. */
  readonly nextAt: Instant | undefined;
}

/**
 * Holds back status writes that come too soon after each other.
 *
 * - What is {@link isImmediate} goes now; what turns less than a second after counts were written, at the end of that second.
 * - While counts and messages move, the next write waits until an interval has passed since the last, which grows with the size of the
 *   status, and until the budget that all objects share has room. It is due at the moment that was named first: the last
 *   state of all is never lost.
 *
 * Remembers in memory only: after a restart the first write of each object costs one write more and loses nothing.
 */
export class StatusPace {
  /** By the object's key. */
  readonly #histories: Map<string, Remembered>;
  /** When a write that is held back is due, by the object's key; it has its token. */
  readonly #due: Map<string, Instant>;
  readonly #budget: WriteBudget;

  /** `memory`: of another pace, which this one goes on with. */
  constructor(budget = new WriteBudget(), memory?: PaceMemory) {
    this.#budget = budget;
    this.#histories = new Map(memory?.histories);
    this.#due = new Map(memory?.due);
  }

  get memory(): PaceMemory {
    return { histories: new Map(this.#histories), due: new Map(this.#due) };
  }

  sort(writes: readonly StatusWrite[], now: Instant): PacedWrites {
    const going: StatusWrite[] = [];
    let nextAt: Instant | undefined;
    for (const write of writes) {
      const key = idOf(write);
      if (statusDiff(foundIn(write), write.status) === undefined) {
        this.#due.delete(key);
        continue;
      }
      const due = this.#dueAt(key, write, now);
      if (due <= now) going.push(write);
      else nextAt = Math.min(nextAt ?? due, due);
    }
    return { now: going, nextAt };
  }

  #dueAt(key: string, write: StatusWrite, now: Instant): Instant {
    const history = this.#historyOf(key, write.object.metadata.uid);
    if (isImmediate(write, history, now)) return immediateFrom(write, history, now);
    const known = this.#due.get(key);
    // Nothing is due as late as that but by a clock that was set back.
    if (known !== undefined && known <= now + longestWaitMs) return known;
    const ofBudget = write.paceMs === undefined ? this.#budget.take(now) : now;
    const due = Math.max(intervalEnd(history, now), ofBudget);
    this.#due.set(key, due);
    return due;
  }

  /** To be called with what became of the writes that {@link sort} let go. */
  answered(writes: readonly StatusWrite[], { results }: Outcome, now: Instant): void {
    for (const { step, did } of results) {
      if (did !== 'done' || (step.do !== 'patch' && step.do !== 'conditions')) continue;
      const write = writes.find(({ object }) => object.metadata.uid === step.uid);
      if (write !== undefined) this.wrote(write, now);
    }
  }

  /** To be called for what was really written. */
  wrote(write: StatusWrite, now: Instant): void {
    const key = idOf(write);
    const { uid } = write.object.metadata;
    const history = this.#historyOf(key, uid);
    const before = history === undefined || seesNewSpec(write) ? [] : recentTurns(history, write, now);
    const turned = write.urgent === true || turns(write);
    const turnedAt = history !== undefined && turned ? [...before, now] : before;
    this.#histories.set(key, {
      uid,
      writtenAt: now,
      intervalMs: intervalMs(write.status, write.paceMs),
      turnsFrom: turned ? now : now + afterCountsMs,
      turnedAt,
      generation: write.object.metadata.generation,
    });
    const hasToken = this.#due.delete(key);
    if (!hasToken && write.paceMs === undefined) this.#budget.take(now);
    if (this.#histories.size + this.#due.size > remembered) this.#forgetQuiet(now);
  }

  #historyOf(key: string, uid: string): StatusHistory | undefined {
    const history = this.#histories.get(key);
    return history?.uid === uid ? history : undefined;
  }

  /** What was quiet for longer than any interval is treated like what was never written. */
  #forgetQuiet(now: Instant): void {
    for (const [key, { writtenAt }] of this.#histories) {
      if (Math.abs(now - writtenAt) > turnsWindowMs) this.#histories.delete(key);
    }
    for (const [key, due] of this.#due) {
      if (Math.abs(now - due) > turnsWindowMs) this.#due.delete(key);
    }
  }
}

/** Objects of several kinds may have one name. */
function idOf({ resource, object }: StatusWrite): string {
  return `${groupResourceOf(resource)} ${formatKey(keyOf(object))}`;
}

/** So many objects are remembered before those that are quiet are forgotten. */
const remembered = 1_000;

/** The status that the object has. */
function foundIn({ object }: StatusWrite): Fields {
  return (object as { readonly status?: Fields }).status ?? {};
}

function seesNewSpec(write: StatusWrite): boolean {
  return foundIn(write).observedGeneration !== (write.status as Fields).observedGeneration;
}

/** Whether something changes that others wait for. */
function turns(write: StatusWrite): boolean {
  if (seesNewSpec(write)) return true;
  const after = write.status as Fields;
  const [old, next] = [statusByType(foundIn(write).conditions), statusByType(after.conditions)];
  return old.size !== next.size || [...next].some(([type, status]) => old.get(type) !== status);
}

interface ConditionFields {
  readonly type?: unknown;
  readonly status?: unknown;
}

function statusByType(conditions: unknown): ReadonlyMap<unknown, unknown> {
  if (!Array.isArray(conditions)) return new Map();
  return new Map(
    conditions
      .filter(({ type }: ConditionFields) => overallTypes.includes(type as string))
      .map(({ type, status }: ConditionFields) => [type, status]),
  );
}

/** Of the spec that the object has now. */
function recentTurns(
  { turnedAt, generation }: StatusHistory,
  { object }: StatusWrite,
  now: Instant,
): readonly Instant[] {
  if (generation !== object.metadata.generation) return [];
  return turnedAt.filter((at) => at <= now && at > now - turnsWindowMs);
}
