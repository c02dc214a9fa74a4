import { expect, test } from 'vitest';
import { spreads } from '../../../simulation/examples/one-child-per-pool.ts';
import type { WriteStep } from './requests/request.ts';
import { guardOf } from '../plan.ts';
import { mayStillRun } from './may-still-run.ts';

const web = {
  metadata: {
    namespace: 'edge',
    name: 'web',
    uid: 'u',
    resourceVersion: '1',
    generation: 2,
    creationTimestamp: '2026-01-01T00:00:00Z',
  },
};
const going = { metadata: { ...web.metadata, deletionTimestamp: '2026-01-01T00:00:01Z' } };

test.each([
  ['create', false],
  ['apply', false],
  ['delete', false],
  ['patch', true],
  ['conditions', true],
] as const)('for an owner that goes, a step that does %s may run: %s', (does, may) => {
  const step = { do: does } as WriteStep;
  expect(mayStillRun(step, guardOf(spreads, going as typeof web), going)).toBe(may);
  expect(mayStillRun(step, guardOf(spreads, web), web)).toBe(true);
});
