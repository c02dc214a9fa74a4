import { expect, it } from 'vitest';
import { windowsOf, type AdaptiveStrategy } from './windows.ts';

it.each<readonly [string, AdaptiveStrategy | undefined, number, number]>([
  ['30 s and 300 s without a strategy', undefined, 30, 300],
  ['30 s and 300 s where it says nothing', {}, 30, 300],
  ['as given', { rescheduleCriticalSeconds: 10, unschedulableDuration: 5 }, 10, 5],
  ['0 and a second where 0 is given', { rescheduleCriticalSeconds: 0, unschedulableDuration: 0 }, 0, 1],
  ['by the older name', { unschedulableLastSeconds: 7 }, 30, 7],
  ['by the newer of both names', { unschedulableLastSeconds: 7, unschedulableDuration: 9 }, 30, 9],
  [
    'the defaults where they are negative',
    { rescheduleCriticalSeconds: -1, unschedulableDuration: -1 },
    30,
    300,
  ],
])('windows are %s', (_title, strategy, critical, unschedulable) => {
  expect(windowsOf(strategy)).toEqual({ criticalMs: critical * 1000, unschedulableMs: unschedulable * 1000 });
});
