import type { Instant } from '../clock/clock.ts';
import type { Condition as AnyCondition } from '../types/index.ts';
import { isFields } from '../values/fields.ts';
import { shortened } from '../values/shortened.ts';

/** A condition of which every field is filled. */
export interface StatedCondition extends AnyCondition {
  readonly status: 'True' | 'False' | 'Unknown';
}

/** In bytes. Our longest sentences fit with the names of three nodes. */
const messageLimit = 512;

/** A condition as it is found in a status: other writers may leave any field out. */
export type FoundCondition = { readonly [Field in keyof StatedCondition]?: string | number };

/** The content of a condition, without times. */
export interface Statement {
  readonly type: string;
  readonly status: StatedCondition['status'];
  readonly reason: string;
  readonly message: string;
}

/**
 * The conditions of a status after the statements were made: other writers' conditions stay where they are, a
 * transition time changes only with the status, types in `owned` that nobody states any more go.
 */
export function mergeConditions<Found extends FoundCondition>(
  found: readonly Found[] | undefined,
  statements: readonly Statement[],
  owned: readonly string[],
  generation: number | undefined,
  now: Instant,
): readonly (Found | StatedCondition)[] {
  const open = new Map(statements.map((statement) => [statement.type, statement]));
  const merged: (Found | StatedCondition)[] = [];
  for (const old of storableConditions(found)) {
    const statement = typeof old.type === 'string' ? open.get(old.type) : undefined;
    if (statement !== undefined) {
      merged.push(toCondition(statement, old, generation, now));
      open.delete(statement.type);
    } else if (typeof old.type !== 'string' || !owned.includes(old.type)) {
      merged.push(old);
    }
  }
  for (const statement of open.values()) merged.push(toCondition(statement, undefined, generation, now));
  return merged;
}

/**
 * Those of the conditions that an API server would store again, and none where they are no list. A status that was stored before its schema may
 * hold anything, and written back it would be refused for ever.
 */
export function storableConditions<Found>(found: readonly Found[] | undefined): readonly Found[] {
  return Array.isArray(found) ? found.filter(isStorable) : [];
}

function isStorable(condition: unknown): boolean {
  if (!isFields(condition)) return false;
  const { observedGeneration } = condition;
  return (
    textFields.every((name) => isAbsent(condition[name]) || typeof condition[name] === 'string') &&
    timeFields.every((name) => isAbsent(condition[name]) || isTime(condition[name])) &&
    (isAbsent(observedGeneration) || Number.isSafeInteger(observedGeneration))
  );
}

const textFields = ['type', 'status', 'reason', 'message'];
const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;
const timeFields = ['lastTransitionTime', 'lastUpdateTime'];

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

function isTime(value: unknown): boolean {
  return typeof value === 'string' && rfc3339.test(value) && instantOf(value) !== undefined;
}

/** The first that `is`; undefined where there is none, or where they are no list. */
function findCondition<Found>(
  found: readonly Found[] | undefined,
  is: (condition: Found) => boolean,
): Found | undefined {
  return Array.isArray(found) ? found.find((each: Found) => isFields(each) && is(each)) : undefined;
}

/** When the condition last became `status`; undefined where it is not so. */
export function conditionSince(
  found: readonly FoundCondition[] | undefined,
  type: string,
  status: StatedCondition['status'],
): Instant | undefined {
  const condition = findCondition(found, (each) => each.type === type && each.status === status);
  return instantOf(condition?.lastTransitionTime);
}

/** What has conditions in its status. */
interface WithConditions<Found> {
  readonly status?: { readonly conditions?: readonly Found[] | undefined } | undefined;
}

/** The condition of this type in the status of an object; undefined: there is none. */
export function conditionOf<Found extends { readonly type?: unknown }>(
  { status }: WithConditions<Found>,
  type: string,
): Found | undefined {
  return findCondition(status?.conditions, (condition) => condition.type === type);
}

/**
 * Whether the condition `Ready` of a pod, a node or another object is True: absent and Unknown are not. A pod that is being deleted may be
 * Ready, too, and `minReadySeconds` are not looked at.
 */
export function isReady(
  object: WithConditions<{ readonly type?: unknown; readonly status?: unknown }>,
): boolean {
  return conditionOf(object, 'Ready')?.status === 'True';
}

/** The instant of an RFC 3339 time; undefined: it is none. */
export function instantOf(timestamp: unknown): Instant | undefined {
  const instant = typeof timestamp === 'string' ? Date.parse(timestamp) : Number.NaN;
  return Number.isNaN(instant) ? undefined : instant;
}

/** RFC 3339 in whole seconds, as `metav1.Time` is written. */
export function toTimestamp(instant: Instant): string {
  const second = Math.floor(instant / 1000);
  if (second !== last.second) {
    last = { second, text: new Date(second * 1000).toISOString().replace('.000Z', 'Z') };
  }
  return last.text;
}

/** All that happens within a second has the same one. */
let last = { second: 0, text: '1970-01-01T00:00:00Z' };

function toCondition(
  statement: Statement,
  old: FoundCondition | undefined,
  generation: number | undefined,
  now: Instant,
): StatedCondition {
  const kept = old?.status === statement.status ? old.lastTransitionTime : undefined;
  return {
    type: statement.type,
    status: statement.status,
    lastTransitionTime: typeof kept === 'string' ? kept : toTimestamp(now),
    reason: statement.reason,
    message: conditionMessage(statement.message),
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  };
}

/** A text as conditions hold it: at most 512 bytes, of which the middle is left out where it is longer. */
export function conditionMessage(text: string): string {
  return shortened(text, messageLimit);
}
