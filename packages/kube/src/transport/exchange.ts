import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { dispatch, type ExchangeRequest } from './dispatch.ts';
import type { TimeLimit } from './time-limit.ts';

export interface HttpResponse {
  readonly code: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** One request and its whole answer. Rejects with an `ExchangeError`. */
export function exchange(
  dispatcher: Dispatcher,
  request: ExchangeRequest,
  limits: { readonly timeLimit: TimeLimit; readonly signal: AbortSignal | undefined },
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    let answer: Omit<HttpResponse, 'body'> = { code: 0, headers: {} };
    const chunks: Buffer[] = [];
    dispatch(
      dispatcher,
      request,
      { ...limits, until: 'end' },
      {
        head: (code, headers) => (answer = { code, headers }),
        data: (chunk) => chunks.push(chunk),
        ended: () => {
          const [only] = chunks;
          const body = chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks);
          resolve({ ...answer, body });
        },
        failed: reject,
      },
    );
  });
}
