import { conditionTypes } from '@atoll/api';
import { formatKey, keyOf } from '@atoll/kube';
import type { Instant } from '@atoll/kube';
import type { StatusWrite } from '../controller.ts';
import { StatusCrowd, type Crowd } from './status-crowd.ts';
import { statusDiff } from './status-diff.ts';

/** What is remembered of one object's status writes. */
export interface StatusHistory {
  readonly writtenAt: Instant;
  /** How long the next write waits while the status moves, as the size of the last one says. */
  readonly intervalMs: number;
  /** When writes went at once because something turned, those of the last minute. */
  readonly turnedAt: readonly Instant[];
}

/** A small status is written at most this often while it moves (`reference/conditions.md`). */
const baseIntervalMs = 5_000;
/** A status of a thousand pools is a quarter of a megabyte, which every watcher receives whole with each write. */
const msPerCharacter = 1_000 / 32_768;
const longestIntervalMs = 15_000;

/** How long one waits for each write of others of the last minute: with 50 objects that wrote twice 20 s. */
const msPerWriteOfOthers = 200;
/**
 * How long it waits to say that a new spec was seen: this by the square of the writes of others of the last ten seconds. Few
 * hardly wait for each other, twenty wait 20 s, and of a crowd each says with one write that it was seen and what became of it.
 */
const msToBeSeen = 50;
const longestCrowdedMs = 60_000;

const nobody: Crowd = { ofMinute: 0, ofTenSeconds: 0 };

/** Something that turns more often than this within the window flaps, and waits like everything else. */
const turnsAtOnce = 6;
const turnsWindowMs = 60_000;

/**
 * When a status that differs may be written, seen from now: now, or at the moment that is returned. Pure.
 *
 * - The first write goes at once, and so does one after a quiet time: whoever changes one thing sees its effect.
 * - While counts and messages move, the next write waits until an interval has passed since the last; the interval
 *   grows with the size of the status, and nothing waits longer than that: the last state of all is never lost.
 * - Where many objects move at once, all of them together write counts at most five times a second: each waits longer.
 *   That a new spec was seen waits the longer the more there are, up to a minute: one write then says that it was seen and what
 *   became of it.
 * - What others wait for goes at once: that it is `Ready`, any other condition that turns (its status, its appearance, its
 *   end), of a new spec that it is in trouble, and what the controller calls urgent. `kubectl wait` and the tools that read
 *   conditions lose nothing by the pace: they ask for the generation that was observed, and a new object is not Ready.
 * - Unless it flaps: after {@link turnsAtOnce} turns within a minute, turns wait like counts. Whoever changes the spec again
 *   and again sees each change at once: with a new generation the turns are counted anew.
 * - A status that has a pace of its own keeps to that, turns included, and waits for nobody.
 */
export function mayWriteStatusAt(
  { object, status, paceMs, urgent = false }: StatusWrite,
  history: StatusHistory | undefined,
  now: Instant,
  crowd = nobody,
): Instant {
  if (paceMs !== undefined) return mayWriteCountsAt(history, now, nobody);
  const { status: found } = object as { readonly status?: object };
  if (seesNewSpec(found, status)) {
    if (urgent || isSettled(status)) return now;
    return now + Math.min(longestCrowdedMs, crowd.ofTenSeconds ** 2 * msToBeSeen);
  }
  if (history === undefined) return now;
  if ((urgent || turns(found, status)) && recentTurns(history, now).length < turnsAtOnce) return now;
  return mayWriteCountsAt(history, now, crowd);
}

/** When what only counts may be written: now, or later. */
function mayWriteCountsAt(last: StatusHistory | undefined, now: Instant, crowd: Crowd): Instant {
  // A clock that was set back must not keep a status waiting.
  if (last === undefined || last.writtenAt > now) return now;
  const crowdedMs = Math.min(longestCrowdedMs, crowd.ofMinute * msPerWriteOfOthers);
  return Math.max(now, last.writtenAt + Math.max(last.intervalMs, crowdedMs));
}

/** Milliseconds between two writes of this status while it moves; `baseMs` as the controller wishes. */
export function intervalMs(status: object, baseMs = baseIntervalMs): number {
  const size = JSON.stringify(status).length;
  return Math.min(longestIntervalMs, Math.round(baseMs + size * msPerCharacter));
}

/** The history of one object: of another that is made anew under its name nothing is known. */
interface Remembered extends StatusHistory {
  readonly uid: string;
  /** It has a pace of its own. */
  readonly waitsForNobody: boolean;
}

/** What of the wanted writes goes now, and when the rest is due. */
export interface PacedWrites {
  readonly now: readonly StatusWrite[];
  /** undefined: nothing waits. */
  readonly nextAt: Instant | undefined;
}

/**
 * Holds back status writes of one kind that come too soon after each other. Remembers in memory only: after a restart the first
 * write of each object goes at once, which costs one write and loses nothing.
 */
export class StatusPace {
  /** By the object's key. */
  readonly #histories = new Map<string, Remembered>();
  /** When a write that is held back is due, by the object's key: never later than was said first. */
  readonly #due = new Map<string, Instant>();
  readonly #crowd = new StatusCrowd();

  sort(writes: readonly StatusWrite[], now: Instant): PacedWrites {
    const going: StatusWrite[] = [];
    let nextAt: Instant | undefined;
    for (const write of writes) {
      const key = formatKey(keyOf(write.object));
      const { uid } = write.object.metadata;
      const { status } = write.object as { readonly status?: object };
      if (statusDiff(status, write.status) === undefined) {
        this.#due.delete(key);
        continue;
      }
      const at = mayWriteStatusAt(write, this.#historyOf(key, uid), now, this.#crowdOf(uid, key, now));
      const due = Math.min(at, this.#due.get(key) ?? at);
      if (due <= now) going.push(write);
      else {
        nextAt = Math.min(nextAt ?? due, due);
        this.#due.set(key, due);
      }
    }
    return { now: going, nextAt };
  }

  /** How long a write of this object's status would be held back that only counts: a pass has no effect before. */
  heldBackMs(key: string, now: Instant): number {
    const due = this.#due.get(key);
    if (due !== undefined) return Math.max(0, due - now);
    const history = this.#histories.get(key);
    if (history === undefined) return 0;
    const crowd = history.waitsForNobody ? nobody : this.#crowdOf(history.uid, key, now);
    return mayWriteCountsAt(history, now, crowd) - now;
  }

  /** To be called for what was really written. */
  wrote(write: StatusWrite, now: Instant): void {
    const key = formatKey(keyOf(write.object));
    const { uid } = write.object.metadata;
    const history = this.#historyOf(key, uid);
    const { status } = write.object as { readonly status?: object };
    const before =
      history === undefined || seesNewSpec(status, write.status) ? [] : recentTurns(history, now);
    const turnedAt =
      history !== undefined && (write.urgent === true || turns(status, write.status))
        ? [...before, now]
        : before;
    this.#histories.set(key, {
      uid,
      writtenAt: now,
      intervalMs: intervalMs(write.status, write.paceMs),
      waitsForNobody: write.paceMs !== undefined,
      turnedAt,
    });
    this.#due.delete(key);
    this.#crowd.wrote(uid, now);
    if (this.#histories.size + this.#due.size > remembered) this.#forgetQuiet(now);
  }

  #historyOf(key: string, uid: string): StatusHistory | undefined {
    const history = this.#histories.get(key);
    return history?.uid === uid ? history : undefined;
  }

  #crowdOf(uid: string, key: string, now: Instant): Crowd {
    let waiting = 0;
    // Asked for each of hundreds of objects: an iterator would make an array of each entry.
    this.#due.forEach((due, other) => {
      // Nobody is due later than that but by a clock that was set back.
      if (other !== key && due > now && due <= now + longestCrowdedMs) waiting += 1;
    });
    const { ofMinute, ofTenSeconds } = this.#crowd.writesOfOthers(uid, now);
    return { ofMinute: waiting + ofMinute, ofTenSeconds: waiting + ofTenSeconds };
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

/** So many objects are remembered before those that are quiet are forgotten. */
const remembered = 1_000;

interface Fields {
  readonly observedGeneration?: unknown;
  readonly conditions?: unknown;
}

function seesNewSpec(from: object | undefined, to: object): boolean {
  return (from as Fields | undefined)?.observedGeneration !== (to as Fields).observedGeneration;
}

/** It is as wanted, or will not become so by itself. */
function isSettled(status: object): boolean {
  const said = statusByType((status as Fields).conditions);
  const { ready, degraded, stalled } = conditionTypes;
  return [ready, degraded, stalled].some((type) => said.get(type) === 'True');
}

/** Whether something changes that others wait for. */
function turns(from: object | undefined, to: object): boolean {
  const [before, after] = [(from ?? {}) as Fields, to as Fields];
  if (seesNewSpec(from, to)) return true;
  const [old, next] = [statusByType(before.conditions), statusByType(after.conditions)];
  return old.size !== next.size || [...next].some(([type, status]) => old.get(type) !== status);
}

function statusByType(conditions: unknown): ReadonlyMap<unknown, unknown> {
  if (!Array.isArray(conditions)) return new Map();
  return new Map(
    conditions.map((each: { readonly type?: unknown; readonly status?: unknown }) => [
      each.type,
      each.status,
    ]),
  );
}

function recentTurns({ turnedAt }: StatusHistory, now: Instant): readonly Instant[] {
  return turnedAt.filter((at) => at <= now && at > now - turnsWindowMs);
}
