import { expect, it } from 'vitest';
import { endOfStatus } from '../reflector/stream-end.ts';
import { refusal } from '../transport/failure.ts';
import { readStatus } from './read-status.ts';

const odd: readonly unknown[] = [null, 5, true, 'x', [], [null], {}, { causes: {} }, { causes: [null, 7] }];
const statuses = ['message', 'reason', 'code', 'details'].flatMap((field) =>
  odd.map((value) => ({ kind: 'Status', message: 'm', reason: 'r', [field]: value })),
);

it('a Status is what the API server writes, and keeps what can be read where something else wrote it', () => {
  const whole = {
    kind: 'Status',
    code: 409,
    reason: 'r',
    message: 'm',
    details: { causes: [{ field: 'a' }] },
  };
  expect(readStatus(whole)).toEqual(whole);
  const partly = {
    kind: 'Status',
    message: 5,
    reason: 'r',
    details: { name: 'a', causes: [null, { field: 'a' }] },
  };
  expect(readStatus(partly)).toEqual({
    kind: 'Status',
    reason: 'r',
    details: { name: 'a', causes: [{ field: 'a' }] },
  });
});

it.each([404, 409, 422, 500, 503])('an odd Status with %d is a refusal all the same', (code) => {
  for (const status of statuses) {
    const body = Buffer.from(JSON.stringify(status));
    for (const readOnly of [true, false]) {
      const error = refusal({ attempted: 'get x', readOnly }, { code, headers: {}, body });
      expect([error.code, typeof error.reason, typeof error.message]).toEqual([code, 'string', 'string']);
    }
  }
});

it('an odd Status in a watch ends it as any other', () => {
  for (const status of statuses) expect(endOfStatus(readStatus(status), 'watch x').why).toBe('failed');
});
