import { ApiError } from './api-error.ts';
import type { HttpResponse } from '../transport/exchange.ts';
import type { Attempt } from '../transport/failure.ts';
import { isFields, type Fields } from '../values/fields.ts';

type Read = (body: Buffer) => unknown;

/**
 * The JSON object of a 2xx answer. Anything else (a proxy's page, `null`) leaves a write in doubt: something between us and
 * the server answered.
 */
export function parseAnswer<R>(
  response: HttpResponse,
  request: Attempt,
  read: Read = readAll,
  isMeant: (answer: Fields) => boolean = () => true,
): R {
  try {
    const answer = read(response.body);
    if (isFields(answer) && isMeant(answer)) return answer as R;
    throw new TypeError('it is another JSON value than what was asked for');
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

/** The same where the answer is an object. A review, and what a dry run would name, have no name in their metadata; a Status is none. */
export function parseObject<R>(response: HttpResponse, request: Attempt, read?: Read): R {
  return parseAnswer(response, request, read, isObject);
}

/** The same where the answer is a list, which has items also where there are none. */
export function parseList(response: HttpResponse, request: Attempt): unknown {
  return parseAnswer(response, request, readAll, hasItems);
}

/** The same where the answer is an object or a Status of success: of anything else nobody knows whether the object is gone. */
export function parseDeletion<R>(response: HttpResponse, request: Attempt): R {
  return parseAnswer(
    response,
    request,
    readAll,
    (answer) => isObject(answer) || (answer['kind'] === 'Status' && answer['status'] === 'Success'),
  );
}

function isObject({ kind, metadata }: Fields): boolean {
  return kind !== 'Status' && isFields(metadata);
}

function hasItems({ items }: Fields): boolean {
  return Array.isArray(items) || items === null;
}

function readAll(body: Buffer): unknown {
  return JSON.parse(body.toString('utf8'));
}
