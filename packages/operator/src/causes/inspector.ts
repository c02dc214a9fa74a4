import { sleep } from '@atoll/kube';
import type { Client, Clock, Logger } from '@atoll/kube';
import type { Inspection, Inspections } from '../engine/inspection.ts';
import type { Finding } from './finding.ts';
import type { Findings } from './findings.ts';
import { readWorkload } from './read-workload.ts';

export interface InspectorOptions {
  readonly client: Pick<Client, 'list'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A workload is looked at after it has not been healthy for so long, and again after these, in milliseconds. */
const firstAfterMs = 15_000;
const againAfterMs = [15_000, 30_000, 60_000] as const;

/** At most three lists a second for all workloads together, also where some take longer to arrive than others. */
const betweenListsMs = 350;

/**
 * So many workloads are watched over at most, with a finding of some hundred bytes each; further ones wait for a place. Owners have the same
 * number of places where they want more.
 */
const mostWorkloads = 2_000;

/** Timers hold 24 days at most. */
const longestIdleMs = 3_600_000;

interface Workload {
  readonly inspection: Inspection;
  /** By the clock that never jumps. */
  readonly dueAt: number;
  readonly looks: number;
  readonly finding: Finding | undefined;
}

interface Owner {
  readonly controller: string;
  readonly key: string;
  /** By uid. */
  readonly workloads: Map<string, Workload>;
}

/**
 * Finds out why workloads are not healthy. Sends nothing while all are; at most three lists a second otherwise, each of one
 * workload: first in turn for each owner, so that a thousand broken pools of one keep no other waiting.
 */
export class Inspector implements Inspections, Findings {
  readonly #options: InspectorOptions;
  /** By controller and key, the one that waited longest first. */
  readonly #owners = new Map<string, Owner>();
  /** The owner of each workload, by its uid. */
  readonly #ownerOf = new Map<string, Owner>();
  readonly #listeners = new Map<string, Set<(key: string) => void>>();
  /** Something is to be done sooner than was known. */
  #wake: () => void = () => undefined;
  #lastListAt = -Infinity;
  #wasForbidden = false;

  constructor(options: InspectorOptions) {
    this.#options = options;
  }

  get(uid: string): Finding | undefined {
    return this.#ownerOf.get(uid)?.workloads.get(uid)?.finding;
  }

  want(controller: string, key: string, inspections: readonly Inspection[]): void {
    const id = `${controller} ${key}`;
    const known = this.#owners.get(id);
    if (known === undefined && inspections.length === 0) return;
    const owner: Owner = known ?? { controller, key, workloads: new Map() };
    this.#owners.set(id, owner);
    const wanted = new Set(inspections.map(({ uid }) => uid));
    for (const uid of owner.workloads.keys()) if (!wanted.has(uid)) this.#drop(owner, uid);
    let hasPlace = true;
    for (const inspection of inspections) {
      const isNew = !owner.workloads.has(inspection.uid);
      // Where there is no place for one, there is none for the others.
      if (isNew) hasPlace &&= this.#hasPlaceFor(owner);
      if (!isNew || hasPlace) this.#watch(owner, inspection);
    }
    if (owner.workloads.size === 0) this.#owners.delete(id);
    this.#wake();
  }

  onFinding(controller: string, listener: (key: string) => void): () => void {
    const listeners = this.#listeners.get(controller) ?? new Set();
    this.#listeners.set(controller, listeners.add(listener));
    return () => listeners.delete(listener);
  }

  /** Looks until the signal ends. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    while (!signal.aborted) {
      const due = this.#next(clock.monotonic());
      if (typeof due === 'object') await this.#look(due.owner, due.workload, signal);
      else await this.#idle(due, signal);
    }
  }

  #watch(owner: Owner, inspection: Inspection): void {
    const { uid, generation } = inspection;
    const known = owner.workloads.get(uid);
    if (known?.inspection.generation === generation) {
      owner.workloads.set(uid, { ...known, inspection });
      return;
    }
    const dueAt = this.#options.clock.monotonic() + firstAfterMs;
    owner.workloads.set(uid, { inspection, dueAt, looks: 0, finding: undefined });
    this.#ownerOf.set(uid, owner);
  }

  /** Where all places are taken, the owner with the most gives one to an owner that would still have fewer. */
  #hasPlaceFor({ workloads: { size } }: Owner): boolean {
    if (this.#ownerOf.size < mostWorkloads) return true;
    let most: Owner | undefined;
    for (const each of this.#owners.values()) {
      if (most === undefined || each.workloads.size > most.workloads.size) most = each;
    }
    if (most === undefined || most.workloads.size <= size + 1) return false;
    const uids = [...most.workloads.keys()];
    const uid = uids.findLast((each) => most.workloads.get(each)?.finding === undefined) ?? uids.at(-1);
    if (uid !== undefined) this.#drop(most, uid);
    return true;
  }

  #drop(owner: Owner, uid: string): void {
    owner.workloads.delete(uid);
    if (this.#ownerOf.get(uid) === owner) this.#ownerOf.delete(uid);
  }

  /** The workload that is due, of the owner that waited longest; a number: in how many milliseconds one is. */
  #next(now: number): { readonly owner: Owner; readonly workload: Workload } | number {
    let soonest = Infinity;
    for (const owner of this.#owners.values()) {
      let first: Workload | undefined;
      for (const workload of owner.workloads.values()) {
        if (first === undefined || workload.dueAt < first.dueAt) first = workload;
      }
      if (first === undefined) continue;
      if (first.dueAt <= now) return { owner, workload: first };
      soonest = Math.min(soonest, first.dueAt - now);
    }
    return soonest;
  }

  /** Until something may be due: after these milliseconds, or when other workloads are wanted. */
  async #idle(milliseconds: number, signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      const done = (): void => {
        cancel();
        signal.removeEventListener('abort', done);
        resolve();
      };
      const cancel = this.#options.clock.setTimer(Math.min(milliseconds, longestIdleMs), done);
      signal.addEventListener('abort', done, { once: true });
      this.#wake = done;
    });
  }

  async #look(owner: Owner, { inspection, looks }: Workload, signal: AbortSignal): Promise<void> {
    const { client, clock } = this.#options;
    const id = `${owner.controller} ${owner.key}`;
    // Its turn is over.
    if (this.#owners.delete(id)) this.#owners.set(id, owner);
    const { uid, generation } = inspection;
    let found: { readonly finding: Finding | undefined } | undefined;
    try {
      const turn = async (): Promise<void> => this.#turn(signal);
      found = { finding: await readWorkload(inspection, { client, clock, turn, signal }) };
    } catch (error) {
      // A read that fails shows nothing of the workload.
      this.#failed(error, owner, inspection);
    }
    const present = owner.workloads.get(uid);
    if (present?.inspection.generation !== generation) return;
    const dueAt = clock.monotonic() + (againAfterMs[looks] ?? againAfterMs[2]);
    const finding = found === undefined ? present.finding : found.finding;
    owner.workloads.set(uid, { ...present, dueAt, looks: looks + 1, finding });
    if (isSame(present.finding, finding)) return;
    this.#report(owner, inspection, finding);
    for (const listener of this.#listeners.get(owner.controller) ?? []) listener(owner.key);
  }

  async #turn(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const waitMs = this.#lastListAt + betweenListsMs - clock.monotonic();
    if (waitMs > 0) await sleep(clock, waitMs, signal);
    signal.throwIfAborted();
    this.#lastListAt = clock.monotonic();
  }

  #report({ controller, key }: Owner, { kind, name }: Inspection, finding: Finding | undefined): void {
    const about = { controller, key, workload: `${kind} ${name}` };
    if (finding === undefined) this.#options.logger.info(about, 'cause is gone');
    else {
      const { word, message, pods, nodes } = finding;
      this.#options.logger.info({ ...about, reason: word, why: message, pods, nodes }, 'cause found');
    }
  }

  #failed(error: unknown, { controller, key }: Owner, { kind, name }: Inspection): void {
    const fields = { err: error, controller, key, workload: `${kind} ${name}` };
    const isForbidden = (error as { readonly code?: unknown }).code === 403;
    if (isForbidden && !this.#wasForbidden) {
      this.#wasForbidden = true;
      this.#options.logger.warn(fields, 'pods may not be listed, so that causes are not found');
    } else this.#options.logger.debug(fields, 'pods could not be read');
  }
}

function isSame(a: Finding | undefined, b: Finding | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
