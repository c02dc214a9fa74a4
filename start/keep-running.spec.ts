import { describe, expect, it } from 'vitest';
import { keepRunning } from './keep-running.ts';

interface Run {
  readonly code: number;
  readonly lastsMs: number;
}

/** Does these runs, then is interrupted in the one that follows, or in a pause. */
async function keep(runs: readonly Run[], interruptedIn: 'a run' | 'a pause' = 'a run') {
  const printed: string[] = [];
  const pauses: number[] = [];
  const abort = new AbortController();
  let now = 0;
  let done = 0;
  const run = async (): Promise<number> => {
    const next = runs[done++];
    if (next === undefined) {
      abort.abort();
      return 0;
    }
    now += next.lastsMs;
    return next.code;
  };
  const pause = async (milliseconds: number): Promise<void> => {
    pauses.push(milliseconds);
    if (interruptedIn === 'a pause' && done >= runs.length) abort.abort();
  };
  const options = {
    print: (line: string) => printed.push(line),
    now: () => now,
    signal: abort.signal,
    pause,
  };
  return { code: await keepRunning(run, options), printed, pauses, runs: done };
}

describe('an operator that is kept running', () => {
  it('is started again after it ended, and that is shown', async () => {
    const { printed, runs } = await keep([{ code: 1, lastsMs: 20_000 }]);
    expect(runs).toBe(2);
    expect(printed).toEqual([
      'The operator ended by itself with exit code 1; see its log. It is started again in 1 s; Ctrl-C ends all.',
    ]);
  });

  it('waits longer from time to time, and begins anew after a run that was well', async () => {
    const bad = { code: 1, lastsMs: 100 };
    const { pauses } = await keep([bad, bad, bad, bad, bad, bad, bad, { code: 1, lastsMs: 60_000 }, bad]);
    expect(pauses).toEqual([1, 2, 4, 8, 16, 30, 30, 1, 2].map((seconds) => seconds * 1000));
  });

  it('ends with the exit code of the run that was interrupted, and with 0 where none was', async () => {
    expect(await keep([])).toMatchObject({ code: 0, runs: 1 });
    expect(await keep([{ code: 1, lastsMs: 100 }], 'a pause')).toMatchObject({ code: 0, runs: 1 });
  });

  it('is not started again with a command line that it does not understand', async () => {
    expect(await keep([{ code: 2, lastsMs: 100 }])).toMatchObject({ code: 2, runs: 1, pauses: [] });
  });
});
