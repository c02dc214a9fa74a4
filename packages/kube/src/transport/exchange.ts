import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { dispatch, type DispatchLimits, type ExchangeRequest } from './dispatch.ts';

export interface HttpResponse {
  readonly code: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export type ExchangeLimits = Omit<DispatchLimits, 'until'>;

/** One request and its whole answer. Rejects with an `ExchangeError`. */
export function exchange(
  dispatcher: Dispatcher,
  request: ExchangeRequest,
  limits: ExchangeLimits,
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
