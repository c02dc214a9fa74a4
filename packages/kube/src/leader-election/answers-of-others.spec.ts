import { expect, it, vi } from 'vitest';
import { systemClock } from '../clock/clock.ts';
import { silentLogger } from '../telemetry/logger.ts';
import { answerJson, answerStatus, TestServer } from '../testing/test-server.ts';
import { LeaderElector } from './leader-election.ts';

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
