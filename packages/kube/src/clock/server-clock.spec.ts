import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FakeClock } from '../testing/fake-clock.ts';
import { ServerClock } from './server-clock.ts';

const noon = Date.UTC(2026, 0, 1, 12);
const dateOf = (instant: number): string => new Date(instant).toUTCString();

describe('a clock that is kept within the time of the API server', () => {
  it('is that of the machine before the first answer, and where the two agree', async () => {
    const own = new FakeClock(noon);
    const clock = new ServerClock(own);
    expect(clock.now()).toBe(noon);
    await own.advance(400);
    clock.answered({ date: dateOf(noon), durationMs: 5 });
    expect([clock.now(), clock.aheadMs()]).toEqual([noon + 400, 0]);
  });

  it.each([3_600_000, -7_200_000])('does not move when that of the machine jumps by %d ms', async (jump) => {
    const own = new FakeClock(noon);
    const clock = new ServerClock(own);
    clock.answered({ date: dateOf(noon), durationMs: 5 });
    await own.advance(90_000);
    own.stepWallClock(jump);
    expect(Math.abs(clock.aheadMs() - jump)).toBeLessThanOrEqual(1_005);
    const off = clock.now() - (noon + 90_000);
    expect(off).toBeGreaterThanOrEqual(0);
    expect(off).toBeLessThanOrEqual(1_005);
  });

  it('does not take the date of an answer that was long under way for the time', async () => {
    const own = new FakeClock(noon);
    const clock = new ServerClock(own);
    await own.advance(30_000);
    clock.answered({ date: dateOf(noon), durationMs: 30_000 });
    expect(clock.now()).toBe(noon + 30_000);
  });

  it('follows a server whose clock is set, and one that answers without a date not at all', async () => {
    const own = new FakeClock(noon);
    const clock = new ServerClock(own);
    clock.answered({ date: dateOf(noon), durationMs: 5 });
    clock.answered({ date: dateOf(noon + 60_000), durationMs: 5 });
    expect(clock.now()).toBe(noon + 60_000);
    for (const date of [undefined, 'noon']) clock.answered({ date, durationMs: 5 });
    expect(clock.now()).toBe(noon + 60_000);
  });

  it('is never more than a second and the shortest request off, whatever the machine shows', async () => {
    const request = fc.record({
      pauseMs: fc.integer({ min: 0, max: 100_000 }),
      durationMs: fc.integer({ min: 1, max: 40_000 }),
      writtenAt: fc.double({ min: 0, max: 1, noNaN: true }),
      jumpMs: fc.integer({ min: -1e7, max: 1e7 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(request, { minLength: 1, maxLength: 20 }), async (requests) => {
        const own = new FakeClock(noon);
        const clock = new ServerClock(own);
        const server = (): number => noon + own.monotonic();
        let shortest = Infinity;
        for (const { pauseMs, durationMs, writtenAt, jumpMs } of requests) {
          const date = dateOf(server() + durationMs * writtenAt);
          own.freeze(durationMs);
          clock.answered({ date, durationMs });
          own.freeze(pauseMs);
          own.stepWallClock(jumpMs);
          shortest = Math.min(shortest, durationMs);
          expect(Math.abs(clock.now() - server())).toBeLessThanOrEqual(1_000 + shortest);
        }
      }),
    );
  });
});
