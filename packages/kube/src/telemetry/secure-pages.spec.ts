import { request as httpsRequest } from 'node:https';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  createCertificateAuthority,
  issueCertificate,
  type CertificateAuthority,
  type KeyAndCertificate,
} from '../certificates/certificate.ts';
import type { CertificateSource, ServingCertificate } from '../certificates/serving-certificate.ts';
import { ended } from '../manager/ended.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { silentLogger, type Logger } from './logger.ts';
import { createMetrics } from './metrics.ts';
import type { PageAccess } from './page-access.ts';
import type { Pages } from './pages.ts';
import { SecurePages } from './secure-pages.ts';

/** Gives what the test gives it. */
class Given implements CertificateSource {
  readonly #running = Promise.withResolvers<(certificate: ServingCertificate) => void>();

  async run(signal: AbortSignal, use: (certificate: ServingCertificate) => void): Promise<void> {
    this.#running.resolve(use);
    await ended(signal);
  }

  async give(certificate: KeyAndCertificate): Promise<void> {
    (await this.#running.promise)({ ...certificate, trustBundle: undefined });
  }
}

const host = 'metrics.example';
const dayMs = 24 * 60 * 60 * 1000;
let authority: CertificateAuthority;
let stranger: CertificateAuthority;
let lines: { readonly message: string; readonly port?: number }[];
let source: Given;
let stop: AbortController;
let running: Promise<void>;

const logger: Logger = {
  ...silentLogger,
  info: (fields, message) => void lines.push({ message, ...fields }),
  error: (fields, message) => void lines.push({ message, ...fields }),
};

beforeAll(async () => {
  [authority, stranger] = [
    await createCertificateAuthority('ours'),
    await createCertificateAuthority('theirs'),
  ];
});

beforeEach(() => {
  [lines, source, stop] = [[], new Given(), new AbortController()];
});

afterEach(async () => {
  stop.abort();
  await running;
});

const issue = async (by = authority, name = host, now = Date.now()): Promise<KeyAndCertificate> =>
  issueCertificate(by, { commonName: 'metrics', hosts: [name], usage: 'server' }, { now, lifetimeMs: dayMs });

function serve(pages: Pages = { metrics: createMetrics({ processMetrics: false }) }): void {
  const clock = new FakeClock();
  running = new SecurePages({ address: '127.0.0.1:0', pages, certificates: source, clock, logger }).run(
    stop.signal,
  );
}

const port = (): number => lines.find((line) => line.port !== undefined)?.port ?? 0;

interface Answer {
  readonly code: number | undefined;
  readonly body: string;
  readonly serial: string;
}

async function get(
  path = '/metrics',
  options: { readonly token?: string; readonly method?: string } = {},
): Promise<Answer> {
  const { token, method = 'GET' } = options;
  return new Promise((resolve, reject) => {
    const sent = httpsRequest(
      {
        host: '127.0.0.1',
        port: port(),
        path,
        method,
        ca: authority.certificatePem,
        servername: host,
        agent: false,
        headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      },
      (response) => {
        const { serialNumber } = (
          response.socket as unknown as { getPeerCertificate(): { serialNumber: string } }
        ).getPeerCertificate();
        let body = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => (body += chunk));
        response.on('end', () => resolve({ code: response.statusCode, body, serial: serialNumber }));
      },
    );
    sent.on('error', reject);
    sent.end();
  });
}

describe('pages over HTTPS', () => {
  it('are those that are given, and no others', async () => {
    const access: PageAccess = async ({ authorization, path }) =>
      authorization === 'Bearer good'
        ? { allowed: true, user: 'somebody' }
        : { allowed: false, code: 401, message: `no ${path}` };
    const page = { method: 'GET', path: '/debug/x', answer: () => ({ code: 200, body: 'seen' }) } as const;
    const gauges = new Map([
      ['more', () => [{ name: 'mine', help: 'Some.', samples: [{ labels: {}, value: 1 }] }]],
    ]);
    const metrics = createMetrics({ processMetrics: false });
    serve({ metrics, gauges, metricsAccess: access, guarded: { access, pages: [page] } });
    await source.give(await issue());
    for (const path of ['/metrics', '/more', '/debug/x']) {
      expect(await get(path)).toMatchObject({ code: 401, body: `no ${path}\n` });
      expect((await get(path, { token: 'good' })).code).toBe(200);
    }
    expect((await get('/more', { token: 'good' })).body).toContain('mine 1');
    expect((await get('/metrics', { token: 'good', method: 'POST' })).code).toBe(405);
    for (const path of ['/', '/healthz', '/metrics/x', '/debug/y']) expect((await get(path)).code).toBe(404);
  });

  it('have another certificate from the next connection on', async () => {
    serve();
    await source.give(await issue());
    const before = await get();
    await source.give(await issue());
    const after = await get();
    expect([before.code, after.code]).toEqual([200, 200]);
    expect(after.serial).not.toBe(before.serial);
    expect(lines.map(({ message }) => message)).toEqual([
      'serving metrics over HTTPS',
      'serving metrics with another certificate',
    ]);
  });

  it('keep their certificate where the next one cannot be served', async () => {
    serve();
    const [first, second] = [await issue(), await issue()];
    await source.give(first);
    await source.give({ ...second, keyPem: first.keyPem });
    expect((await get()).code).toBe(200);
    expect(lines.at(-1)?.message).toBe('the certificate cannot be served');
  });

  it.each([
    ['another authority', async () => issue(stranger), 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
    ['another name', async () => issue(authority, 'other.example'), 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['an end that is over', async () => issue(authority, host, Date.now() - 2 * dayMs), 'CERT_HAS_EXPIRED'],
  ])('with a certificate of %s get no token from a client that looks', async (_, make, code) => {
    const seen: unknown[] = [];
    const metricsAccess: PageAccess = async (request) => {
      seen.push(request);
      return { allowed: true, user: 'somebody' };
    };
    serve({ metrics: createMetrics({ processMetrics: false }), metricsAccess });
    await source.give(await make());
    await expect(get('/metrics', { token: 'good' })).rejects.toMatchObject({ code });
    expect(seen).toEqual([]);
  });

  it('name the address where they cannot be served', async () => {
    const other: Server = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const address = `127.0.0.1:${(other.address() as AddressInfo).port}`;
    const pages = new SecurePages({
      address,
      pages: {},
      certificates: source,
      clock: new FakeClock(),
      logger,
    });
    running = Promise.resolve();
    await expect(pages.run(stop.signal)).rejects.toThrow(
      `cannot serve metrics on ${address}: another process listens there`,
    );
    await new Promise((resolve) => other.close(resolve));
  });
});
