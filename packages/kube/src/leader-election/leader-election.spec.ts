import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Clock } from '../clock/clock.ts';
import { FakeClock, flushTasks } from '../testing/fake-clock.ts';
import { FakeLeaseServer, type Weather } from '../testing/fake-lease-server.ts';
import { LeaderElector, type ElectionEnd, type LeaderElectionOptions } from './leader-election.ts';
import { silentLogger } from '../telemetry/logger.ts';
import { createMetrics } from '../telemetry/metrics.ts';

/** A process that can be stopped (SIGSTOP) and whose wall clock can be wrong. */
class Process {
  readonly identity: string;
  readonly elector: LeaderElector;
  readonly journal: string[] = [];
  readonly end: Promise<ElectionEnd>;
  readonly #abort = new AbortController();
  #held: (() => void)[] | undefined;
  #skew = 0;

  constructor(
    identity: string,
    clock: FakeClock,
    server: FakeLeaseServer,
    options: Partial<LeaderElectionOptions> = {},
  ) {
    this.identity = identity;
    const own: Clock = {
      now: () => clock.now() + this.#skew,
      monotonic: () => clock.monotonic(),
      processorMs: () => clock.processorMs(),
      setTimer: (milliseconds, callback) => clock.setTimer(milliseconds, () => this.#deliver(callback)),
    };
    this.elector = new LeaderElector({
      client: server.clientFor((callback) => this.#deliver(callback)),
      lease: { namespace: 'atoll-system', name: 'atoll' },
      identity,
      clock: own,
      logger: silentLogger,
      random: () => 0.5,
      onStartedLeading: (signal) => {
        this.journal.push('started');
        signal.addEventListener('abort', () => this.journal.push('asked to stop'));
      },
      onStoppedLeading: () => this.journal.push('stopped'),
      ...options,
    });
    this.end = this.elector.run(this.#abort.signal);
  }

  stop(): void {
    this.#abort.abort();
  }

  pause(): void {
    this.#held ??= [];
  }

  resume(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const callback of held) callback();
  }

  stepWallClock(milliseconds: number): void {
    this.#skew += milliseconds;
  }

  #deliver(callback: () => void): void {
    if (this.#held === undefined) callback();
    else this.#held.push(callback);
  }
}

function setUp(): { clock: FakeClock; server: FakeLeaseServer } {
  const clock = new FakeClock();
  return { clock, server: new FakeLeaseServer(clock) };
}

describe('one candidate', () => {
  test('makes the lease, leads at once, renews and gives it back on shutdown', async () => {
    const { clock, server } = setUp();
    const metrics = createMetrics({ processMetrics: false });
    const a = new Process('a', clock, server, { metrics });
    await clock.advance(0);
    expect(a.elector.isLeader()).toBe(true);
    expect(server.lease?.spec).toEqual({
      holderIdentity: 'a',
      leaseDurationSeconds: 15,
      acquireTime: '2026-01-01T00:00:00.000000Z',
      renewTime: '2026-01-01T00:00:00.000000Z',
      leaseTransitions: 0,
    });
    expect(await metrics.registry.metrics()).toContain('leader_election_master_status{name="atoll"} 1');
    await clock.advance(60_000);
    expect(a.elector.isLeader()).toBe(true);
    expect(server.lease?.spec?.renewTime).toBe('2026-01-01T00:01:00.000000Z');
    expect(server.lease?.spec?.acquireTime).toBe('2026-01-01T00:00:00.000000Z');
    expect(server.requests).toBeLessThanOrEqual(32);
    a.stop();
    expect(await a.end).toBe('stopped');
    expect(server.lease?.spec).toMatchObject({
      holderIdentity: '',
      leaseDurationSeconds: 1,
      leaseTransitions: 0,
    });
    expect(a.journal).toEqual(['started', 'asked to stop', 'stopped']);
    expect(await metrics.registry.metrics()).toContain('leader_election_master_status{name="atoll"} 0');
    expect(clock.pending).toBe(0);
  });

  test('begins nothing new when it could not renew for a while, still leads, and goes on with the next renewal', async () => {
    const { clock, server } = setUp();
    const a = new Process('a', clock, server);
    await clock.advance(5000);
    expect(a.elector.mayBegin()).toBe(true);
    server.weather = () => ({ kind: 'refused', code: 503 });
    // Renewed at 4 s; half of what lies between 2 s, when the next is due, and 10 s, when it is over, is gone at 10 s.
    await clock.advance(4900);
    expect([a.elector.isLeader(), a.elector.mayBegin()]).toEqual([true, true]);
    await clock.advance(200);
    expect([a.elector.isLeader(), a.elector.mayBegin()]).toEqual([true, false]);
    server.weather = () => ({ kind: 'answered', before: 1, after: 1 });
    await clock.advance(3000);
    expect([a.elector.isLeader(), a.elector.mayBegin()]).toEqual([true, true]);
    a.stop();
    await clock.advance(1000);
    expect(a.elector.mayBegin()).toBe(false);
  });

  test('keeps the lease until its work has ended', async () => {
    const { clock, server } = setUp();
    let finish: (() => void) | undefined;
    const a = new Process('a', clock, server, {
      onStartedLeading: async () => new Promise<void>((resolve) => (finish = resolve)),
    });
    await clock.advance(1000);
    a.stop();
    await clock.advance(30_000);
    expect(a.elector.isLeader()).toBe(true);
    expect(server.lease?.spec).toMatchObject({
      holderIdentity: 'a',
      renewTime: '2026-01-01T00:00:30.000000Z',
    });
    finish?.();
    expect(await a.end).toBe('stopped');
    expect(server.lease?.spec?.holderIdentity).toBe('');
  });

  test('whose work fails gives the lease back and rejects with the failure', async () => {
    const { clock, server } = setUp();
    const a = new Process('a', clock, server, {
      onStartedLeading: async () => Promise.reject(new Error('broken')),
    });
    const failure = a.end.catch((error: unknown) => error);
    await clock.advance(5000);
    expect(await failure).toEqual(new Error('broken'));
    expect(server.lease?.spec?.holderIdentity).toBe('');
    expect(a.elector.isLeader()).toBe(false);
  });

  test('whose callback fails at the end gives the lease back and rejects with the failure', async () => {
    const { clock, server } = setUp();
    const onStoppedLeading = (): never => {
      throw new Error('a bug at the end');
    };
    const a = new Process('a', clock, server, { onStoppedLeading });
    await clock.advance(0);
    a.stop();
    await expect(a.end).rejects.toThrow('a bug at the end');
    expect(server.lease?.spec).toMatchObject({ holderIdentity: '' });
  });

  test('stops leading before the lease runs out when the server is away', async () => {
    const { clock, server } = setUp();
    const a = new Process('a', clock, server);
    await clock.advance(3000);
    server.weather = () => ({ kind: 'refused', code: 500 });
    await clock.advance(8999);
    expect(a.elector.isLeader()).toBe(true);
    await clock.advance(1);
    expect(a.elector.isLeader()).toBe(false);
    expect(a.journal).toEqual(['started', 'asked to stop', 'stopped']);
    expect(await a.end).toBe('lost');
  });

  test('survives a server that is away for less than the deadline', async () => {
    const { clock, server } = setUp();
    const a = new Process('a', clock, server);
    await clock.advance(2000);
    server.weather = () => ({ kind: 'answer-lost', before: 10 });
    await clock.advance(8000);
    server.weather = () => ({ kind: 'answered', before: 0, after: 0 });
    await clock.advance(30_000);
    expect(a.elector.isLeader()).toBe(true);
    expect(a.journal).toEqual(['started']);
  });

  test('counts from before a renewal was sent, however late the answer comes', async () => {
    const { clock, server } = setUp();
    const a = new Process('a', clock, server);
    await clock.advance(1999);
    const days: Weather[] = [{ kind: 'answered', before: 0, after: 3000 }];
    server.weather = () => days.shift() ?? { kind: 'never-arrived' };
    await clock.advance(3001);
    await clock.advance(6999);
    expect(a.elector.isLeader()).toBe(true);
    await clock.advance(1);
    expect(a.elector.isLeader()).toBe(false);
  });

  test('a lease that somebody deleted is made anew', async () => {
    const { clock, server } = setUp();
    const a = new Process('a', clock, server);
    await clock.advance(3000);
    server.lease = undefined;
    await clock.advance(3000);
    expect(server.lease).toMatchObject({ spec: { holderIdentity: 'a' } });
    expect(a.elector.isLeader()).toBe(true);
  });
});

describe('two candidates', () => {
  test('the second leads at its next try after the first gave the lease back', async () => {
    const { clock, server } = setUp();
    const a = new Process('a', clock, server);
    await clock.advance(10);
    const b = new Process('b', clock, server);
    await clock.advance(20_000);
    expect([a.elector.isLeader(), b.elector.isLeader(), b.elector.leader]).toEqual([true, false, 'a']);
    a.stop();
    await clock.advance(4400);
    expect([a.elector.isLeader(), b.elector.isLeader()]).toEqual([false, true]);
    expect(server.lease?.spec).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 });
  });

  test('the second takes over when the first dies, after the lease ran out and not before', async () => {
    const { clock, server } = setUp();
    const a = new Process('a', clock, server);
    await clock.advance(10);
    const b = new Process('b', clock, server);
    await clock.advance(10_000);
    a.pause();
    await clock.advance(13_000);
    expect(b.elector.isLeader()).toBe(false);
    await clock.advance(7_000);
    expect([a.elector.isLeader(), b.elector.isLeader()]).toEqual([false, true]);
  });

  test('a lease that is deleted again and again is not taken from its leader by the other', async () => {
    const { clock, server } = setUp();
    const a = new Process('a', clock, server);
    await clock.advance(10);
    const b = new Process('b', clock, server);
    await clock.advance(10_000);
    for (let time = 0; time < 40; time += 1) {
      server.lease = undefined;
      for (let waited = 0; waited < 2_300; waited += 100) {
        await clock.advance(100);
        expect([a.elector.isLeader(), b.elector.isLeader()]).toEqual([true, false]);
      }
    }
    expect(a.journal).toEqual(['started']);
  });

  test.each([
    ['after it would have run out', undefined, 10_000, 10_000],
    ['after five minutes, however long its holder asked for', 2_147_483_647_000, 285_000, 20_000],
  ])(
    'a lease that is deleted when its leader has died is made anew %s',
    async (_, leaseDurationMs, waits, more) => {
      const { clock, server } = setUp();
      const a = new Process('a', clock, server, leaseDurationMs === undefined ? {} : { leaseDurationMs });
      await clock.advance(10);
      const b = new Process('b', clock, server);
      await clock.advance(10_000);
      a.pause();
      server.lease = undefined;
      await clock.advance(waits);
      expect(b.elector.isLeader()).toBe(false);
      await clock.advance(more);
      expect([a.elector.isLeader(), b.elector.isLeader()]).toEqual([false, true]);
    },
  );

  test('a leader that was stopped for a minute finds at its first check that it is none', async () => {
    const { clock, server } = setUp();
    const a = new Process('a', clock, server);
    await clock.advance(10);
    const b = new Process('b', clock, server);
    await clock.advance(10_000);
    a.pause();
    await clock.advance(60_000);
    // Before any timer or answer could show it.
    expect(a.elector.isLeader()).toBe(false);
    a.resume();
    await clock.advance(0);
    expect(a.elector.isLeader()).toBe(false);
    expect(await a.end).toBe('lost');
    expect(b.elector.isLeader()).toBe(true);
  });

  test('a machine that was suspended, where the monotonic clock stood still, is in doubt until it has renewed', async () => {
    const { clock, server } = setUp();
    const a = new Process('a', clock, server);
    await clock.advance(1000);
    a.stepWallClock(60_000);
    expect(a.elector.isLeader()).toBe(false);
    await clock.advance(2000);
    expect(a.elector.isLeader()).toBe(true);
    expect(a.journal).toEqual(['started']);
  });

  test.each([-3_600_000, 3_600_000, 86_400_000])('clocks that differ by %d ms do no harm', async (skew) => {
    const { clock, server } = setUp();
    const a = new Process('a', clock, server);
    a.stepWallClock(skew);
    await clock.advance(10);
    const b = new Process('b', clock, server);
    await clock.advance(60_000);
    expect([a.elector.isLeader(), b.elector.isLeader()]).toEqual([true, false]);
  });
});

test.each([
  [{ identity: '' }, 'identity must not be empty'],
  [
    { renewDeadlineMs: 15_000 },
    'renewDeadlineMs (15000) + sendWithinMs (4000) must be less than leaseDurationMs (15000)',
  ],
  [{ sendWithinMs: 5000 }, 'sendWithinMs (5000) must be less than'],
  [{ retryPeriodMs: 9000 }, 'renewDeadlineMs (10000) must be more than 1.2 times retryPeriodMs (9000)'],
  [{ leaseDurationMs: 0 }, 'leaseDurationMs must be positive, not 0'],
])('%j cannot work and is refused', (options, message) => {
  const { clock, server } = setUp();
  expect(() => new Process('a', clock, server, options)).toThrow(message);
});

type Act =
  | { readonly act: 'wait'; readonly milliseconds: number }
  | { readonly act: 'pause'; readonly who: number }
  | { readonly act: 'resume'; readonly who: number }
  | { readonly act: 'stop'; readonly who: number }
  | { readonly act: 'start'; readonly who: number }
  | { readonly act: 'step'; readonly who: number; readonly milliseconds: number };

const weather: fc.Arbitrary<Weather> = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Weather>({ kind: 'answered', before: 1, after: 1 }) },
  fc.record({ kind: fc.constant('answered' as const), before: fc.nat(9000), after: fc.nat(9000) }),
  fc.record({ kind: fc.constant('answer-lost' as const), before: fc.nat(20_000) }),
  fc.record({ kind: fc.constant('never-arrived' as const) }),
  fc.record({ kind: fc.constant('refused' as const), code: fc.constantFrom(429, 500, 503) }),
);

const candidates = 3;
const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      act: fc.constant('wait' as const),
      milliseconds: fc.integer({ min: 1, max: 9000 }),
    }),
  },
  fc.record({ act: fc.constantFrom('pause' as const, 'resume' as const), who: fc.nat(candidates - 1) }),
  fc.record({ act: fc.constantFrom('stop' as const, 'start' as const), who: fc.nat(candidates - 1) }),
  fc.record({
    act: fc.constant('step' as const),
    who: fc.nat(candidates - 1),
    milliseconds: fc.integer({ min: -60_000, max: 60_000 }),
  }),
);

test('never two leaders, whatever becomes of requests, processes and clocks; and one when all is well again', async () => {
  const sendWithinMs = 4000;
  const step = 250;
  await fc.assert(
    fc.asyncProperty(
      fc.array(act, { maxLength: 40 }),
      fc.array(weather, { minLength: 1, maxLength: 60 }),
      async (acts, days) => {
        const { clock, server } = setUp();
        let day = 0;
        server.weather = () => days[day++ % days.length] ?? { kind: 'never-arrived' };
        const running = new Map<number, Process>();
        const ended: Process[] = [];
        let generation = 0;
        /** Until when a write of somebody who led may still be sent. */
        let lastLed: { process: Process; at: number } | undefined;

        const look = (): void => {
          const leaders = [...running.values(), ...ended].filter(({ elector }) => elector.isLeader());
          expect(leaders.map(({ identity }) => identity).length).toBeLessThanOrEqual(1);
          const [leader] = leaders;
          if (leader === undefined) return;
          const handedOver =
            lastLed === undefined ||
            lastLed.process === leader ||
            lastLed.process.journal.at(-1) === 'stopped';
          const quietFor = clock.monotonic() - (lastLed?.at ?? 0);
          expect(handedOver || quietFor + step >= sendWithinMs).toBe(true);
          lastLed = { process: leader, at: clock.monotonic() };
        };
        const pass = async (milliseconds: number): Promise<void> => {
          for (let left = milliseconds; left > 0; left -= step) {
            await clock.advance(Math.min(step, left));
            look();
          }
        };
        const start = (who: number): void => {
          if (!running.has(who))
            running.set(who, new Process(`${who}-${generation++}`, clock, server, { sendWithinMs }));
        };

        for (let who = 0; who < candidates; who++) start(who);
        for (const next of acts) {
          if (next.act === 'wait') await pass(next.milliseconds);
          else if (next.act === 'start') start(next.who);
          else if (next.act === 'stop') {
            const process = running.get(next.who);
            if (process === undefined) continue;
            process.stop();
            ended.push(process);
            running.delete(next.who);
          } else if (next.act === 'pause') running.get(next.who)?.pause();
          else if (next.act === 'resume') running.get(next.who)?.resume();
          else running.get(next.who)?.stepWallClock(next.milliseconds);
          await flushTasks();
          look();
        }

        server.weather = () => ({ kind: 'answered', before: 1, after: 1 });
        for (const process of [...running.values(), ...ended]) process.resume();
        await pass(30_000);
        for (const [who, process] of running) {
          // Who lost the lease ends, as its process would, and is started anew.
          if (process.journal.at(-1) !== 'stopped') continue;
          ended.push(process);
          running.delete(who);
          start(who);
        }
        if (running.size === 0) start(0);
        await pass(40_000);
        expect([...running.values()].filter(({ elector }) => elector.isLeader())).toHaveLength(1);
      },
    ),
    { numRuns: 60 },
  );
});
