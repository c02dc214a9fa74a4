/** `metav1.Status`, as the API server answers a refused request. */
export interface ApiStatus {
  readonly kind?: 'Status';
  readonly code?: number;
  readonly status?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly details?: {
    readonly name?: string;
    readonly group?: string;
    readonly kind?: string;
    readonly causes?: readonly {
      readonly reason?: string;
      readonly message?: string;
      readonly field?: string;
    }[];
    readonly retryAfterSeconds?: number;
  };
}

/**
 * What became of a failed request on the server:
 * - `refused`: the server answered; nothing was changed.
 * - `unsent`: the request did not leave; nothing was changed.
 * - `in-doubt`: the request left and no answer came, or a server error that does not show what happened (5xx to a
 *   write, unless it is a webhook's); a write may have taken place.
 */
export type RequestFate = 'refused' | 'unsent' | 'in-doubt';

/** A request that failed: what was attempted, what the server answered, whether trying again can help. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly fate: RequestFate;
  /** HTTP status; 0 where the server did not answer. */
  readonly code: number;
  /**
   * `NotFound`, `AlreadyExists`, `Conflict`, `Invalid`, `Timeout` (of the server itself: 504), …; `NotServed` where the API server does not
   * serve the kind; where the server did not answer (`code` is 0): `NetworkError`, `Timeout`,
   * `Aborted` (the caller's signal), `Credentials` (they could not be had), `TooManyWatches`, `Closed`; where what answered
   * is no API server: `InvalidAnswer`.
   */
  readonly reason: string;
  readonly status: ApiStatus | undefined;
  /** What was attempted, for people: `create deployments.apps edge/web-hz`. */
  readonly attempted: string;
  /** From the Retry-After header or the status details, in milliseconds; at most 5 minutes, whatever the server asks for. */
  readonly retryAfterMs: number | undefined;

  constructor(init: {
    readonly fate: RequestFate;
    readonly code: number;
    readonly reason: string;
    readonly message: string;
    readonly attempted: string;
    readonly status?: ApiStatus | undefined;
    readonly retryAfterMs?: number | undefined;
    readonly cause?: unknown;
  }) {
    super(`${init.attempted}: ${init.message}`, init.cause === undefined ? undefined : { cause: init.cause });
    this.fate = init.fate;
    this.code = init.code;
    this.reason = init.reason;
    this.attempted = init.attempted;
    this.status = init.status;
    this.retryAfterMs = init.retryAfterMs;
  }

  /** The message without what was attempted. */
  get problem(): string {
    return this.message.slice(`${this.attempted}: `.length);
  }

  /** Its namespace is being deleted: Kubernetes takes nothing new there, and deletes the rest. */
  get namespaceTerminating(): boolean {
    return this.status?.details?.causes?.some(({ reason }) => reason === 'NamespaceTerminating') === true;
  }

  /** The same request may succeed later without anybody changing anything. */
  get retryable(): boolean {
    return this.fate !== 'refused' || this.code === 429 || this.code >= 500;
  }
}

/** Whether the error is an {@link ApiError}, of the given reason where one is given. */
export function isApiError(error: unknown, reason?: string): error is ApiError {
  return error instanceof ApiError && (reason === undefined || error.reason === reason);
}
