import { expect, test } from 'vitest';
import { conditionOf, instantOf, isReady, mergeConditions } from './conditions.ts';

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

test.each([
  [true, { conditions: [found] }],
  [false, { conditions: [{ ...found, status: 'False' }] }],
  [false, { conditions: [{ ...found, status: 'Unknown' }] }],
  [false, { conditions: [{ ...found, type: 'ContainersReady' }] }],
  [false, { conditions: [] }],
  [false, {}],
  [false, undefined],
])('%s: an object with the status %j is Ready', (ready, status) => {
  expect(isReady({ status })).toBe(ready);
});

test('the condition of a type is found, and none where there is none', () => {
  expect(conditionOf({ status: { conditions: [found] } }, 'Ready')).toBe(found);
  expect(conditionOf({ status: { conditions: [found] } }, 'Progressing')).toBeUndefined();
});

test.each([
  ['2026-01-01T00:00:00Z', before],
  ['2026-01-01T00:00:00.000000Z', before],
  ['yesterday', undefined],
  [7, undefined],
  [undefined, undefined],
])('the instant of %j is %j', (timestamp, instant) => {
  expect(instantOf(timestamp)).toBe(instant);
});
