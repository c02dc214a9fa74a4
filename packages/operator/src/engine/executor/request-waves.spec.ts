import { describe, expect, it } from 'vitest';
import { roomIn, firstWave, withResult, withStarted } from './request-waves.ts';
import type { RequestWaves } from './request-waves.ts';

const bound = 4;

/** A wave in which so many fail. */
function wave(before: RequestWaves, failures: number): RequestWaves {
  const count = roomIn(before, bound);
  let after = withStarted(before, count, bound);
  for (let each = 0; each < count; each += 1) after = withResult(after, each < failures, bound);
  return after;
}

describe('a stage that starts slowly', () => {
  it('doubles the wave up to the bound, and starts a new wave only when the last one is over', () => {
    const second = wave(firstWave, 0);
    expect([roomIn(firstWave, bound), roomIn(second, bound)]).toEqual([1, 2]);
    const half = withResult(withStarted(second, 2, bound), false, bound);
    expect(roomIn(half, bound)).toBe(0);
    expect(roomIn(withResult(half, false, bound), bound)).toBe(4);
  });

  it('makes the wave small again where every step failed, and not where one did', () => {
    const second = wave(firstWave, 0);
    expect([roomIn(wave(second, 1), bound), roomIn(wave(second, 2), bound)]).toEqual([4, 1]);
  });

  it('at the bound starts one for each that is over', () => {
    const full = withStarted(wave(wave(firstWave, 0), 0), 4, bound);
    expect([roomIn(full, bound), roomIn(withResult(full, true, bound), bound)]).toEqual([0, 1]);
  });

  it('ends after ten failures in a row, at the bound as in waves', () => {
    let failing = firstWave;
    for (let each = 0; each < 10; each += 1) failing = wave(failing, 1);
    expect(roomIn(failing, bound)).toBe(0);
    let atBound = wave(wave(firstWave, 0), 0);
    for (let each = 0; each < 10; each += 1) {
      expect(roomIn(atBound, bound)).toBeGreaterThan(0);
      atBound = withResult(withStarted(atBound, 1, bound), true, bound);
    }
    expect(roomIn(atBound, bound)).toBe(0);
  });

  it('ends after as many as a stage states', () => {
    const once = wave({ ...firstWave, endsAfter: 1 }, 1);
    expect(roomIn(once, bound)).toBe(0);
    const good = wave(wave({ ...firstWave, endsAfter: 1 }, 0), 1);
    expect(roomIn(good, bound)).toBeGreaterThan(0);
  });

  it('counts failures anew after a success, at the bound as in waves', () => {
    const nine = (before: RequestWaves): RequestWaves => {
      let after = before;
      for (let each = 0; each < 9; each += 1) {
        after = withResult(withStarted(after, 1, bound), true, bound);
      }
      return after;
    };
    expect(roomIn(nine(wave(nine(firstWave), 0)), bound)).toBeGreaterThan(0);
    const atBound = nine(wave(wave(firstWave, 0), 0));
    const succeeded = withResult(withStarted(atBound, 1, bound), false, bound);
    expect(roomIn(nine(succeeded), bound)).toBeGreaterThan(0);
  });
});
