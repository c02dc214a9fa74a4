import { expect, it, vi } from 'vitest';
import { FakeClock } from '../testing/fake-clock.ts';
import { silentLogger } from '../telemetry/logger.ts';
import { FakeSecretServer } from '../testing/fake-secret-server.ts';
import { refusalOf } from '../testing/refusal-of.ts';
import { SecretCertificates } from '../certificates/secret-certificates.ts';
import '../certificates/certificate.ts';
import type { ServingCertificate } from '../certificates/serving-certificate.ts';
import { day, webhookNeeds } from './webhook-needs.fixture.ts';

function replica(
  server: Pick<FakeSecretServer, 'get' | 'apply'>,
  clock: FakeClock,
  signal: AbortSignal,
): ServingCertificate[] {
  const used: ServingCertificate[] = [];
  const source = new SecretCertificates({
    client: server as never,
    secret: { namespace: 'system', name: 'webhook' },
    needs: webhookNeeds,
    fieldManager: 'test',
    clock,
    logger: silentLogger,
  });
  void source.run(signal, (certificate) => used.push(certificate));
  return used;
}

it('serves with the valid certificate of a Secret in which what is due cannot be written', async () => {
  const [server, clock] = [new FakeSecretServer(), new FakeClock()];
  const [first, second] = [new AbortController(), new AbortController()];
  const used = replica(server, clock, first.signal);
  await vi.waitFor(
    async () => {
      await clock.advance(0);
      expect(used.length).toBe(1);
    },
    { timeout: 20_000, interval: 10 },
  );
  first.abort();
  // Two thirds of 90 days are over: it is to be renewed, and is valid for 29 days more.
  await clock.advance(61 * day);
  const refusing = {
    get: server.get.bind(server),
    apply: () => Promise.reject(refusalOf(403, 'apply secrets', 'a policy refuses it')),
  };
  const again = replica(refusing as never, clock, second.signal);
  for (let i = 0; i < 60 && again.length === 0; i += 1) {
    await clock.advance(5_000);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  second.abort();
  expect(again.length).toBe(1);
}, 30_000);
