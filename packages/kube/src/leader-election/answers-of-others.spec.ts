import { expect, it, vi } from 'vitest';
import { systemClock } from '../clock/clock.ts';
import { silentLogger } from '../telemetry/logger.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { FakeLeaseServer } from '../testing/fake-lease-server.ts';
import type { Stored } from '../objects/object.ts';
import type { Lease } from '../types/index.ts';
import { answerJson, answerStatus, TestServer } from '../testing/test-server.ts';
import { LeaderElector, type LeaderElectionOptions } from './leader-election.ts';

it('a candidate whose new lease is answered with 200 and a Status, as by a gateway, does not lead', async () => {
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code: 503 };
  await using server = await TestServer.start(({ method }, response) =>
    method === 'GET'
      ? answerStatus(response, 404, 'NotFound', 'leases "atoll" not found')
      : answerJson(response, 200, status),
  );
  const started = vi.fn<() => void>();
  const elector = new LeaderElector({
    client: server.client(),
    lease: { namespace: 'atoll-system', name: 'atoll' },
    identity: 'a',
    clock: systemClock,
    logger: silentLogger,
    leaseDurationMs: 900,
    renewDeadlineMs: 600,
    sendWithinMs: 100,
    retryPeriodMs: 20,
    onStartedLeading: started,
  });
  const stop = new AbortController();
  const end = elector.run(stop.signal);
  await vi.waitFor(() => expect(server.requests.length).toBeGreaterThan(3), { timeout: 5_000 });
  stop.abort();
  expect(await end).toBe('stopped');
  expect(started).not.toHaveBeenCalled();
});

it('a renewal that is answered with another holder is none, and the leader ends with its deadline', async () => {
  const clock = new FakeClock();
  const server = new FakeLeaseServer(clock);
  const client = server.clientFor((callback) => callback());
  const update = async (...request: Parameters<typeof client.update>) => {
    const written: Stored<Lease> = await client.update(...request);
    return { ...written, spec: { ...written.spec, holderIdentity: 'b' } };
  };
  const elector = new LeaderElector({
    client: { ...client, update: update as LeaderElectionOptions['client']['update'] },
    lease: { namespace: 'atoll-system', name: 'atoll' },
    identity: 'a',
    clock,
    logger: silentLogger,
    onStartedLeading: () => undefined,
  });
  const end = elector.run(new AbortController().signal);
  await clock.advance(1_000);
  expect(elector.isLeader()).toBe(true);
  await clock.advance(9_000);
  expect(elector.isLeader()).toBe(false);
  await clock.advance(10_000);
  expect(await end).toBe('lost');
});
