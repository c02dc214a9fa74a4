/** How often and how long the transport tries again before it hands the failure to the caller. */
export interface RetryPolicy {
  /** Tries in all, the first included. */
  readonly attempts: number;
  /** Pause before the second try, doubled for each further one, with up to half of it taken off at random. */
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
  /** A Retry-After beyond this is not waited for: the caller gets it and can do something else meanwhile. */
  readonly longestRetryAfterMs: number;
}

export const defaultRetryPolicy: RetryPolicy = {
  attempts: 5,
  firstPauseMs: 100,
  longestPauseMs: 2_000,
  longestRetryAfterMs: 10_000,
};

/** Milliseconds to wait before try number `attempt + 1`, or undefined where the failure is final. */
export function pauseBeforeRetry(
  policy: RetryPolicy,
  attempt: number,
  retryAfterMs: number | undefined,
  random: () => number,
): number | undefined {
  if (attempt >= policy.attempts) return undefined;
  if (retryAfterMs !== undefined && retryAfterMs > policy.longestRetryAfterMs) return undefined;
  const backOff = Math.min(policy.firstPauseMs * 2 ** (attempt - 1), policy.longestPauseMs);
  const jittered = backOff * (1 - random() / 2);
  // A little later than asked, each at another moment, so that requests refused together do not return together.
  return retryAfterMs === undefined ? jittered : retryAfterMs + jittered;
}

/**
 * The longest that a server can make us wait, in milliseconds. A server that asks for more, by mistake or in maintenance, is
 * asked again then: a controller that waited for hours would be taken for dead.
 */
const longestServerPauseMs = 300_000;

/** The pause that a server asks for, by its header or else by the details of its Status, within {@link longestServerPauseMs}. */
export function serverPause(
  header: string | string[] | undefined,
  seconds: number | undefined,
  now: number,
): number | undefined {
  const asked = parseRetryAfter(header, now) ?? (typeof seconds === 'number' ? seconds * 1000 : undefined);
  return asked === undefined ? undefined : Math.min(Math.max(asked, 0), longestServerPauseMs);
}

/** Begins with the day of the week in each of its forms (RFC 9110 5.6.7). */
const httpDate = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/;

/** Milliseconds of a Retry-After header: whole seconds or an HTTP date. Undefined where it is neither. */
export function parseRetryAfter(header: string | string[] | undefined, now: number): number | undefined {
  const text = (Array.isArray(header) ? header[0] : header)?.trim();
  if (text === undefined || text === '') return undefined;
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  // Date.parse takes nearly any text with a number in it for a date.
  if (!httpDate.test(text)) return undefined;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
