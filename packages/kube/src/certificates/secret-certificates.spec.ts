import { X509Certificate } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FakeClock } from '../testing/fake-clock.ts';
import { silentLogger } from '../telemetry/logger.ts';
import { FakeSecretServer } from '../testing/fake-secret-server.ts';
import { SecretCertificates } from './secret-certificates.ts';
import { splitPem } from './certificate-secret.ts';
// Loaded here already, because that takes time on a busy machine.
import './certificate.ts';
import type { ServingCertificate } from './serving-certificate.ts';

const day = 24 * 60 * 60 * 1000;
let stop: AbortController;
beforeEach(() => void (stop = new AbortController()));
afterEach(() => stop.abort());

interface Replica {
  readonly used: ServingCertificate[];
  readonly stop: () => void;
}

function replica(server: FakeSecretServer, clock: FakeClock, hosts = ['webhook.system.svc']): Replica {
  const used: ServingCertificate[] = [];
  const ends = new AbortController();
  const source = new SecretCertificates({
    client: server,
    secret: { namespace: 'system', name: 'webhook' },
    needs: {
      name: 'webhook',
      hosts,
      authorityLifetimeMs: 360 * day,
      servingLifetimeMs: 90 * day,
      overlapMs: day,
    },
    fieldManager: 'test',
    clock,
    logger: silentLogger,
  });
  const signal = AbortSignal.any([ends.signal, stop.signal]);
  void source.run(signal, (certificate) => used.push(certificate));
  return { used, stop: () => ends.abort() };
}

/** Key pairs are made outside of the event loop, so each step of the clock waits until all is done. */
async function pass(clock: FakeClock, milliseconds: number, done: () => boolean): Promise<void> {
  await clock.advance(milliseconds);
  const look = async (): Promise<void> => {
    await clock.advance(0);
    expect(done()).toBe(true);
  };
  await vi.waitFor(look, { timeout: 60_000, interval: 10 });
}

describe('certificates in a Secret', () => {
  it('are made once, however many replicas begin at the same time', async () => {
    const [server, clock] = [new FakeSecretServer(), new FakeClock()];
    const replicas = [replica(server, clock), replica(server, clock), replica(server, clock)];
    await pass(clock, 0, () => replicas.every(({ used }) => used.length === 1));
    expect(server.writes).toBe(1);
    expect(new Set(replicas.map(({ used }) => used[0]?.certificatePem)).size).toBe(1);
  });

  it('are read again and left alone by who comes later, and by later checks', async () => {
    const [server, clock] = [new FakeSecretServer(), new FakeClock()];
    const first = replica(server, clock);
    await pass(clock, 0, () => first.used.length === 1);
    const second = replica(server, clock);
    await pass(clock, 0, () => second.used.length === 1);
    await clock.advance(60 * 60_000);
    expect([server.writes, first.used.length, second.used.length]).toEqual([1, 1, 1]);
    expect(second.used[0]).toEqual(first.used[0]);
  });

  it('reach every replica within a minute when one of them renews', async () => {
    const [server, clock] = [new FakeSecretServer(), new FakeClock()];
    const replicas = [replica(server, clock), replica(server, clock)];
    await pass(clock, 0, () => replicas.every(({ used }) => used.length === 1));
    clock.freeze(60 * day);
    await pass(clock, 60_000, () => replicas.every(({ used }) => used.length === 2));
    await pass(clock, 60_000, () => server.writes === 2);
    expect(replicas[0]?.used[1]).toEqual(replicas[1]?.used[1]);
    const [before, after] = replicas[0]?.used ?? [];
    expect(after?.certificatePem).not.toBe(before?.certificatePem);
    expect(after?.trustBundle).toBe(before?.trustBundle);
  });

  it('trust the new authority a day before it signs', async () => {
    const [server, clock] = [new FakeSecretServer(), new FakeClock()];
    const { used } = replica(server, clock);
    await pass(clock, 0, () => used.length === 1);
    clock.freeze(240 * day);
    await pass(clock, 60_000, () => used.length === 2);
    const issuer = (certificate: ServingCertificate | undefined): string =>
      new X509Certificate(certificate?.certificatePem ?? '').issuer;
    expect(splitPem(used[1]?.trustBundle ?? '')).toHaveLength(2);
    expect(issuer(used[1])).toBe(issuer(used[0]));
    clock.freeze(day);
    await pass(clock, 60_000, () => used.length === 3);
    expect(used[2]?.trustBundle).toBe(used[1]?.trustBundle);
    expect(issuer(used[2])).not.toBe(issuer(used[1]));
  });

  it('are taken from another replica that was quicker', async () => {
    const [server, clock] = [new FakeSecretServer(), new FakeClock()];
    const another = new FakeSecretServer();
    const theirs = replica(another, clock);
    await pass(clock, 0, () => theirs.used.length === 1);
    server.beforeWrite = async () => void (server.secret = another.secret);
    const { used } = replica(server, clock);
    await pass(clock, 0, () => used.length === 1);
    expect(used[0]).toEqual(theirs.used[0]);
    expect(server.writes).toBe(0);
  });

  it('are made anew where somebody deletes or damages the Secret', async () => {
    const [server, clock] = [new FakeSecretServer(), new FakeClock()];
    const { used } = replica(server, clock);
    await pass(clock, 0, () => used.length === 1);
    server.secret = undefined;
    await pass(clock, 60_000, () => used.length === 2);
    server.damage({ 'ca.key': 'bm9uZQ==' });
    await pass(clock, 60_000, () => used.length === 3);
    expect(server.writes).toBe(3);
  });

  it('are had under an IPv6 address', async () => {
    const [server, clock] = [new FakeSecretServer(), new FakeClock()];
    const { used } = replica(server, clock, ['2001:db8::1']);
    await pass(clock, 0, () => used.length === 1);
    expect(server.writes).toBe(1);
  });

  it('are tried for again while the API server is away, and those that there are stay in use', async () => {
    const [server, clock] = [new FakeSecretServer(), new FakeClock()];
    server.away = true;
    const { used } = replica(server, clock);
    await clock.advance(60_000);
    expect(used).toEqual([]);
    server.away = false;
    await pass(clock, 5_000, () => used.length === 1);
  });
});
