import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { FakeClock } from '../testing/fake-clock.ts';
import { silentLogger, type Logger } from '../telemetry/logger.ts';
import { createCertificateAuthority, issueCertificate, type KeyAndCertificate } from './certificate.ts';
import { DirectoryCertificates } from './directory-certificates.ts';
import type { ServingCertificate } from './serving-certificate.ts';

let directory: string;
let stop: AbortController;
let running: Promise<void>;
let clock: FakeClock;
let used: ServingCertificate[];
let warnings: { readonly message: string; readonly problem?: string }[];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'atoll-certificates-'));
  [stop, clock, used, warnings] = [new AbortController(), new FakeClock(), [], []];
  const logger: Logger = {
    ...silentLogger,
    warn: (fields, message) => void warnings.push({ message, ...fields }),
  };
  const source = new DirectoryCertificates({ directory, clock, logger });
  running = source.run(stop.signal, (certificate) => used.push(certificate));
});

afterEach(async () => {
  stop.abort();
  // Not earlier: it would report to the next test that its directory is gone.
  await running;
  await rm(directory, { recursive: true });
});

const authority = await createCertificateAuthority('somebody');
const dayMs = 24 * 60 * 60 * 1000;
/** Valid from now on for this long. */
const make = async (now = clock.now(), lifetimeMs = dayMs): Promise<KeyAndCertificate> =>
  issueCertificate(authority, { commonName: 'webhook', usage: 'server' }, { now, lifetimeMs });

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

/** What is warned of, each once, however often the files are read. */
async function warns(message: string, problem: string): Promise<void> {
  const look = async (): Promise<void> => {
    await clock.advance(10_000);
    expect(warnings.at(-1)).toMatchObject({ message });
    expect(warnings.at(-1)?.problem).toContain(problem.replaceAll('DIR', directory));
  };
  await vi.waitFor(look, { timeout: 30_000, interval: 10 });
  const { length } = warnings;
  for (let round = 0; round < 5; round += 1) {
    await clock.advance(10_000);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  expect(warnings).toHaveLength(length);
}

it.each<readonly [string, (good: KeyAndCertificate) => KeyAndCertificate | undefined, string]>([
  ['no files', () => undefined, "no such file or directory, open 'DIR/tls.crt'"],
  [
    'no certificate',
    (good) => ({ ...good, certificatePem: 'nonsense' }),
    'DIR/tls.crt holds no certificate in PEM',
  ],
  [
    'a key in its place',
    (good) => ({ ...good, certificatePem: good.keyPem }),
    'DIR/tls.crt holds no certificate in PEM',
  ],
  [
    'no key',
    (good) => ({ ...good, keyPem: '' }),
    'DIR/tls.key holds no private key in PEM that can be read without',
  ],
])(
  'logs once what is wrong where the directory has %s, and takes it when it is right',
  async (_, spoil, problem) => {
    const good = await make();
    const files = spoil(good);
    if (files !== undefined) await mount(files);
    await warns('certificate files cannot be used', problem);
    expect(used).toEqual([]);
    await mount(good);
    await uses(good);
  },
);

it('logs that the key is that of another certificate', async () => {
  const [first, second] = [await make(), await make()];
  await mount({ ...first, keyPem: second.keyPem });
  await warns(
    'certificate files cannot be used',
    'the key in DIR/tls.key is not that of the certificate beside it',
  );
  expect(used).toEqual([]);
});

it('serves a certificate that expires while it is served, logs once that it has, and takes the next one', async () => {
  const old = await make(clock.now(), 60_000);
  await mount(old);
  await uses(old);
  expect(warnings.filter(({ message }) => message.startsWith('clients'))).toEqual([]);
  await clock.advance(60_000);
  await warns(
    'clients refuse the certificate that is served',
    'the certificate in DIR/tls.crt has expired at 20',
  );
  const next = await make();
  await mount(next);
  await uses(old, next);
});

it('logs that a certificate is not valid yet', async () => {
  await mount(await make(clock.now() + 2 * dayMs));
  await warns(
    'clients refuse the certificate that is served',
    'the certificate in DIR/tls.crt is valid only from 20',
  );
  expect(used).toHaveLength(1);
});
