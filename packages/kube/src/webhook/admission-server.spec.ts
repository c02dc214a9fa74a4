import { once } from 'node:events';
import { Agent, request as httpsRequest } from 'node:https';
import { connect as connectPlain, type Socket } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import {
  createCertificateAuthority,
  issueCertificate,
  type CertificateAuthority,
  type KeyAndCertificate,
} from '../certificates/certificate.ts';
import { projectionOfPaths } from '../decoder/projection.ts';
import { FakeClock, flushTasks } from '../testing/fake-clock.ts';
import { silentLogger } from '../telemetry/logger.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import type { KubeObject } from '../objects/object.ts';
import { AdmissionReviewError, type AdmissionAnswer, type AdmissionRequest } from './admission-review.ts';
import { AdmissionServer, type AdmissionHandler, type AdmissionServerOptions } from './admission-server.ts';
import { createWebhookMetrics } from './webhook-metrics.ts';

let authority: CertificateAuthority;
let certificate: KeyAndCertificate;
let server: AdmissionServer;
let clock: FakeClock;
let port: number;
let handler: AdmissionHandler;
let agent: Agent;
let errors: string[];
const metrics = createMetrics({ processMetrics: false });
const webhookMetrics = createWebhookMetrics(metrics);

beforeAll(async () => {
  authority = await createCertificateAuthority('webhooks');
  certificate = await issue();
});

beforeEach(async () => {
  handler = async () => ({ allowed: true });
  clock = new FakeClock();
  errors = [];
  agent = new Agent({ keepAlive: true, maxSockets: 1, ca: authority.certificatePem });
  server = new AdmissionServer({
    address: '127.0.0.1:0',
    handlers: { '/validate': async (request, signal) => handler(request, signal) },
    clock,
    logger: { ...silentLogger, error: (_, message) => void errors.push(message) },
    metrics: webhookMetrics,
    bodyLimit: 10_000,
  });
  port = await server.listen();
  server.useCertificate(certificate);
});

afterEach(async () => {
  agent.destroy();
  const closed = server.close();
  await clock.advance(10_000);
  await closed;
});

async function issue(): Promise<KeyAndCertificate> {
  return issueCertificate(authority, { commonName: 'webhook', hosts: ['127.0.0.1'], usage: 'server' });
}

interface Sent {
  readonly path?: string;
  readonly method?: string;
  readonly body?: string;
  readonly contentType?: string;
  readonly using?: Agent;
  readonly at?: number;
}

async function send(sent: Sent = {}): Promise<{ readonly code: number; readonly body: string }> {
  const { path = '/validate', method = 'POST', body = review(), contentType = 'application/json' } = sent;
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': contentType, 'content-length': Buffer.byteLength(body) };
    const outgoing = httpsRequest({
      host: '127.0.0.1',
      port: sent.at ?? port,
      path,
      method,
      headers,
      agent: sent.using ?? agent,
    });
    outgoing.on('error', reject);
    outgoing.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve({ code: response.statusCode ?? 0, body: text }));
    });
    outgoing.end(body);
  });
}

function review(request: object = {}): string {
  return JSON.stringify({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: 'u1',
      operation: 'CREATE',
      object: { metadata: { name: 'x' } },
      oldObject: null,
      ...request,
    },
  });
}

async function responseTo(answer: AdmissionAnswer): Promise<unknown> {
  handler = async () => answer;
  const { code, body } = await send();
  expect(code).toBe(200);
  const { response, ...rest } = JSON.parse(body) as Record<string, unknown>;
  expect(rest).toEqual({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' });
  return response;
}

it('a server that is to end answers while it lingers, and asks to close each connection', async () => {
  const leaving = new AdmissionServer({
    address: '127.0.0.1:0',
    handlers: { '/validate': async (request, signal) => handler(request, signal) },
    clock,
    logger: silentLogger,
    lingerMs: 5_000,
  });
  const at = await leaving.listen();
  leaving.useCertificate(certificate);
  const closed = leaving.close();
  expect(leaving.problem).toBe('shutting down');
  await clock.advance(4_999);
  for (let request = 0; request < 2; request += 1) {
    const socket = connect({ host: '127.0.0.1', port: at, ca: authority.certificatePem });
    const body = review();
    socket.end(
      `POST /validate HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    let answer = '';
    for await (const chunk of socket.setEncoding('utf8')) answer += String(chunk);
    expect(answer).toMatch(/^HTTP\/1.1 200 OK\r\n/);
    expect(answer).toMatch(/\r\nconnection: close\r\n/i);
  }
  await clock.advance(1);
  await closed;
  await expect(send({ at })).rejects.toThrow('ECONNREFUSED');
});

describe('an admission request', () => {
  it('reaches its handler without what is null, and its answer carries its uid', async () => {
    let seen: AdmissionRequest | undefined;
    handler = async (request) => {
      seen = request;
      return { allowed: true };
    };
    expect(JSON.parse((await send()).body)).toMatchObject({ response: { uid: 'u1', allowed: true } });
    expect(seen).toEqual({
      uid: 'u1',
      operation: 'CREATE',
      object: { metadata: { name: 'x' } },
      userInfo: {},
    });
  });

  it('comes with what its handlers read of the objects, and nothing else of them', async () => {
    const seen: AdmissionRequest[] = [];
    const reading = new AdmissionServer({
      address: '127.0.0.1:0',
      handlers: { '/validate': async (request) => ({ allowed: seen.push(request) > 0 }) as AdmissionAnswer },
      reads: projectionOfPaths<KubeObject>(['metadata', 'spec']),
      clock,
      logger: silentLogger,
    });
    const at = await reading.listen();
    reading.useCertificate(certificate);
    const object = {
      apiVersion: 'v1',
      kind: 'X',
      metadata: { name: 'x', labels: { a: '{"b"}' }, managedFields: [{ manager: 'm' }] },
      spec: { status: 'kept' },
    };
    const status = { many: ['}', '"', '\\'] };
    await send({ body: review({ object: { ...object, status }, oldObject: { status, ...object } }), at });
    await send({ body: review({ object: null, oldObject: { ...object, status } }), at });
    const { managedFields: _, ...metadata } = object.metadata;
    const kept = { ...object, metadata };
    expect(seen.map((request) => [request.object, request.oldObject])).toEqual([
      [kept, kept],
      [undefined, kept],
    ]);
    const closed = reading.close();
    await clock.advance(10_000);
    await closed;
  });

  it('is answered with a patch, with warnings, with a refusal', async () => {
    const patch = [{ op: 'add', path: '/a', value: 1 }] as const;
    expect(await responseTo({ allowed: true, patch, warnings: ['careful'] })).toEqual({
      uid: 'u1',
      allowed: true,
      warnings: ['careful'],
      patchType: 'JSONPatch',
      patch: Buffer.from(JSON.stringify(patch)).toString('base64'),
    });
    expect(await responseTo({ allowed: true, patch: [] })).toEqual({ uid: 'u1', allowed: true });
    const status = { code: 422, reason: 'Invalid', message: 'no' };
    expect(await responseTo({ allowed: false, status })).toEqual({ uid: 'u1', allowed: false, status });
  });

  it('gets no more warnings than the API server hands on', async () => {
    const warnings = Array.from({ length: 40 }, () => 'x'.repeat(1_000));
    const response = (await responseTo({ allowed: true, warnings })) as { warnings: readonly string[] };
    expect(response.warnings).toHaveLength(16);
    expect(response.warnings.every((text) => Buffer.byteLength(text) === 256)).toBe(true);
  });

  it.each<readonly [string, Sent, number, string]>([
    ['another path', { path: '/mutate' }, 404, 'no webhook at /mutate'],
    ['a path of every object', { path: '/constructor' }, 404, 'no webhook'],
    ['another method', { method: 'PUT' }, 405, 'method not allowed'],
    ['another content type', { contentType: 'text/plain' }, 415, 'must be application/json'],
    ['no JSON', { body: '{' }, 400, 'no JSON'],
    ['another version', { body: review().replace('/v1"', '/v1beta1"') }, 400, 'no admission.k8s.io/v1'],
    ['no uid', { body: review({ uid: null }) }, 400, 'uid'],
    ['no object', { body: review({ object: null }) }, 400, 'neither an object'],
    ['too much', { body: review({ name: 'x'.repeat(10_000) }) }, 413, 'larger than 10000 bytes'],
  ])('is refused properly where it has %s', async (_, sent, code, text) => {
    const answer = await send(sent);
    expect(answer.code).toBe(code);
    expect(answer.body).toContain(text);
    // And the next one is served.
    expect((await send()).code).toBe(200);
  });

  it('of which the handler fails denies nothing: the API server gets a failure', async () => {
    handler = async () => {
      throw new Error('oops');
    };
    const { code, body } = await send();
    expect([code, body]).toEqual([500, 'the webhook failed\n']);
    expect(errors).toEqual(['admission handler failed']);
  });

  it('in which its handler finds an object that the API server does not send is answered with why, and is no error of ours', async () => {
    handler = async () => {
      throw new AdmissionReviewError('the object has no metadata.uid');
    };
    const { code, body } = await send();
    expect([code, body]).toEqual([400, 'the object has no metadata.uid\n']);
    expect(errors).toEqual([]);
  });

  it('is given up when the API server no longer waits, and the signal of the handler ends', async () => {
    let signal: AbortSignal | undefined;
    handler = async (_, until) => {
      signal = until;
      return new Promise(() => {});
    };
    const answer = send({ path: '/validate?timeout=2s' });
    await expect.poll(() => signal).toBeDefined();
    await clock.advance(1_999);
    expect(signal?.aborted).toBe(false);
    await clock.advance(1);
    expect((await answer).code).toBe(504);
    expect(signal?.aborted).toBe(true);
  });

  it('does no harm when its handler rejects after it was given up', async () => {
    const gate = Promise.withResolvers<AdmissionAnswer>();
    const begun = Promise.withResolvers<void>();
    handler = async () => {
      begun.resolve();
      return gate.promise;
    };
    const answer = send({ path: '/validate?timeout=2s' });
    await begun.promise;
    await clock.advance(2_000);
    expect((await answer).code).toBe(504);
    // Nobody catches it here: an unhandled rejection would end the process, and fail this run.
    gate.reject(new Error('too late'));
    await flushTasks();
    handler = async () => ({ allowed: true });
    expect((await send()).code).toBe(200);
  });

  it('is counted, timed, and seen while it is under way', async () => {
    metrics.registry.resetMetrics();
    const gate = Promise.withResolvers<AdmissionAnswer>();
    handler = async () => gate.promise;
    const answer = send();
    const metric = async (): Promise<string> => metrics.registry.metrics();
    const inFlight = 'controller_runtime_webhook_requests_in_flight{webhook="/validate"}';
    await expect.poll(metric).toContain(`${inFlight} 1`);
    gate.resolve({ allowed: true });
    await answer;
    await send({ body: '{' });
    const text = await metric();
    expect(text).toContain(`${inFlight} 0`);
    expect(text).toContain('controller_runtime_webhook_requests_total{webhook="/validate",code="200"} 1');
    expect(text).toContain('controller_runtime_webhook_requests_total{webhook="/validate",code="400"} 1');
    expect(text).toContain('controller_runtime_webhook_latency_seconds_count{webhook="/validate"} 2');
  });
});

describe('the certificate', () => {
  async function shown(): Promise<string> {
    const socket = await new Promise<TLSSocket>((resolve, reject) => {
      const opened = connect({ host: '127.0.0.1', port, ca: authority.certificatePem }, () =>
        resolve(opened),
      );
      opened.on('error', reject);
    });
    const { serialNumber } = socket.getPeerCertificate();
    socket.destroy();
    return serialNumber;
  }

  it('is swapped for new connections, and open ones go on with a request under way', async () => {
    const gate = Promise.withResolvers<AdmissionAnswer>();
    handler = async () => gate.promise;
    const answer = send();
    const before = await shown();
    server.useCertificate(await issue());
    expect(await shown()).not.toBe(before);
    gate.resolve({ allowed: true });
    expect((await answer).code).toBe(200);
    expect((await send()).code).toBe(200);
  });

  it('stays the old one where the new one is unusable', async () => {
    const before = await shown();
    const other = await issue();
    expect(() => server.useCertificate({ ...other, keyPem: certificate.keyPem })).toThrow(
      /key values mismatch/,
    );
    expect(await shown()).toBe(before);
  });
});

describe('the server', () => {
  it('is ready once it listens with a certificate, and not while it ends', async () => {
    const options = { address: '127.0.0.1:0', handlers: {}, clock, logger: silentLogger };
    const another = new AdmissionServer(options);
    expect(another.problem).toBe('not listening');
    await another.listen();
    expect(another.problem).toBe('no certificate yet');
    another.useCertificate(certificate);
    expect(another.problem).toBeUndefined();
    const closed = another.close();
    expect(another.problem).toBe('shutting down');
    await closed;
  });

  it('names the address where it cannot listen', async () => {
    const options = { address: `127.0.0.1:${port}`, handlers: {}, clock, logger: silentLogger };
    await expect(new AdmissionServer(options).listen()).rejects.toThrow(
      `cannot serve webhooks on 127.0.0.1:${port}: another process listens there`,
    );
  });

  it('lets a request under way end before it ends itself, and takes no other', async () => {
    const gate = Promise.withResolvers<AdmissionAnswer>();
    const begun = Promise.withResolvers<void>();
    handler = async () => {
      begun.resolve();
      return gate.promise;
    };
    const answer = send();
    await begun.promise;
    const closed = server.close();
    await expect(send({ using: new Agent() })).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    gate.resolve({ allowed: true });
    expect((await answer).code).toBe(200);
    await closed;
  });

  it('waits no longer than it may for a request that never ends', async () => {
    const begun = Promise.withResolvers<AbortSignal>();
    handler = async (_, signal) => {
      begun.resolve(signal);
      return new Promise(() => {});
    };
    const answer = send().catch((error: NodeJS.ErrnoException) => error.code);
    const signal = await begun.promise;
    const closed = server.close();
    await clock.advance(5_000);
    await closed;
    expect(signal.aborted).toBe(true);
    expect(await answer).toBe('ECONNRESET');
  });
});

describe('a server that is flooded', () => {
  async function withLimits(limits: Partial<AdmissionServerOptions>): Promise<number> {
    const handlers = { '/validate': async () => ({ allowed: true as const }) };
    const flooded = new AdmissionServer({
      address: '127.0.0.1:0',
      handlers,
      clock,
      logger: silentLogger,
      ...limits,
    });
    onTestFinished(async () => {
      const closed = flooded.close();
      await clock.advance(10_000);
      await closed;
    });
    const at = await flooded.listen();
    flooded.useCertificate(certificate);
    return at;
  }

  async function open(at: number, text: string): Promise<TLSSocket> {
    const socket = connect({ host: '127.0.0.1', port: at, ca: authority.certificatePem });
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => undefined).resume();
    await once(socket, 'secureConnect');
    socket.write(text);
    return socket;
  }

  it('with half bodies keeps few of them, and answers who sends a whole one', async () => {
    const at = await withLimits({ bodiesLimit: 100_000 });
    const head =
      'POST /validate HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 30000\r\n\r\n';
    const half = head + ' '.repeat(20_000);
    const sockets = await Promise.all(Array.from({ length: 20 }, async () => open(at, half)));
    // Five of them have room.
    await expect.poll(() => sockets.filter(({ closed }) => !closed).length).toBe(5);
    expect(await send({ at, using: new Agent({ ca: authority.certificatePem }) })).toMatchObject({
      code: 200,
    });
  });

  it('with connections closes those that idle, and answers', async () => {
    const at = await withLimits({ connectionLimit: 3 });
    const idle = new Agent({ keepAlive: true, ca: authority.certificatePem });
    onTestFinished(() => idle.destroy());
    await Promise.all(Array.from({ length: 3 }, async () => send({ at, using: idle })));
    const using = new Agent({ ca: authority.certificatePem });
    expect(await send({ at, using })).toMatchObject({ code: 200 });
  });

  it.each(['no handshake', 'half a head', 'half a body'])(
    'with connections that send %s closes the oldest, and answers who sends a whole request',
    async (sent) => {
      const at = await withLimits({ connectionLimit: 3 });
      const heads = {
        'half a head': 'POST /validate HTTP/1.1\r\nhost:',
        'half a body':
          'POST /validate HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 300\r\n\r\n{',
      };
      const hold = async (): Promise<Socket> => {
        if (sent in heads) return open(at, heads[sent as keyof typeof heads]);
        const socket = connectPlain(at, '127.0.0.1').on('error', () => undefined);
        onTestFinished(() => void socket.destroy());
        await once(socket, 'connect');
        return socket;
      };
      const held = [await hold(), await hold(), await hold()];
      const using = new Agent({ ca: authority.certificatePem });
      expect(await send({ at, using })).toMatchObject({ code: 200 });
      await expect.poll(() => held.map(({ closed }) => closed)).toEqual([true, false, false]);
    },
  );
});
