import { KeyObject, webcrypto, X509Certificate } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ApiError } from '../client/api-error.ts';
import type { KubeObject } from '../objects/object.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { silentLogger } from '../telemetry/logger.ts';
import { FakeSecretServer } from '../testing/fake-secret-server.ts';
import { refusalOf } from '../testing/refusal-of.ts';
import { SecretCertificates } from './secret-certificates.ts';
import { splitPem } from './certificate-secret.ts';
// Loaded here already, because that takes time on a busy machine.
import type { KeyAndCertificate } from './certificate.ts';
import './certificate.ts';
import { BasicConstraintsExtension, X509CertificateGenerator } from '@peculiar/x509';
import type { ServingCertificate } from './serving-certificate.ts';
import { day, webhookNeeds } from './webhook-needs.fixture.ts';

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
    needs: { ...webhookNeeds, hosts },
    fieldManager: 'test',
    clock,
    logger: silentLogger,
  });
  const signal = AbortSignal.any([ends.signal, stop.signal]);
  void source.run(signal, (certificate) => used.push(certificate));
  return { used, stop: () => ends.abort() };
}

const rsa = {
  name: 'RSASSA-PKCS1-v1_5',
  hash: 'SHA-256',
  publicExponent: Uint8Array.of(1, 0, 1),
  modulusLength: 2048,
};
const p256 = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const p384 = { ...p256, namedCurve: 'P-384' };

interface Kind {
  readonly name: string;
  readonly subject: string;
  readonly isAuthority: boolean;
}

/** As somebody makes an authority with other tools. */
async function selfSigned(
  { subject, isAuthority, ...algorithm }: Kind,
  now: number,
): Promise<KeyAndCertificate> {
  const keys = (await webcrypto.subtle.generateKey(algorithm, true, [
    'sign',
    'verify',
  ])) as webcrypto.CryptoKeyPair;
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: subject,
    notBefore: new Date(now - day),
    notAfter: new Date(now + 300 * day),
    keys,
    signingAlgorithm: algorithm,
    extensions: [new BasicConstraintsExtension(isAuthority, undefined, true)],
  });
  const keyPem = KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' }).toString();
  return { certificatePem: certificate.toString('pem'), keyPem };
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
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

  it.each([
    ['with a key of another kind', { ...rsa, isAuthority: true, subject: 'CN=ours' }],
    ['with a curve of another size', { ...p384, isAuthority: true, subject: 'CN=ours' }],
    ['of an organisation', { ...p256, isAuthority: true, subject: 'O=we, CN=ours' }],
    ['that is none', { ...p256, isAuthority: false, subject: 'CN=ours' }],
  ])('are made anew where somebody puts an authority there %s', async (_, kind) => {
    const [server, clock] = [new FakeSecretServer(), new FakeClock()];
    const { used } = replica(server, clock);
    await pass(clock, 0, () => used.length === 1);
    const theirs = await selfSigned(kind, clock.now());
    server.damage({ 'ca.crt': base64(theirs.certificatePem), 'ca.key': base64(theirs.keyPem) });
    await pass(clock, 60_000, () => used.length === 2);
    const leaf = new X509Certificate(used[1]?.certificatePem ?? '');
    const trusted = splitPem(used[1]?.trustBundle ?? '').map((pem) => new X509Certificate(pem));
    expect(trusted.some(({ ca, publicKey }) => ca && leaf.verify(publicKey))).toBe(true);
    // What it signed may still be served somewhere.
    expect(trusted.map(({ subject }) => subject)).toContain(
      new X509Certificate(theirs.certificatePem).subject,
    );
    await clock.advance(60 * 60_000);
    expect([server.writes, used.length]).toEqual([2, 2]);
  });

  it('are made anew where somebody puts another authority there that is to sign next', async () => {
    const [server, clock] = [new FakeSecretServer(), new FakeClock()];
    const { used } = replica(server, clock);
    await pass(clock, 0, () => used.length === 1);
    const theirs = await selfSigned({ ...rsa, isAuthority: true, subject: 'CN=ours' }, clock.now());
    const bundle = theirs.certificatePem + used[0]?.trustBundle;
    server.damage({ 'ca.crt': base64(bundle), 'next-ca.key': base64(theirs.keyPem) });
    await pass(clock, 60_000, () => used.length === 2);
    await pass(clock, 2 * day, () => true);
    expect([server.writes, used.length]).toEqual([2, 2]);
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

describe('what is in the way of certificates is logged', () => {
  interface Line {
    readonly message: string;
    readonly cause: string | undefined;
  }

  function refusing(server: FakeSecretServer, clock: FakeClock) {
    const lines: Line[] = [];
    const problem: { get: string | undefined; apply: string | undefined; attempts: number } = {
      get: undefined,
      apply: undefined,
      attempts: 0,
    };
    const refused = (message: string): ApiError => {
      problem.attempts += 1;
      return refusalOf(403, 'secrets', message);
    };
    const log = (fields: object, message: string): void => {
      const { err } = fields as { readonly err?: Error };
      lines.push({ message, cause: err?.message });
    };
    const client = {
      get: async () => (problem.get === undefined ? server.get() : Promise.reject(refused(problem.get))),
      apply: async (resource: unknown, object: KubeObject) =>
        problem.apply === undefined ? server.apply(resource, object) : Promise.reject(refused(problem.apply)),
    };
    const source = new SecretCertificates({
      client: client as never,
      secret: { namespace: 'system', name: 'webhook' },
      needs: webhookNeeds,
      fieldManager: 'test',
      clock,
      logger: { ...silentLogger, info: log, warn: log },
    });
    const used: ServingCertificate[] = [];
    const begin = (): void => void source.run(stop.signal, (certificate) => used.push(certificate));
    return { lines, problem, used, begin };
  }

  it('when it changes, and at most once a minute while it stays, however often it is tried', async () => {
    const clock = new FakeClock();
    const { lines, problem, begin } = refusing(new FakeSecretServer(), clock);
    problem.get = 'first';
    begin();
    for (let second = 0; second < 300; second += 5) await clock.advance(5_000);
    expect(problem.attempts).toBeGreaterThan(50);
    expect(lines.length).toBeGreaterThanOrEqual(4);
    expect(lines.length).toBeLessThanOrEqual(6);
    const before = lines.length;
    problem.get = 'second';
    await clock.advance(5_000);
    expect(lines.length).toBe(before + 1);
    expect(lines.at(-1)?.cause).toContain('second');
  });

  it('each cause at most once a minute, also where two take turns', async () => {
    const clock = new FakeClock();
    const { lines, problem, begin } = refusing(new FakeSecretServer(), clock);
    problem.get = 'first';
    begin();
    for (let second = 0; second < 300; second += 5) {
      problem.get = second % 10 === 0 ? 'second' : 'first';
      await clock.advance(5_000);
    }
    expect(problem.attempts).toBeGreaterThan(50);
    expect(lines.length).toBeLessThanOrEqual(12);
    expect(lines.length).toBeGreaterThanOrEqual(8);
  });

  it('also while the clock of the machine is set back', async () => {
    const clock = new FakeClock();
    const { lines, problem, begin } = refusing(new FakeSecretServer(), clock);
    problem.get = 'first';
    begin();
    await clock.advance(5_000);
    clock.stepWallClock(-day);
    for (let second = 0; second < 120; second += 5) await clock.advance(5_000);
    expect(lines.length).toBeGreaterThanOrEqual(2);
  });

  it('and a change of certificates when it is written, not when it is tried', async () => {
    const clock = new FakeClock();
    const { lines, problem, used, begin } = refusing(new FakeSecretServer(), clock);
    problem.apply = 'a policy refuses it';
    begin();
    await pass(clock, 0, () => problem.attempts >= 1);
    await pass(clock, 5_000, () => problem.attempts >= 2);
    expect(lines.map(({ message }) => message)).toEqual(['no certificates yet']);
    problem.apply = undefined;
    await pass(clock, 5_000, () => used.length === 1);
    expect(new Set(lines.slice(1).map(({ message }) => message))).toEqual(new Set(['certificates change']));
  });

  it('also where those that there are cannot be renewed', async () => {
    const [server, clock] = [new FakeSecretServer(), new FakeClock()];
    const first = replica(server, clock);
    await pass(clock, 0, () => first.used.length === 1);
    first.stop();
    await clock.advance(61 * day);
    const { lines, problem, begin } = refusing(server, clock);
    problem.apply = 'a policy refuses it';
    begin();
    await pass(clock, 0, () => problem.attempts >= 1);
    await pass(clock, 5_000, () => problem.attempts >= 2);
    await pass(clock, 5_000, () => problem.attempts >= 3);
    expect(lines.map(({ message }) => message)).toEqual(['certificates cannot be renewed']);
  });
});
