import { expect, it } from 'vitest';
import { boundedRequest } from './bounded-request.ts';
import { systemClock } from '../clock/clock.ts';

it('reports in whole milliseconds for how long there was no answer', async () => {
  const never = boundedRequest(systemClock, 10 / 3, undefined, () => new Promise<never>(() => undefined));
  await expect(never).rejects.toThrow('no answer within 3 ms');
});
