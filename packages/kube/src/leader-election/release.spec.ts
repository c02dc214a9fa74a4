import { expect, it } from 'vitest';
import { FakeClock } from '../testing/fake-clock.ts';
import { FakeLeaseServer } from '../testing/fake-lease-server.ts';
import { silentLogger } from '../telemetry/logger.ts';
import { LeaderElector } from './leader-election.ts';

function setUp() {
  const clock = new FakeClock();
  const server = new FakeLeaseServer(clock);
  const stop = new AbortController();
  const elector = new LeaderElector({
    client: server.clientFor((callback) => callback()),
    lease: { namespace: 'atoll-system', name: 'atoll' },
    identity: 'a',
    clock,
    logger: silentLogger,
    random: () => 0.5,
    onStartedLeading: () => undefined,
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
  return { clock, server, stop, elector, end, takeOver };
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
