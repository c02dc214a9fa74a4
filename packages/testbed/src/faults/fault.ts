import type { ProxiedRequest } from './proxied-request.ts';

/**
 * What a real server or network may do to one request.
 *
 * - `refuse`: the error is answered; with `effect: 'applied'` after the API server has carried the request out
 *   (a load balancer's 504, an API server that dies while answering).
 * - `lose-response`: carried out, then the connection is reset.
 * - `crash`: the callback runs, then the connection is reset. `before-forwarding`: the API server never sees the
 *   request. `after-answer`: it has answered and the answer is withheld. The callback is where the caller kills
 *   the operator.
 * - `half-open`: accepted and never answered; the API server never sees it.
 * - `slow`: latency before forwarding, and a limit to the rate of the answer's bytes. Other faults still apply.
 */
export type Fault =
  | {
      readonly do: 'refuse';
      readonly code: number;
      readonly reason?: string;
      readonly message?: string;
      readonly retryAfterSeconds?: number;
      readonly effect?: 'none' | 'applied';
    }
  | { readonly do: 'lose-response' }
  | {
      readonly do: 'crash';
      readonly when: 'before-forwarding' | 'after-answer';
      readonly call: (request: ProxiedRequest) => void | Promise<void>;
    }
  | { readonly do: 'half-open' }
  | { readonly do: 'slow'; readonly latencyMs?: number; readonly bytesPerSecond?: number };

/** Reasons of metav1.Status as the API server gives them. */
const reasonOfCode: Readonly<Record<number, string>> = {
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  410: 'Expired',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

/** The body of a refusal, as the API server writes it. */
export function refusalStatus(fault: Extract<Fault, { do: 'refuse' }>): object {
  const { code, retryAfterSeconds } = fault;
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: fault.message ?? `refused with ${code} by the fault proxy`,
    reason: fault.reason ?? reasonOfCode[code] ?? 'Unknown',
    ...(retryAfterSeconds === undefined ? {} : { details: { retryAfterSeconds } }),
    code,
  };
}
