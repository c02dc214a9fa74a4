import { conditionTypes, type ReasonWord } from '@atoll/api';
import type { Instant, Statement } from '@atoll/kube';

export {
  conditionMessage,
  conditionSince,
  mergeConditions,
  toTimestamp,
  type FoundCondition,
  type Statement,
} from '@atoll/kube';

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
  /** What is left to do waits for a person: Paused is True while nothing moves. */
  readonly waitsForPerson?: boolean;
  readonly reason: ReasonWord;
  readonly message: string;
  readonly trouble: Trouble | undefined;
}

/** A pod that starts slowly must not flap alerts, so trouble turns Degraded True only when it has lasted this long. */
export const degradedAfterMs = 60_000;

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
 * while True.
 */
export function overallStatements(standing: Standing, now: Instant): readonly Statement[] {
  const { ready, progressing, degraded, stalled, paused } = conditionTypes;
  if (!standing.observed) {
    const unknown = { status: 'Unknown', reason: 'NotYetObserved', message: standing.message } as const;
    return [ready, progressing, degraded].map((type) => ({ type, ...unknown }));
  }
  const { trouble, moving } = standing;
  const calm = { reason: standing.reason, message: standing.message };
  const statement = trouble === undefined ? calm : { reason: trouble.reason, message: trouble.message };
  const lasts = trouble !== undefined && now - trouble.since >= degradedAfterMs;
  const stalls = !moving && (trouble?.stalls === 'now' || (trouble?.stalls === 'if-it-lasts' && lasts));
  const statements: Statement[] = [
    { type: ready, status: standing.done && trouble === undefined ? 'True' : 'False', ...statement },
    { type: progressing, status: moving ? 'True' : 'False', ...(moving ? calm : statement) },
    { type: degraded, status: lasts || stalls ? 'True' : 'False', ...statement },
  ];
  if (stalls) statements.push({ type: stalled, status: 'True', ...statement });
  if (!moving && standing.waitsForPerson === true) statements.push({ type: paused, status: 'True', ...calm });
  return statements;
}

/** When to requeue so that trouble which began at `since` turns Degraded in time; undefined once it has. */
export function degradedDue(since: Instant, now: Instant): Instant | undefined {
  const due = since + degradedAfterMs;
  return due > now ? due : undefined;
}

/** `a, b, c and 4 more`, for messages. `count`: how many there are, where not all names are given. */
export function nameAFew(names: readonly string[], most = 3, count = names.length): string {
  const shown = [...names].sort().slice(0, most);
  return count <= shown.length ? shown.join(', ') : `${shown.join(', ')} and ${count - shown.length} more`;
}
