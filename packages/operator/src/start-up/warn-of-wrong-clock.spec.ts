import { silentLogger } from '@atoll/kube';
import { expect, it } from 'vitest';
import { warnOfWrongClock } from './warn-of-wrong-clock.ts';

it('a clock that is wrong is logged once, and once more when it is right again, at most once a minute', () => {
  const lines: unknown[] = [];
  let ahead = 0;
  let second = 0;
  const log = (level: string) => (fields: object) => lines.push([second, level, fields]);
  const answered = warnOfWrongClock(
    { aheadMs: () => ahead, monotonic: () => second * 1_000 },
    { ...silentLogger, warn: log('warn'), info: log('info') },
  );
  const answers = [
    [0, 0],
    [1, 4_000],
    [2, 3_600_000],
    [3, 0],
    [4, 3_600_000],
    [63, 3_599_000],
    [64, 0],
    [200, 0],
    [201, -7_200_000],
  ] as const;
  for ([second, ahead] of answers) answered();
  expect(lines).toEqual([
    [2, 'warn', { aheadMs: 3_600_000 }],
    [64, 'info', {}],
    [201, 'warn', { aheadMs: -7_200_000 }],
  ]);
});
