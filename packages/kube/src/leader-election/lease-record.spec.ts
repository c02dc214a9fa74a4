import { expect, test } from 'vitest';
import { heldSpec, mayTakeLease } from './lease-record.ts';

const metadata = {
  name: 'atoll',
  namespace: 'system',
  uid: 'u',
  resourceVersion: '1',
  creationTimestamp: '2026-01-01T00:00:00Z',
};

test.each([
  ['longer than our own', 60, 60_000],
  ['shorter than our own', 5, 5_000],
  ['left out', undefined, 15_000],
])("a lease is taken when its holder's duration is over: %s", (_title, leaseDurationSeconds, durationMs) => {
  const spec = {
    holderIdentity: 'a',
    ...(leaseDurationSeconds === undefined ? {} : { leaseDurationSeconds }),
  };
  const observed = { lease: { metadata, spec }, since: 1_000 };
  const candidate = { identity: 'b', leaseDurationMs: 15_000 };
  expect(mayTakeLease(observed, candidate, 1_000 + durationMs)).toBe(false);
  expect(mayTakeLease(observed, candidate, 1_001 + durationMs)).toBe(true);
});

test('a lease whose number of transitions cannot grow any more is taken all the same: the API server refuses a larger one', () => {
  const before = { holderIdentity: '', leaseTransitions: 2_147_483_647 };
  const taken = heldSpec(before, { identity: 'b', leaseDurationMs: 15_000 }, 0);
  expect(taken).toMatchObject({ holderIdentity: 'b', leaseTransitions: 2_147_483_647 });
});
