import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { FakeClock } from '../testing/fake-clock.ts';
import { silentLogger } from '../telemetry/logger.ts';
import { createCertificateAuthority, issueCertificate, type KeyAndCertificate } from './certificate.ts';
import { DirectoryCertificates } from './directory-certificates.ts';
import type { ServingCertificate } from './serving-certificate.ts';

let directory: string;
let stop: AbortController;
let clock: FakeClock;
let used: ServingCertificate[];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'atoll-certificates-'));
  [stop, clock, used] = [new AbortController(), new FakeClock(), []];
  const source = new DirectoryCertificates({ directory, clock, logger: silentLogger });
  void source.run(stop.signal, (certificate) => used.push(certificate));
});

afterEach(async () => {
  stop.abort();
  await rm(directory, { recursive: true });
});

const authority = await createCertificateAuthority('somebody');
const make = async (): Promise<KeyAndCertificate> =>
  issueCertificate(authority, { commonName: 'webhook', usage: 'server' });

async function mount({ certificatePem, keyPem }: KeyAndCertificate): Promise<void> {
  await writeFile(join(directory, 'tls.crt'), certificatePem);
  await writeFile(join(directory, 'tls.key'), keyPem);
}

async function uses(...expected: readonly KeyAndCertificate[]): Promise<void> {
  const look = async (): Promise<void> => {
    await clock.advance(10_000);
    expect(used).toEqual(expected.map((each) => ({ ...each, trustBundle: undefined })));
  };
  await vi.waitFor(look, { timeout: 30_000, interval: 10 });
}

it('waits for files that are not there yet, and takes them when they change', async () => {
  await clock.advance(30_000);
  expect(used).toEqual([]);
  const [first, second] = [await make(), await make()];
  await mount(first);
  await uses(first);
  await mount(second);
  await uses(first, second);
});

it('keeps what it has while key and certificate do not belong together', async () => {
  const [first, second] = [await make(), await make()];
  await mount(first);
  await uses(first);
  await mount({ certificatePem: second.certificatePem, keyPem: first.keyPem });
  for (let round = 0; round < 5; round += 1) await clock.advance(10_000);
  expect(used).toHaveLength(1);
  await mount(second);
  await uses(first, second);
});
