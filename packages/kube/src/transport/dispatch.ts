import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { longestTimerMs } from '../clock/clock.ts';
import { onAbort } from '../clock/on-abort.ts';
import type { TimeLimit } from './time-limit.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface ExchangeRequest {
  readonly origin: string;
  readonly method: Method;
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: string | undefined;
}

export type ExchangeFault = 'network' | 'timeout' | 'aborted';

/** No whole answer came. `sent`: whether any byte of the request may have reached the server. */
export class ExchangeError extends Error {
  override readonly name = 'ExchangeError';
  readonly fault: ExchangeFault;
  readonly sent: boolean;

  constructor(fault: ExchangeFault, sent: boolean, message: string, cause?: unknown) {
    super(message, { cause });
    this.fault = fault;
    this.sent = sent;
  }
}

export interface DispatchLimits {
  /** For the answer. */
  readonly timeLimit: TimeLimit;
  /** When it is over, nothing is sent any more. */
  readonly sendLimit: TimeLimit;
  /** Which part of the answer must have come in time. */
  readonly until: 'head' | 'end';
  readonly signal: AbortSignal | undefined;
}

/** Gets the answer of one request. After `ended` or `failed`, of which exactly one comes, nothing more follows. */
export interface DispatchListener {
  /** The request is on its way; the controller holds its answer back, and lets it go on. */
  readonly started?: (controller: Dispatcher.DispatchController) => void;
  readonly head: (code: number, headers: IncomingHttpHeaders) => void;
  readonly data: (chunk: Buffer) => void;
  readonly ended: () => void;
  readonly failed: (error: ExchangeError) => void;
}

/**
 * Sends a request. undici calls `onRequestStart` directly before it writes to a connected socket, which makes the error's
 * `sent` exact: without that call nothing left this process. Returns how to give the request up.
 */
export function dispatch(
  dispatcher: Dispatcher,
  request: ExchangeRequest,
  { timeLimit, sendLimit, until, signal }: DispatchLimits,
  listener: DispatchListener,
): (message: string) => void {
  let controller: Dispatcher.DispatchController | undefined;
  let settled = false;
  let stopListening: (() => void) | undefined;

  const end = (): boolean => {
    if (settled) return false;
    settled = true;
    clearTimeout(timer);
    clearTimeout(sendTimer);
    stopListening?.();
    return true;
  };
  const fail = (fault: ExchangeFault, message: string, cause?: unknown): void => {
    if (!end()) return;
    const error = new ExchangeError(fault, controller !== undefined, message, cause);
    controller?.abort(error);
    listener.failed(error);
  };
  const givenUp = (): void => fail('aborted', 'the caller gave up', signal?.reason);
  const onTimeout = (): void => fail('timeout', `no answer within ${Math.round(timeLimit.totalMs)} ms`);
  const onLate = (): void => fail('timeout', `not sent within ${Math.round(sendLimit.totalMs)} ms`);
  const leave = (message: string): void => fail('aborted', message);
  const timer = setTimeout(onTimeout, timerMs(timeLimit));
  const sendTimer = setTimeout(onLate, timerMs(sendLimit));
  if (signal?.aborted === true) {
    givenUp();
    return leave;
  }
  if (signal !== undefined) stopListening = onAbort(signal, givenUp);

  try {
    dispatcher.dispatch(
      {
        ...request,
        headers: { ...request.headers },
        body: request.body ?? null,
        // undici closes the connection after a DELETE with a body, unless it is asked not to.
        reset: false,
        headersTimeout: 0,
        bodyTimeout: 0,
      },
      {
        onRequestStart(started) {
          // A process that was stopped meanwhile comes here before its timers.
          if (timeLimit.remainingMs() <= 0) onTimeout();
          if (sendLimit.remainingMs() <= 0) onLate();
          clearTimeout(sendTimer);
          // Given up while it waited for a socket: it must not be sent any more.
          if (settled) return started.abort(new Error('given up before it was sent'));
          controller = started;
          listener.started?.(started);
        },
        onResponseStart(_, code, headers) {
          // A 1xx only announces the answer.
          if (settled || code < 200) return;
          if (until === 'head') clearTimeout(timer);
          listener.head(code, headers);
        },
        onResponseData(_, chunk) {
          if (!settled) listener.data(chunk);
        },
        onResponseEnd() {
          if (end()) listener.ended();
        },
        onResponseError(_, error) {
          fail('network', describeNetworkFault(error), error);
        },
      },
    );
  } catch (error) {
    // A header that cannot be sent: a token with a line break in it.
    fail('network', describeNetworkFault(error), error);
  }
  return leave;
}

/** Node fires a timer of more than 24 days at once. */
function timerMs(limit: TimeLimit): number {
  return Math.min(Math.max(limit.remainingMs(), 0), longestTimerMs);
}

/** The words of the innermost cause: undici wraps the error of the operating system. */
function describeNetworkFault(error: unknown): string {
  let innermost = error;
  while (innermost instanceof Error && innermost.cause instanceof Error) innermost = innermost.cause;
  // A host with several addresses fails with one error for each of them.
  if (innermost instanceof AggregateError && innermost.message === '') {
    return innermost.errors.map((each) => (each instanceof Error ? each.message : String(each))).join('; ');
  }
  const message = innermost instanceof Error ? innermost.message : String(innermost);
  const [, code] = refusalOfProxy.exec(message) ?? [];
  if (code === undefined) return message;
  const why = code === '407' ? ': it asks for a user and a password, which belong into its URL' : '';
  return `it answered ${code}${why}`;
}

/** undici's words where a proxy makes no tunnel. */
const refusalOfProxy = /^Proxy response \((\d+)\) !== 200 when HTTP Tunneling$/;
