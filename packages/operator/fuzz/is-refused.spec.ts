import { ApiError } from '@atoll/kube';
import { expect, it } from 'vitest';
import { isRefused } from './is-refused.ts';

const answer = (code: number, message: string): ApiError =>
  new ApiError({ fate: 'refused', code, reason: 'InternalError', attempted: 'create pods', message });

it.each<[string, unknown, boolean]>([
  ['an invalid object', answer(422, 'spec: Required value'), true],
  ['one that the API server finds too large', answer(413, 'limit is 3145728'), true],
  [
    'one that etcd finds too large',
    answer(
      500,
      'rpc error: code = ResourceExhausted desc = trying to send message larger than max (3 vs. 2)',
    ),
    true,
  ],
  [
    'one for which a busy server found no time to look at the quota',
    answer(500, 'Internal error occurred: resource quota evaluation timed out'),
    true,
  ],
  ['a fault of the server', answer(500, 'etcdserver: request timed out'), false],
  ['a connection that is refused', new Error('ECONNREFUSED'), false],
])('%s', (_, error, refused) => {
  expect(isRefused(error)).toBe(refused);
});
