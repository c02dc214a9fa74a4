import { expect, test } from 'vitest';
import { mergeConditions } from './conditions.ts';

const before = Date.UTC(2026, 0, 1);
const now = before + 60_000;
const statement = { type: 'Ready', status: 'True', reason: 'Same', message: 'm' } as const;
const found = { ...statement, lastTransitionTime: '2026-01-01T00:00:00Z' };

test.each([
  ['moves with the status, whatever the reason', { ...statement, status: 'False' }, '2026-01-01T00:01:00Z'],
  ['stays with the status, whatever the reason', { ...statement, reason: 'Other' }, '2026-01-01T00:00:00Z'],
] as const)('the transition time of a condition %s', (_title, statement, time) => {
  expect(mergeConditions([found], [statement], ['Ready'], 1, now)).toMatchObject([
    { ...statement, lastTransitionTime: time },
  ]);
});
