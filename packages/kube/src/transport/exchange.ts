import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { onAbort } from '../on-abort.ts';
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

export interface HttpResponse {
  readonly code: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A response whose body is still arriving. */
export interface StreamedResponse {
  readonly code: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: AsyncIterable<Buffer>;
}

export type ExchangeFault = 'network' | 'timeout' | 'aborted';

/** No whole answer came. `sent` tells whether any byte of the request may have reached the server. */
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

/**
 * One request and its whole answer. undici calls `onRequestStart` directly before it writes to a connected
 * socket, which makes `sent` exact: without that call nothing left this process.
 */
export function exchange(
  dispatcher: Dispatcher,
  request: ExchangeRequest,
  limits: { readonly timeLimit: TimeLimit; readonly signal: AbortSignal | undefined },
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const { signal, timeLimit } = limits;
    let controller: Dispatcher.DispatchController | undefined;
    let settled = false;
    let stopListening: (() => void) | undefined;
    let code = 0;
    let headers: IncomingHttpHeaders = {};
    const chunks: Buffer[] = [];

    const settle = (): boolean => {
      if (settled) return false;
      settled = true;
      clearTimeout(timer);
      stopListening?.();
      return true;
    };
    const fail = (fault: ExchangeFault, message: string, cause?: unknown): void => {
      if (!settle()) return;
      const error = new ExchangeError(fault, controller !== undefined, message, cause);
      controller?.abort(error);
      reject(error);
    };
    const givenUp = (): void => fail('aborted', 'the caller gave up', signal?.reason);
    const onTimeout = (): void => fail('timeout', `no answer within ${timeLimit.totalMs} ms`);
    const timer = setTimeout(onTimeout, Math.max(timeLimit.remainingMs(), 0));
    if (signal?.aborted === true) return givenUp();
    if (signal !== undefined) stopListening = onAbort(signal, givenUp);

    try {
      dispatcher.dispatch(
        {
          ...request,
          headers: { ...request.headers },
          body: request.body ?? null,
          headersTimeout: 0,
          bodyTimeout: 0,
        },
        {
          onRequestStart(started) {
            // A process that was stopped meanwhile comes here before its timers.
            if (timeLimit.remainingMs() <= 0) onTimeout();
            // Given up while it waited for a socket: it must not be sent any more.
            if (settled) started.abort(new Error('given up before it was sent'));
            else controller = started;
          },
          onResponseStart(_, statusCode, responseHeaders) {
            code = statusCode;
            headers = responseHeaders;
          },
          onResponseData(_, chunk) {
            chunks.push(chunk);
          },
          onResponseEnd() {
            if (!settle()) return;
            const [only] = chunks;
            resolve({
              code,
              headers,
              body: chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks),
            });
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
  });
}

/** The words of the innermost cause: undici wraps what the operating system said. */
export function describeNetworkFault(error: unknown): string {
  let innermost = error;
  while (innermost instanceof Error && innermost.cause instanceof Error) innermost = innermost.cause;
  // A host with several addresses fails with one error for each of them.
  if (innermost instanceof AggregateError && innermost.message === '') {
    return innermost.errors.map((each) => (each instanceof Error ? each.message : String(each))).join('; ');
  }
  return innermost instanceof Error ? innermost.message : String(innermost);
}
