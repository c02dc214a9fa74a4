import { expect, it } from 'vitest';
import { FakeClock } from '@atoll/kube';
import { PassRate } from './pass-rate.ts';

it('tells the passes of the last second, and forgets what is older', async () => {
  const clock = new FakeClock();
  const rate = new PassRate(clock);
  expect(rate.perSecond).toBe(0);
  for (let pass = 0; pass < 30; pass += 1) rate.count();
  expect(rate.perSecond).toBe(30);
  await clock.advance(1_000);
  rate.count();
  expect(rate.perSecond).toBe(30);
  await clock.advance(1_000);
  expect(rate.perSecond).toBe(1);
  await clock.advance(5_000);
  expect(rate.perSecond).toBe(0);
});
