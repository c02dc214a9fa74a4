import { describe, expect, it } from 'vitest';
import { ApiError } from '../client/api-error.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { refusalOf } from '../testing/refusal-of.ts';
import { OutageGate } from './outage-gate.ts';

function unreachable(): ApiError {
  return new ApiError({
    fate: 'unsent',
    code: 0,
    reason: 'NetworkError',
    message: 'ECONNREFUSED',
    attempted: 'x',
  });
}

function start() {
  const clock = new FakeClock();
  const gate = new OutageGate(clock, () => 1);
  let sent = 0;
  let away = true;
  const ask = async (): Promise<string> =>
    gate
      .pass('patch nodes n1', async () => {
        sent += 1;
        if (away) throw unreachable();
        return 'answer';
      })
      .catch((error: unknown) => (error instanceof ApiError ? `${error.fate} ${error.retryAfterMs}` : 'odd'));
  return { clock, ask, sent: () => sent, heal: () => (away = false) };
}

describe('the outage gate', () => {
  it('lets nobody else try after one could not be sent, and returns when to come back', async () => {
    const { ask, sent } = start();
    expect(await ask()).toBe('unsent undefined');
    expect([await ask(), await ask(), sent()]).toEqual(['unsent 1500', 'unsent 1500', 1]);
  });

  it('lets one try after the pause, which doubles up to five seconds', async () => {
    const { clock, ask, sent } = start();
    await ask();
    for (const pause of [500, 1_000, 2_000, 4_000, 5_000, 5_000]) {
      const before = sent();
      await clock.advance(pause - 1);
      await ask();
      expect(sent()).toBe(before);
      await clock.advance(1);
      await Promise.all([ask(), ask(), ask()]);
      expect(sent()).toBe(before + 1);
    }
  });

  it('counts requests that were under way together as one failure', async () => {
    const { clock, ask, sent } = start();
    await Promise.all([ask(), ask(), ask()]);
    expect(sent()).toBe(3);
    await clock.advance(500);
    await ask();
    expect(sent()).toBe(4);
  });

  it('is open again with the first answer', async () => {
    const { clock, ask, heal } = start();
    await ask();
    heal();
    await clock.advance(500);
    expect([await ask(), await ask()]).toEqual(['answer', 'answer']);
  });

  it('takes a refusal for an answer, and a lost answer for nothing', async () => {
    const gate = new OutageGate(new FakeClock(), () => 1);
    const refused = refusalOf(403, 'x', 'no');
    const lost = new ApiError({
      fate: 'in-doubt',
      code: 0,
      reason: 'NetworkError',
      message: 'reset',
      attempted: 'x',
    });
    for (const error of [refused, lost]) {
      await expect(gate.pass('x', async () => Promise.reject(error))).rejects.toBe(error);
      expect(await gate.pass('x', async () => Promise.resolve('through'))).toBe('through');
    }
  });
});
