import { describe, expect, it } from 'vitest';
import { silentLogger, type Logger } from '@atoll/kube';
import { FakeClock } from '@atoll/kube/testing';
import { PreflightError } from './preflight.ts';
import { untilUsable } from './until-usable.ts';

const passing = (message: string): PreflightError => new PreflightError(message, { mayPass: true });

/** Fails with each of these, then succeeds. */
function rig(failures: readonly Error[]) {
  const left = [...failures];
  const clock = new FakeClock();
  const tries: number[] = [];
  const warnings: string[] = [];
  const abort = new AbortController();
  const logger: Logger = {
    ...silentLogger,
    warn: (fields) => warnings.push(String('why' in fields ? fields.why : '')),
  };
  const check = async (): Promise<string> => {
    tries.push(clock.monotonic());
    const failure = left.shift();
    if (failure !== undefined) throw failure;
    return 'usable';
  };
  const result = untilUsable(check, {
    server: 'https://cluster',
    clock,
    logger,
    signal: abort.signal,
    random: () => 0,
  }).then(
    (value) => value,
    (error: unknown) => String(error),
  );
  return { clock, tries, warnings, result, abort };
}

describe('a preflight that is repeated', () => {
  it('waits longer and longer, at most 15 s, for what may pass', async () => {
    const { clock, tries, result } = rig(Array.from({ length: 8 }, () => passing('nobody answers')));
    await clock.advance(120_000);
    expect(await result).toBe('usable');
    const pauses = tries.slice(1).map((at, index) => at - (tries[index] ?? 0));
    expect(pauses).toEqual([500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000]);
  });

  it('logs each reason once', async () => {
    const reasons = ['nobody answers', 'nobody answers', 'it starts', 'it starts'];
    const { clock, warnings, result } = rig(reasons.map(passing));
    await clock.advance(60_000);
    expect(await result).toBe('usable');
    expect(warnings).toEqual(['nobody answers', 'it starts']);
  });

  it('ends with what does not pass by itself', async () => {
    const { clock, tries, warnings, result } = rig([
      passing('nobody answers'),
      new PreflightError('no right'),
    ]);
    await clock.advance(60_000);
    expect(await result).toBe('PreflightError: no right');
    expect([tries.length, warnings]).toEqual([2, ['nobody answers']]);
  });

  it('ends with its signal', async () => {
    const { clock, tries, result, abort } = rig([passing('nobody answers'), passing('nobody answers')]);
    await clock.advance(100);
    abort.abort();
    expect(await result).toContain('AbortError');
    expect(tries).toHaveLength(1);
  });
});
