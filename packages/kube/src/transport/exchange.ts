import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { dispatch, type DispatchLimits, type ExchangeRequest } from './dispatch.ts';

export interface HttpResponse {
  readonly code: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** More of a refusal serves nobody: a Status that lists every wrong field is far smaller. */
export const mostErrorBytes = 1024 * 1024;

export type ExchangeLimits = Omit<DispatchLimits, 'until'>;

/** One request and its answer: all of a success, of a refusal what comes, at most {@link mostErrorBytes}. Rejects with an `ExchangeError`. */
export function exchange(
  dispatcher: Dispatcher,
  request: ExchangeRequest,
  limits: ExchangeLimits,
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    let answer: Omit<HttpResponse, 'body'> = { code: 0, headers: {} };
    const chunks: Buffer[] = [];
    let size = 0;
    const leave = dispatch(
      dispatcher,
      request,
      { ...limits, until: 'end' },
      {
        head: (code, headers) => (answer = { code, headers }),
        data: (chunk) => {
          chunks.push(chunk);
          size += chunk.length;
          if (isSuccess(answer.code) || size < mostErrorBytes) return;
          resolve({ ...answer, body: Buffer.concat(chunks).subarray(0, mostErrorBytes) });
          leave('its refusal is too long');
        },
        ended: () => {
          const [only] = chunks;
          const body = chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks);
          resolve({ ...answer, body });
        },
        failed: (error) => {
          const isRefusal = answer.code !== 0 && !isSuccess(answer.code);
          if (!isRefusal || error.fault === 'aborted') reject(error);
          else resolve({ ...answer, body: Buffer.concat(chunks) });
        },
      },
    );
  });
}

/** Whether the server did what was asked. */
export function isSuccess(code: number): boolean {
  return code >= 200 && code < 300;
}

/**
 * Whether the answer begins as all objects of Kubernetes do, a Status too. That of a load balancer, or of a gateway, does not; nor do a few
 * of the API server (`404 page not found`).
 */
export function isOfApiServer({ body }: Pick<HttpResponse, 'body'>): boolean {
  return /^\s*\{\s*"(?:kind|apiVersion)"\s*:/.test(body.toString('utf8', 0, 64));
}
