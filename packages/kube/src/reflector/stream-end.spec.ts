import { describe, expect, it } from 'vitest';
import { ApiError, type ApiStatus } from '../client/api-error.ts';
import { endOfRequest, endOfStatus } from './stream-end.ts';

/** What a server answers whose store was set back, to a watch from a version that it has not reached. */
const future: ApiStatus = {
  code: 504,
  reason: 'Timeout',
  message: 'Too large resource version: 900, current: 5',
  details: {
    retryAfterSeconds: 1,
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
  },
};
const overloaded: ApiStatus = { code: 504, reason: 'Timeout', message: 'the server is slow' };
const statuses: readonly (readonly [string, ApiStatus, string])[] = [
  ['a version of the future, after a restored backup', future, 'expired'],
  ['a time-out without this cause', overloaded, 'failed'],
  ['410 Expired', { code: 410, reason: 'Expired', message: 'too old' }, 'expired'],
  ['410 Gone', { code: 410, reason: 'Gone', message: 'too old' }, 'expired'],
  ['the reason without its code', { code: 500, reason: 'Expired', message: 'too old' }, 'expired'],
  ['429', { code: 429, reason: 'TooManyRequests', message: 'later' }, 'failed'],
];

describe('whether all must be listed again', () => {
  it.each(statuses)('after %s in the stream', (_, status, why) => {
    expect(endOfStatus(status, 'watch configmaps').why).toBe(why);
  });

  it.each(statuses)('after %s at the opening of the stream', (_, status, why) => {
    const { code = 0, reason = '', message = '' } = status;
    const error = new ApiError({ fate: 'refused', code, reason, message, attempted: 'watch', status });
    expect(endOfRequest(error, false).why).toBe(why);
    expect(endOfRequest(error, true).why).toBe(why);
  });
});

it.each([400, 405, 422, 501])(
  '%d means that the server does not stream lists, where one was asked for',
  (code) => {
    const error = new ApiError({
      fate: 'refused',
      code,
      reason: 'Invalid',
      message: 'no',
      attempted: 'watch',
    });
    expect([endOfRequest(error, true).why, endOfRequest(error, false).why]).toEqual([
      'unsupported',
      'failed',
    ]);
  },
);
