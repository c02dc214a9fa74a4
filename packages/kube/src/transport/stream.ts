import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { ChunkQueue } from './chunk-queue.ts';
import { Gathering } from './gathering.ts';
import {
  ExchangeError,
  describeNetworkFault,
  type ExchangeFault,
  type ExchangeRequest,
  type StreamedResponse,
} from './exchange.ts';

/**
 * Sends a request and resolves with the response's headers; the body follows as it arrives, no faster than it is
 * read. The signal ends both. `onClosed` is called exactly once, when the socket is free again, unless this rejects;
 * iteration rejects with what `describe` makes of a fault.
 */
export function openStream(
  dispatcher: Dispatcher,
  wire: ExchangeRequest,
  limits: { readonly timeoutMs: number; readonly signal: AbortSignal | undefined },
  on: { readonly closed: () => void; readonly fault: (error: ExchangeError) => Error },
): Promise<StreamedResponse> {
  return new Promise((resolve, reject) => {
    const { signal, timeoutMs } = limits;
    let controller: Dispatcher.DispatchController | undefined;
    let body: ChunkQueue | undefined;
    let ended = false;
    const held = { full: false, gathering: false };
    const hold = (reason: keyof typeof held, holds: boolean): void => {
      held[reason] = holds;
      if (held.full || held.gathering) controller?.pause();
      else controller?.resume();
    };
    const gathering = new Gathering((holds) => hold('gathering', holds));

    const end = (): boolean => {
      if (ended) return false;
      ended = true;
      gathering.end();
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      return true;
    };
    const fail = (fault: ExchangeFault, message: string, cause?: unknown): void => {
      if (!end()) return;
      const error = new ExchangeError(fault, controller !== undefined, message, cause);
      controller?.abort(error);
      if (body === undefined) return reject(error);
      body.fail(on.fault(error));
      on.closed();
    };
    const onAbort = (): void => fail('aborted', 'the caller gave up', signal?.reason);
    const timer = setTimeout(() => fail('timeout', `no answer within ${timeoutMs} ms`), timeoutMs);
    if (signal?.aborted === true) return onAbort();
    signal?.addEventListener('abort', onAbort, { once: true });

    const begin = (code: number, headers: IncomingHttpHeaders): void => {
      clearTimeout(timer);
      body = new ChunkQueue({
        pause: () => hold('full', true),
        resume: () => hold('full', false),
        left: () => fail('aborted', 'the reader left'),
      });
      resolve({ code, headers, body });
    };
    try {
      dispatcher.dispatch(
        { ...wire, headers: { ...wire.headers }, body: null, headersTimeout: 0, bodyTimeout: 0 },
        {
          onRequestStart(started) {
            // Given up while it waited for a socket: it must not be sent any more.
            if (ended) started.abort(new Error('given up before it was sent'));
            else controller = started;
          },
          onResponseStart(_, code, headers) {
            // A 1xx only announces the response.
            if (code >= 200 && !ended) begin(code, headers);
          },
          onResponseData(_, chunk) {
            body?.push(chunk);
            gathering.heard(chunk.length, performance.now());
          },
          onResponseEnd() {
            if (!end()) return;
            body?.end();
            on.closed();
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
