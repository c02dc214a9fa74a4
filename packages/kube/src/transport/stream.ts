import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { ChunkQueue } from './chunk-queue.ts';
import { dispatch, type ExchangeError, type ExchangeRequest } from './dispatch.ts';
import { Gathering } from './gathering.ts';
import type { TimeLimit } from './time-limit.ts';

/** A response whose body is still arriving. */
export interface StreamedResponse {
  readonly code: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: AsyncIterable<Buffer>;
}

/**
 * Sends a request and resolves with the response's headers, which must come in time; the body follows as it arrives, no
 * faster than it is read. The signal ends both. `closed` is called exactly once, when the socket is free again, unless
 * this rejects, which it does with an `ExchangeError`; iteration rejects with what `fault` makes of one.
 */
export function openStream(
  dispatcher: Dispatcher,
  wire: ExchangeRequest,
  limits: { readonly timeLimit: TimeLimit; readonly signal: AbortSignal | undefined },
  on: { readonly closed: () => void; readonly fault: (error: ExchangeError) => Error },
): Promise<StreamedResponse> {
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined;
    let body: ChunkQueue | undefined;
    const held = { full: false, gathering: false };
    const hold = (reason: keyof typeof held, holds: boolean): void => {
      held[reason] = holds;
      if (held.full || held.gathering) controller?.pause();
      else controller?.resume();
    };
    const gathering = new Gathering((holds) => hold('gathering', holds));
    const leave = dispatch(
      dispatcher,
      wire,
      { ...limits, sendLimit: limits.timeLimit, until: 'head' },
      {
        started: (started) => (controller = started),
        head: (code, headers) => {
          body = new ChunkQueue({
            pause: () => hold('full', true),
            resume: () => hold('full', false),
            left: () => leave('the reader left'),
          });
          resolve({ code, headers, body });
        },
        data: (chunk) => {
          body?.push(chunk);
          gathering.received(chunk.length, performance.now());
        },
        ended: () => {
          gathering.end();
          body?.end();
          on.closed();
        },
        failed: (error) => {
          gathering.end();
          if (body === undefined) return reject(error);
          body.fail(on.fault(error));
          on.closed();
        },
      },
    );
  });
}
