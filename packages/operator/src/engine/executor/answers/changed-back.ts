import { ApiError, stableHash } from '@atoll/kube';
import type { Plan } from '../../plan.ts';
import type { Step, StepResult } from '../../step.ts';
import type { WriteStep } from '../requests/request.ts';
import { stepId } from '../step-id.ts';
import type { RefusedSteps } from './refusals.ts';

/** The reason of the error of a write that waits, because another writer changes its object back each time. */
export const changedBack = 'ChangedBack';

/** So often the same is written without a pause: nobody changes it back as often by hand. */
const writesWithoutPause = 5;

/** The pause after the last of these, which doubles with each further write. */
const pause = { baseMs: 10_000, maxMs: 300_000 };

/** What stays for so long as it was written, or twice as long as its pause, was not changed back. */
const staysMs = 60_000;

interface Written {
  /** Whose reconcile wrote it. */
  readonly key: string;
  readonly content: string;
  /** Milliseconds of a clock that never jumps. */
  readonly at: number;
  /** How often it was written, each time soon after the time before. */
  readonly times: number;
}

type Update = Extract<WriteStep, { readonly do: 'apply' | 'patch' }>;

/**
 * Remembers what was written of objects that are there, and has it wait where the same has to be written again and again: two writers
 * that give a field different values would else write about once a second, without end. Anything else of the object is written at once,
 * and so is the same again where another key of the controller wrote the object in between, as where a node goes from pool to pool and back.
 * What was written a while ago is forgotten, so this holds the writes of the last minutes.
 */
export class ChangedBack {
  /** By step, those that were written last at the end. */
  readonly #written = new Map<string, Written>();

  /** How many writes are remembered. */
  get size(): number {
    return this.#written.size;
  }

  /** Which of the plan's steps are not to be sent yet, each with an error that says so; undefined: none. */
  heldBack(key: string, { stages }: Plan, at: number): RefusedSteps | undefined {
    const held = new Map<string, ApiError>();
    for (const step of stages.flatMap(({ steps }) => steps)) {
      if (!isUpdate(step)) continue;
      const id = stepId(step);
      const before = this.#written.get(id);
      if (before === undefined || dueAt(before) <= at) continue;
      if (isTheSame(before, key, contentOf(step))) held.set(id, changedBackError(id));
    }
    return held.size === 0 ? undefined : held;
  }

  /** At the end of a reconcile. Returns in how many milliseconds something that waited is due; undefined: nothing waited. */
  ended(key: string, results: readonly StepResult[], at: number): number | undefined {
    let soonest: number | undefined;
    for (const result of results) {
      const { step } = result;
      if (!isUpdate(step)) continue;
      const id = stepId(step);
      if (result.did === 'done') this.#wrote(id, key, contentOf(step), at);
      if (result.did !== 'failed' || result.error.reason !== changedBack) continue;
      const before = this.#written.get(id);
      // What another key wrote meanwhile ends the pause.
      const due = before?.key === key ? Math.max(0, dueAt(before) - at) : 0;
      soonest = Math.min(soonest ?? Infinity, due);
    }
    this.#forgetOld(at);
    return soonest;
  }

  #wrote(id: string, key: string, content: string, at: number): void {
    const before = this.#written.get(id);
    const isAgain = before !== undefined && isTheSame(before, key, content) && at <= keptUntil(before);
    this.#written.delete(id);
    this.#written.set(id, { key, content, at, times: isAgain ? before.times + 1 : 1 });
  }

  /** One that is kept for longer keeps those that were written after it. */
  #forgetOld(at: number): void {
    for (const [id, written] of this.#written) {
      if (keptUntil(written) >= at) return;
      this.#written.delete(id);
    }
  }
}

function dueAt({ at, times }: Written): number {
  if (times < writesWithoutPause) return at;
  return at + Math.min(pause.baseMs * 2 ** (times - writesWithoutPause), pause.maxMs);
}

function keptUntil(written: Written): number {
  return written.at + Math.max(staysMs, 2 * (dueAt(written) - written.at));
}

function isTheSame(written: Written, key: string, content: string): boolean {
  return written.key === key && written.content === content;
}

/** A write of the spec or the metadata of an object that is there. What somebody deletes is made again at once, however often. */
function isUpdate(step: Step): step is Update {
  return step.do === 'apply' || (step.do === 'patch' && step.subresource === undefined);
}

function contentOf(step: Update): string {
  return stableHash(step.do === 'apply' ? step.object : step.patch);
}

/** Why such a write waits. `attempted`: {@link ApiError.attempted}. */
export function changedBackError(attempted: string): ApiError {
  return new ApiError({
    fate: 'refused',
    code: 409,
    reason: changedBack,
    attempted,
    message:
      'another writer, or a webhook, changes it back each time; metadata.managedFields of the object names writers. It is written again after a pause, which grows to 5 minutes',
  });
}
