import { conditionTypes, type Condition, type ReasonWord } from '@atoll/api';
import type { Instant } from '@atoll/kube';

/** A condition as it is found in a status: other writers may leave any field out. */
export type FoundCondition = { readonly [Field in keyof Condition]?: string | number };

/** What a condition says, without times. */
export interface Statement {
  readonly type: string;
  readonly status: Condition['status'];
  readonly reason: string;
  readonly message: string;
}

/** Something that is wrong, as opposed to merely not done yet. */
export interface Trouble {
  readonly reason: ReasonWord;
  readonly message: string;
  /** When it began, as far as a stored status remembers. */
  readonly since: Instant;
  /**
   * `now`: nothing but a change of the object can help, as with an invalid template. `if-it-lasts`: somebody else
   * may still help, as with a quota. `never`: the server or the network is at fault.
   */
  readonly stalls: 'now' | 'if-it-lasts' | 'never';
}

/** How an object stands, from which the overall conditions follow (`reference/conditions.md`, the table). */
export interface Standing {
  /** False while caches have not been filled. */
  readonly observed: boolean;
  readonly done: boolean;
  readonly moving: boolean;
  readonly reason: ReasonWord;
  readonly message: string;
  readonly trouble: Trouble | undefined;
}

/** A pod that starts slowly must not flap alerts, so trouble turns Degraded True only when it has lasted this long. */
export const degradedAfterMs = 60_000;

const messageLimit = 300;

/** The types of all that {@link overallStatements} may state. */
export const overallTypes: readonly string[] = [
  conditionTypes.ready,
  conditionTypes.progressing,
  conditionTypes.degraded,
  conditionTypes.stalled,
  conditionTypes.paused,
];

/**
 * Ready, Progressing and Degraded always; Stalled only while True, because kstatus reads its mere presence, and Paused only
 * while a person holds all that is left to do.
 */
export function overallStatements(standing: Standing, now: Instant): readonly Statement[] {
  const { ready, progressing, degraded, stalled, paused } = conditionTypes;
  if (!standing.observed) {
    const unknown = { status: 'Unknown', reason: 'NotYetObserved', message: standing.message } as const;
    return [ready, progressing, degraded].map((type) => ({ type, ...unknown }));
  }
  const { trouble, moving } = standing;
  const calm = { reason: standing.reason, message: standing.message };
  const said = trouble === undefined ? calm : { reason: trouble.reason, message: trouble.message };
  const lasts = trouble !== undefined && now - trouble.since >= degradedAfterMs;
  const stalls = !moving && (trouble?.stalls === 'now' || (trouble?.stalls === 'if-it-lasts' && lasts));
  const statements: Statement[] = [
    { type: ready, status: standing.done && trouble === undefined ? 'True' : 'False', ...said },
    { type: progressing, status: moving ? 'True' : 'False', ...(moving ? calm : said) },
    { type: degraded, status: lasts || stalls ? 'True' : 'False', ...said },
  ];
  if (stalls) statements.push({ type: stalled, status: 'True', ...said });
  if (!moving && calm.reason === 'Paused') statements.push({ type: paused, status: 'True', ...calm });
  return statements;
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
): readonly (Found | Condition)[] {
  const open = new Map(statements.map((statement) => [statement.type, statement]));
  const merged: (Found | Condition)[] = [];
  for (const old of found ?? []) {
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

/** When the condition last became `status`; undefined where it is not so. */
export function conditionSince(
  found: readonly FoundCondition[] | undefined,
  type: string,
  status: Condition['status'],
): Instant | undefined {
  const condition = found?.find((each) => each.type === type && each.status === status);
  const since = Date.parse(String(condition?.lastTransitionTime));
  return Number.isNaN(since) ? undefined : since;
}

/** When to look again so that trouble which began at `since` turns Degraded in time; undefined once it has. */
export function degradedDue(since: Instant, now: Instant): Instant | undefined {
  const due = since + degradedAfterMs;
  return due > now ? due : undefined;
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

/** `a, b, c and 4 more`, for messages. `count`: how many there are, where not all names are given. */
export function nameAFew(names: readonly string[], most = 3, count = names.length): string {
  const shown = [...names].sort().slice(0, most);
  return count <= shown.length ? shown.join(', ') : `${shown.join(', ')} and ${count - shown.length} more`;
}

function toCondition(
  statement: Statement,
  old: FoundCondition | undefined,
  generation: number | undefined,
  now: Instant,
): Condition {
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

/** A text as conditions hold it: at most 300 characters. */
export function conditionMessage(text: string): string {
  return text.length <= messageLimit ? text : `${text.slice(0, messageLimit - 1)}…`;
}
