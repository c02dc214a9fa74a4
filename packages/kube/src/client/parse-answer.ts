import { ApiError } from './api-error.ts';
import type { HttpResponse } from '../transport/exchange.ts';
import type { Attempt } from '../transport/failure.ts';

/**
 * The JSON object of a 2xx answer. Anything else (a proxy's page, `null`) leaves a write in doubt: something between us and
 * the server answered.
 */
export function parseAnswer<R>(
  response: HttpResponse,
  request: Attempt,
  read: (body: Buffer) => unknown = readAll,
): R {
  try {
    const answer = read(response.body);
    if (typeof answer === 'object' && answer !== null && !Array.isArray(answer)) return answer as R;
    throw new TypeError('it is no JSON object');
  } catch (cause) {
    throw new ApiError({
      fate: request.readOnly ? 'refused' : 'in-doubt',
      code: response.code,
      reason: 'InvalidAnswer',
      message: `the server's answer is no JSON object of Kubernetes; does something between here and the API server answer?`,
      attempted: request.attempted,
      cause,
    });
  }
}

function readAll(body: Buffer): unknown {
  return JSON.parse(body.toString('utf8'));
}
