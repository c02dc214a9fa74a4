import { ApiError } from './api-error.ts';
import type { HttpResponse } from '../transport/exchange.ts';
import type { Attempt } from '../transport/failure.ts';

/** The JSON of a 2xx answer. One that is none leaves a write in doubt: something between us and the server answered. */
export function parseAnswer<R>(
  response: HttpResponse,
  request: Attempt,
  read: (body: Buffer) => unknown = readAll,
): R {
  try {
    return read(response.body) as R;
  } catch (cause) {
    throw new ApiError({
      fate: request.readOnly ? 'refused' : 'in-doubt',
      code: response.code,
      reason: 'InvalidAnswer',
      message: `the server's answer is not JSON`,
      attempted: request.attempted,
      cause,
    });
  }
}

function readAll(body: Buffer): unknown {
  return JSON.parse(body.toString('utf8'));
}
