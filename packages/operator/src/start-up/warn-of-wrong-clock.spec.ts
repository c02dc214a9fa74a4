import { silentLogger } from '@atoll/kube';
import { expect, it } from 'vitest';
import { warnOfWrongClock } from './warn-of-wrong-clock.ts';

it('a clock that is wrong is logged once, and once more when it is right again', () => {
  const lines: unknown[] = [];
  const log = (level: string) => (fields: object) => lines.push([level, fields]);
  let ahead = 0;
  const answered = warnOfWrongClock(
    { aheadMs: () => ahead },
    { ...silentLogger, warn: log('warn'), info: log('info') },
  );
  for (ahead of [0, 4_000, 3_600_000, 3_599_000, -7_200_000, 0, 0, -7_200_000]) answered();
  expect(lines).toEqual([
    ['warn', { aheadMs: 3_600_000 }],
    ['info', {}],
    ['warn', { aheadMs: -7_200_000 }],
  ]);
});
