import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { sleep, systemClock } from './clock.ts';

const program = `
  import { sleep, systemClock } from ${JSON.stringify(fileURLToPath(new URL('clock.ts', import.meta.url)))};
  await sleep(systemClock, 50);
  console.log('slept');
`;

describe('the clock of the system', () => {
  it('keeps a process alive that waits for nothing but one of its timers', async () => {
    const args = ['--input-type=module', '--eval', program];
    expect((await promisify(execFile)(process.execPath, args)).stdout).toBe('slept\n');
  });

  it('takes a time that is over, and one that is too long for Node, without a warning', async () => {
    const odd = `
      import { systemClock } from ${JSON.stringify(fileURLToPath(new URL('clock.ts', import.meta.url)))};
      const cancel = systemClock.setTimer(Number.MAX_SAFE_INTEGER, () => console.log('too early'));
      systemClock.setTimer(-3.5, () => setTimeout(() => { cancel(); console.log('called'); }, 20));
    `;
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [
      '--input-type=module',
      '--eval',
      odd,
    ]);
    expect([stdout, stderr]).toEqual(['called\n', '']);
  });

  // Node counts in whole milliseconds, and leaves fractions out.
  it('calls back at no moment before the time is over, as its own monotonic clock has it', async () => {
    const early: string[] = [];
    for (const milliseconds of [0.5, 1.9, 2.9, 3.9, 4.9, 5.9, 6.9, 7.9]) {
      const from = systemClock.monotonic();
      await sleep(systemClock, milliseconds);
      const tookMs = systemClock.monotonic() - from;
      if (tookMs < milliseconds) early.push(`${milliseconds} ms after ${tookMs} ms`);
    }
    expect(early).toEqual([]);
  });

  it('ends a pause when its signal ends, and keeps no timer of it', async () => {
    const abort = new AbortController();
    const slept = sleep(systemClock, 3_600_000, abort.signal);
    const before = timers();
    abort.abort();
    await slept;
    expect(timers()).toBe(before - 1);
  });
});

function timers(): number {
  return process.getActiveResourcesInfo().filter((each) => each === 'Timeout').length;
}
