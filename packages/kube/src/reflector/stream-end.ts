import { ApiError, type ApiStatus } from '../client/api-error.ts';
import { serverPause } from '../transport/retry-policy.ts';

/** Why a stream, or the attempt to open one, is over. */
export type StreamEnd =
  /** The server closed it in order. */
  | { readonly why: 'closed' }
  /** Nothing came for too long. */
  | { readonly why: 'silent'; readonly error: Error }
  /** The server no longer has the version to go on from, or has never had it: all must be listed again. */
  | { readonly why: 'expired'; readonly error: Error }
  /** The server does not know how to begin a stream with the present content. */
  | { readonly why: 'unsupported'; readonly error: Error }
  /** The connection broke, or the server refused. `ofVersion`: that may be because of the version to go on from. */
  | {
      readonly why: 'failed';
      readonly error: Error;
      readonly retryAfterMs: number | undefined;
      readonly ofVersion?: boolean;
    }
  /** What came could not be taken: what is known may have a gap, and all must be listed again. */
  | { readonly why: 'confused'; readonly error: Error };

export function endOfRequest(error: unknown, initialEvents: boolean): StreamEnd {
  if (!(error instanceof ApiError)) return { why: 'failed', error: asError(error), retryAfterMs: undefined };
  if (isExpired(error.code, error.reason, error.status)) return { why: 'expired', error };
  // 422 without the feature, 400 and 405 from servers that check parameters in another way.
  if (initialEvents && [400, 405, 422, 501].includes(error.code)) return { why: 'unsupported', error };
  // A server that starts, or what stands before it, refuses every version with a 5xx.
  const ofVersion = error.code >= 400 && error.code < 500 && error.code !== 429;
  return { why: 'failed', error, retryAfterMs: error.retryAfterMs, ofVersion };
}

/** The end that an ERROR event inside a stream announces. */
export function endOfStatus(status: ApiStatus, attempted: string): StreamEnd {
  const { code = 500, reason = 'Unknown', message = 'an error without a message', details } = status;
  const retryAfterMs = serverPause(undefined, details?.retryAfterSeconds, 0);
  const error = new ApiError({ fate: 'refused', code, reason, message, attempted, status, retryAfterMs });
  if (isExpired(code, reason, status)) return { why: 'expired', error };
  return { why: 'failed', error, retryAfterMs, ofVersion: code !== 429 };
}

/**
 * 410, by either of its reasons; or a version that lies in the server's future (504 with this cause), as after a
 * restored backup. Source: client-go's `isExpiredError` and `isTooLargeResourceVersionError`.
 */
function isExpired(code: number, reason: string, status: ApiStatus | undefined): boolean {
  if (code === 410 || reason === 'Expired' || reason === 'Gone') return true;
  return status?.details?.causes?.some((cause) => cause.reason === 'ResourceVersionTooLarge') === true;
}

/** Whether the server cannot be reached, or is not up yet: that ends for everybody at the same time. */
export function isUnanswered(end: StreamEnd): boolean {
  if (end.why === 'silent') return true;
  if (end.why !== 'failed' || end.retryAfterMs !== undefined) return false;
  return end.error instanceof ApiError && (end.error.code === 0 || end.error.code >= 500);
}

export function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
