import { describe, expect, it, vi } from 'vitest';
import { FakeClock } from '../testing/fake-clock.ts';
import { FakeLeaseServer, type Weather } from '../testing/fake-lease-server.ts';
import { silentLogger } from '../telemetry/logger.ts';
import { LeaderElector } from './leader-election.ts';

function setUp(days: Weather[] = []) {
  const clock = new FakeClock();
  const server = new FakeLeaseServer(clock);
  server.weather = () => days.shift() ?? { kind: 'answered', before: 0, after: 0 };
  const stop = new AbortController();
  const started = vi.fn<() => void>();
  const elector = new LeaderElector({
    client: server.clientFor((callback) => callback()),
    lease: { namespace: 'atoll-system', name: 'atoll' },
    identity: 'a',
    clock,
    logger: silentLogger,
    random: () => 0.5,
    onStartedLeading: started,
  });
  const end = elector.run(stop.signal);
  const takeOver = (): void => {
    if (server.lease === undefined) throw new Error('there is no lease');
    const { metadata, spec } = server.lease;
    const resourceVersion = `${metadata.resourceVersion}-b`;
    server.lease = {
      ...server.lease,
      metadata: { ...metadata, resourceVersion },
      spec: { ...spec, holderIdentity: 'b', renewTime: '2030-01-01T00:00:00.000000Z' },
    };
  };
  return { clock, server, stop, elector, end, takeOver, started };
}

it('a leader that sees another holder at a renewal stops, and does not release the lease of the other', async () => {
  const { clock, server, elector, end, takeOver } = setUp();
  await clock.advance(1000);
  expect(elector.isLeader()).toBe(true);
  takeOver();
  const theirs = server.lease;
  await clock.advance(5000);
  expect(await end).toBe('lost');
  expect(server.lease).toBe(theirs);
});

it('a leader that ends after another has taken the lease does not release it', async () => {
  const { clock, server, stop, end, takeOver } = setUp();
  await clock.advance(1000);
  takeOver();
  const theirs = server.lease;
  stop.abort();
  await clock.advance(0);
  expect(await end).toBe('stopped');
  expect(server.lease).toBe(theirs);
});

describe('a candidate that is to end while it takes the lease', () => {
  const endsWhileItTakes = async (write: Weather) => {
    const { clock, server, stop, elector, end, started } = setUp([
      { kind: 'answered', before: 0, after: 0 },
      write,
    ]);
    await clock.advance(100);
    stop.abort();
    await clock.advance(0);
    expect(elector.isLeader()).toBe(false);
    await clock.advance(5000);
    expect(await end).toBe('stopped');
    expect(started).not.toHaveBeenCalled();
    expect(clock.pending).toBe(0);
    return server.lease?.spec?.holderIdentity;
  };

  it('gives it back when the answer comes', async () => {
    expect(await endsWhileItTakes({ kind: 'answered', before: 0, after: 1000 })).toBe('');
  });

  it('gives it back when the write arrives later', async () => {
    expect(await endsWhileItTakes({ kind: 'answered', before: 1000, after: 0 })).toBe('');
  });

  it('gives it back where the answer is lost', async () => {
    expect(await endsWhileItTakes({ kind: 'answer-lost', before: 0 })).toBe('');
  });

  it('ends where the server does not answer', async () => {
    expect(await endsWhileItTakes({ kind: 'never-arrived' })).toBeUndefined();
  });
});

it('a candidate that has never tried to take the lease sends nothing when it ends', async () => {
  const { clock, server, stop, end } = setUp([{ kind: 'refused', code: 503 }]);
  await clock.advance(100);
  stop.abort();
  await clock.advance(0);
  expect([await end, server.requests]).toEqual(['stopped', 1]);
});
