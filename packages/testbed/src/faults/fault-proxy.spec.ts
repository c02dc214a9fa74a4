import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Agent, createServer, request } from 'node:https';
import type { Server } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { parse, stringify } from 'yaml';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createCertificateAuthority, issueCertificate } from '@atoll/kube/certificates';
import type { FaultProxy } from './fault-proxy.ts';
import { startFaultProxy } from './start-fault-proxy.ts';
import { waitFor } from './wait-for.ts';

const authority = await createCertificateAuthority('upstream-authority');
const serving = await issueCertificate(authority, {
  commonName: 'upstream',
  hosts: ['127.0.0.1'],
  usage: 'server',
});

interface Seen {
  readonly method: string;
  readonly url: string;
  readonly rawHeaders: readonly string[];
  readonly body: string;
}

/** Answers like an API server as far as a proxy can see: watches stay open, everything else echoes. */
class Upstream {
  readonly seen: Seen[] = [];
  readonly watches = new Set<ServerResponse>();
  readonly #server: Server;
  url = '';

  constructor() {
    const { certificatePem, keyPem } = serving;
    this.#server = createServer(
      { cert: certificatePem, key: keyPem },
      (incoming, outgoing) => void this.#serve(incoming, outgoing),
    );
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('no TCP address');
    this.url = `https://127.0.0.1:${address.port}`;
  }

  event(version: number, type = 'ADDED'): void {
    const object = {
      metadata: { name: `pod-${version}`, namespace: 'edge', resourceVersion: String(version) },
    };
    for (const watch of this.watches) watch.write(`${JSON.stringify({ type, object })}\n`);
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = '', url = '', rawHeaders } = incoming;
    const body = (await buffer(incoming)).toString();
    this.seen.push({ method, url, rawHeaders, body });
    outgoing.setHeader('Content-Type', 'application/json');
    if (url.includes('watch=true')) {
      this.watches.add(outgoing);
      outgoing.once('close', () => this.watches.delete(outgoing));
      outgoing.flushHeaders();
      return;
    }
    outgoing.setHeader('X-Kubernetes-Pf-Flowschema-Uid', 'kept');
    outgoing.statusCode = method === 'POST' ? 201 : 200;
    outgoing.end(JSON.stringify({ method, url, body }));
  }
}

let upstream: Upstream;
let proxy: FaultProxy;
let directory: string;
let agent: Agent;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'atoll-fault-proxy-'));
  upstream = new Upstream();
  await upstream.start();
});

afterAll(async () => {
  upstream.stop();
  await rm(directory, { recursive: true });
});

beforeEach(async () => {
  upstream.seen.length = 0;
  proxy = await startFaultProxy({
    target: { url: upstream.url, caData: authority.certificatePem },
    directory,
  });
  agent = new Agent({ ca: proxy.caData, keepAlive: true });
});

afterEach(async () => {
  agent.destroy();
  await proxy.close();
});

interface Answer {
  readonly code: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

async function call(method: string, path: string, body?: object, signal?: AbortSignal): Promise<Answer> {
  const incoming = await open(method, path, body, signal);
  const content = await buffer(incoming);
  return { code: incoming.statusCode ?? 0, headers: incoming.headers, body: content.toString() };
}

function open(method: string, path: string, body?: object, signal?: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const content = body === undefined ? '' : JSON.stringify(body);
    const outgoing = request(`${proxy.url}${path}`, {
      method,
      agent,
      headers: {
        Authorization: 'Bearer secret',
        'Content-Type': 'application/json',
        'Content-Length': content.length,
      },
      ...(signal === undefined ? {} : { signal }),
    });
    outgoing.on('response', resolve);
    outgoing.on('error', reject);
    outgoing.end(content);
  });
}

/** A watch as a client sees it: the text so far and how it ended. */
class Watch {
  text = '';
  end: 'open' | 'clean' | 'broken' = 'open';

  constructor(incoming: IncomingMessage) {
    incoming.on('data', (chunk: Buffer) => (this.text += chunk.toString()));
    incoming.on('end', () => (this.end = 'clean'));
    incoming.on('error', () => (this.end = 'broken'));
  }

  get names(): string[] {
    return [...this.text.matchAll(/"name":"(pod-\d+)"/g)].map(([, name]) => name ?? '');
  }
}

async function watchPods(query = 'resourceVersion=5'): Promise<Watch> {
  const open = upstream.watches.size;
  const watch = new Watch(await openWatch(query));
  await waitFor(() => upstream.watches.size === open + 1, 'the watch to reach the server');
  return watch;
}

function openWatch(query: string): Promise<IncomingMessage> {
  return open('GET', `/api/v1/pods?watch=true&${query}`);
}

const pods = { resource: 'pods' };
const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', namespace: 'edge' } };
const podsPath = '/api/v1/namespaces/edge/pods';

describe('without faults', () => {
  it('passes requests, headers, tokens and answers on unchanged', async () => {
    const answer = await call('POST', `${podsPath}?fieldManager=atoll&x=%20`, pod);
    expect(answer).toMatchObject({ code: 201, headers: { 'x-kubernetes-pf-flowschema-uid': 'kept' } });
    const seen = upstream.seen[0];
    expect(seen).toMatchObject({ method: 'POST', url: `${podsPath}?fieldManager=atoll&x=%20` });
    expect(JSON.parse(seen?.body ?? '')).toEqual(pod);
    expect(seen?.rawHeaders).toContain('Bearer secret');
  });

  it('passes a delete with its body', async () => {
    await call('DELETE', `${podsPath}/web`, { preconditions: { uid: 'u1' } });
    expect(upstream.seen[0]).toMatchObject({ method: 'DELETE', body: '{"preconditions":{"uid":"u1"}}' });
  });

  it('passes watch events as they come and ends with the server', async () => {
    const watch = await watchPods();
    upstream.event(6);
    upstream.event(7);
    await waitFor(() => watch.names.length === 2, 'two events');
    for (const open of upstream.watches) open.end();
    await waitFor(() => watch.end !== 'open', 'the end');
    expect(watch).toMatchObject({ end: 'clean', names: ['pod-6', 'pod-7'] });
  });

  it('ends the watch at the server when the client leaves', async () => {
    const incoming = await openWatch('resourceVersion=5');
    await waitFor(() => upstream.watches.size === 1, 'the watch to reach the server');
    incoming.destroy();
    await waitFor(() => upstream.watches.size === 0, 'the watch to end at the server');
    expect(proxy.traffic()).toMatchObject({ inFlight: 0, openWatches: {} });
  });

  it('breaks the watch when the server breaks it', async () => {
    const watch = await watchPods();
    for (const open of upstream.watches) open.destroy();
    await waitFor(() => watch.end !== 'open', 'the end');
    expect(watch.end).toBe('broken');
  });

  it('counts requests by verb and resource, connections and open watches', async () => {
    await call('GET', '/api/v1/nodes');
    await call('GET', '/api/v1/nodes/n1');
    await call('PATCH', '/apis/apps/v1/namespaces/edge/deployments/web/status', {});
    const watch = await watchPods();
    expect(proxy.traffic()).toMatchObject({
      requests: { 'list nodes': 1, 'get nodes': 1, 'patch deployments.apps/status': 1, 'watch pods': 1 },
      total: 4,
      openWatches: { pods: 1 },
      openConnections: 1,
      inFlight: 1,
    });
    proxy.resetTraffic();
    expect(proxy.traffic()).toMatchObject({ requests: {}, total: 0, openWatches: { pods: 1 }, inFlight: 1 });
    proxy.holdWatches(pods).cut();
    await waitFor(() => watch.end === 'broken', 'the cut');
    await waitFor(() => proxy.traffic().inFlight === 0, 'nothing in flight');
    expect(proxy.traffic()).toMatchObject({ openWatches: {} });
  });

  it('uses HTTP/1.1 only', async () => {
    const { connect } = await import('node:tls');
    const socket = connect({
      port: Number(new URL(proxy.url).port),
      host: '127.0.0.1',
      ca: proxy.caData,
      ALPNProtocols: ['h2', 'http/1.1'],
    });
    await new Promise((resolve) => socket.once('secureConnect', resolve));
    expect(socket.alpnProtocol).toBe('http/1.1');
    socket.destroy();
  });
});

describe('held streams', () => {
  it('hold events of open and of new watches, release one by one and then all at once', async () => {
    const first = await watchPods();
    const hold = proxy.holdWatches(pods);
    const second = await watchPods();
    for (const version of [6, 7, 8]) upstream.event(version);
    await hold.whenHolding((held) => held.length === 6);
    expect(hold.heldEvents()[0]).toMatchObject({ type: 'ADDED', name: 'pod-6', resourceVersion: '6' });
    expect([first.names, second.names]).toEqual([[], []]);
    expect([hold.releaseOne(), hold.releaseOne()]).toEqual([true, true]);
    await waitFor(() => first.names.length + second.names.length === 2, 'two events');
    hold.release();
    await waitFor(() => first.names.length + second.names.length === 6, 'all events');
    expect(first.names).toEqual(['pod-6', 'pod-7', 'pod-8']);
    expect(second.names).toEqual(['pod-6', 'pod-7', 'pod-8']);
    upstream.event(9);
    await waitFor(() => second.names.length === 4, 'an event after the release');
    expect(hold.releaseOne()).toBe(false);
  });

  it('leave other resources alone', async () => {
    const hold = proxy.holdWatches({ resource: 'nodes' });
    const watch = await watchPods();
    upstream.event(6);
    await waitFor(() => watch.names.length === 1, 'the event');
    expect(hold.heldEvents()).toEqual([]);
  });

  it('keep the end of a stream back as well', async () => {
    const watch = await watchPods();
    const hold = proxy.holdWatches(pods);
    upstream.event(6);
    for (const open of upstream.watches) open.end();
    await hold.whenHolding((held) => held.length === 1);
    expect(watch.end).toBe('open');
    hold.release();
    await waitFor(() => watch.end === 'clean', 'the end');
    expect(watch.names).toEqual(['pod-6']);
  });

  it('can be cut: nothing of what was held arrives', async () => {
    const watch = await watchPods();
    const hold = proxy.holdWatches(pods);
    upstream.event(6);
    await hold.whenHolding((held) => held.length === 1);
    hold.cut();
    await waitFor(() => watch.end === 'broken', 'the cut');
    expect(watch.text).toBe('');
  });

  it('can expire: the client gets 410 in place of what was held', async () => {
    const watch = await watchPods();
    const hold = proxy.holdWatches(pods);
    upstream.event(6);
    await hold.whenHolding((held) => held.length === 1);
    hold.expire();
    await waitFor(() => watch.end === 'clean', 'the end');
    expect(JSON.parse(watch.text)).toMatchObject({ type: 'ERROR', object: { code: 410, reason: 'Expired' } });
  });

  it('can expire while no stream is open: the next that continues gets the 410, once', async () => {
    proxy.holdWatches(pods).expire();
    const continuing = new Watch(await openWatch('resourceVersion=5'));
    await waitFor(() => continuing.end === 'clean', 'the end');
    expect(JSON.parse(continuing.text)).toMatchObject({ type: 'ERROR', object: { code: 410 } });
    const again = await watchPods();
    upstream.event(7);
    await waitFor(() => again.names.length === 1, 'the event');
  });
});

describe('ended streams', () => {
  it('end in the middle of an event after so many whole ones', async () => {
    const watch = await watchPods();
    const ending = proxy.endWatches(pods, { how: 'cut-in-mid-event', afterEvents: 2 });
    for (const version of [6, 7, 8, 9]) upstream.event(version);
    await waitFor(() => watch.end === 'broken', 'the cut');
    const lines = watch.text.split('\n');
    expect(watch.names.slice(0, 2)).toEqual(['pod-6', 'pod-7']);
    expect(lines).toHaveLength(3);
    expect(lines[2]).toMatch(/^\{"type":"ADDED"/);
    expect(() => JSON.parse(lines[2] ?? '') as unknown).toThrow(SyntaxError);
    expect(ending.hits).toBe(1);
    const next = await watchPods();
    upstream.event(10);
    await waitFor(() => next.names.length === 1, 'the next stream to be left alone');
  });

  it('end between two events', async () => {
    const watch = await watchPods();
    proxy.endWatches(pods, { how: 'cut', afterEvents: 1 });
    for (const version of [6, 7]) upstream.event(version);
    await waitFor(() => watch.end === 'broken', 'the cut');
    expect(watch.text.endsWith('\n')).toBe(true);
    expect(watch.names).toEqual(['pod-6']);
  });

  it('stall: the connection stays open, the server sees the client gone', async () => {
    const watch = await watchPods();
    const ending = proxy.endWatches(pods, { how: 'stall', afterEvents: 1 });
    for (const version of [6, 7]) upstream.event(version);
    await ending.whenHit();
    await waitFor(() => upstream.watches.size === 0, 'the server to lose the watch');
    expect(watch).toMatchObject({ end: 'open', names: ['pod-6'] });
    expect(proxy.traffic().openWatches).toEqual({ pods: 1 });
  });
});

describe('single requests', () => {
  it('are refused without effect, with Retry-After, for the nth of a kind only', async () => {
    const refusal = proxy.inject(
      { verb: 'create', resource: 'pods', nth: 2 },
      { do: 'refuse', code: 429, retryAfterSeconds: 3 },
    );
    expect((await call('POST', podsPath, pod)).code).toBe(201);
    const refused = await call('POST', podsPath, pod);
    expect(refused).toMatchObject({ code: 429, headers: { 'retry-after': '3' } });
    expect(JSON.parse(refused.body)).toMatchObject({
      kind: 'Status',
      reason: 'TooManyRequests',
      details: { retryAfterSeconds: 3 },
    });
    expect((await call('POST', podsPath, pod)).code).toBe(201);
    expect(upstream.seen).toHaveLength(2);
    expect(refusal.taken).toHaveLength(1);
  });

  it('are refused with effect: the server has carried them out', async () => {
    proxy.inject({ verb: 'write' }, { do: 'refuse', code: 504, effect: 'applied' });
    expect((await call('POST', podsPath, pod)).code).toBe(504);
    expect(upstream.seen).toHaveLength(1);
  });

  it('are refused for one object for ever, by the name in the body or in the path', async () => {
    const refusal = proxy.inject({ verb: 'write', name: 'web' }, { do: 'refuse', code: 422 });
    expect((await call('POST', podsPath, pod)).code).toBe(422);
    expect((await call('PATCH', `${podsPath}/web`, {})).code).toBe(422);
    expect((await call('PATCH', `${podsPath}/other`, {})).code).toBe(200);
    refusal.remove();
    expect((await call('PATCH', `${podsPath}/web`, {})).code).toBe(200);
  });

  it('lose their response: carried out, then reset', async () => {
    proxy.inject({ verb: 'create', times: 1 }, { do: 'lose-response' });
    await expect(call('POST', podsPath, pod)).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(upstream.seen).toHaveLength(1);
    expect((await call('POST', podsPath, pod)).code).toBe(201);
  });

  it.each([
    ['before-forwarding', 0],
    ['after-answer', 1],
  ] as const)('crash %s: the callback sees %i requests at the server', async (when, arrived) => {
    let atCrash: number | undefined;
    proxy.inject(
      { verb: 'write', nth: 1 },
      {
        do: 'crash',
        when,
        call: (crashed) => void (atCrash = crashed.name === 'web' ? upstream.seen.length : -1),
      },
    );
    await expect(call('POST', podsPath, pod)).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(atCrash).toBe(arrived);
    expect(upstream.seen).toHaveLength(arrived);
  });

  it('are kept and forwarded when their sender is gone', async () => {
    const kept = proxy.keepRequests({ verb: 'create' });
    const sender = new AbortController();
    const sent = call('POST', podsPath, pod, sender.signal).catch(() => 'gone');
    await kept.whenKept();
    sender.abort();
    expect(await sent).toBe('gone');
    expect(upstream.seen).toHaveLength(0);
    const answers = await kept.forward();
    expect(answers).toMatchObject([{ code: 201, request: { name: 'web' } }]);
    expect(upstream.seen).toHaveLength(1);
  });

  it('are kept and answered late when their sender waits', async () => {
    const kept = proxy.keepRequests({ verb: 'create' });
    const sent = call('POST', podsPath, pod);
    await kept.whenKept();
    await kept.forward();
    expect((await sent).code).toBe(201);
  });

  it('are accepted and never answered', async () => {
    const injection = proxy.inject({ verb: 'get' }, { do: 'half-open' });
    const giveUp = new AbortController();
    const sent = call('GET', `${podsPath}/web`, undefined, giveUp.signal).catch(() => 'gave up');
    await injection.whenTaken();
    expect((await call('PATCH', `${podsPath}/web`, {})).code).toBe(200);
    giveUp.abort();
    expect(await sent).toBe('gave up');
    expect(upstream.seen).toHaveLength(1);
  });

  it('are slow: latency before, a byte rate after', async () => {
    proxy.inject({ verb: 'list' }, { do: 'slow', latencyMs: 100, bytesPerSecond: 500 });
    const began = performance.now();
    const answer = await call('GET', podsPath);
    expect(answer.body.length).toBeGreaterThan(50);
    expect(performance.now() - began).toBeGreaterThan(200);
  });
});

describe('a start in the past', () => {
  it('refuses streaming lists, lists the past and holds the watch until released', async () => {
    const start = proxy.staleStart(pods, '3');
    const streaming = await call('GET', '/api/v1/pods?watch=true&sendInitialEvents=true');
    expect(streaming.code).toBe(422);
    expect(JSON.parse(streaming.body)).toMatchObject({ reason: 'Invalid' });
    await call('GET', '/api/v1/pods?limit=500&resourceVersion=0');
    await call('GET', '/api/v1/pods?limit=500&continue=token');
    expect(upstream.seen.map(({ url }) => url)).toEqual([
      '/api/v1/pods?limit=500&resourceVersion=3&resourceVersionMatch=Exact',
      '/api/v1/pods?limit=500&continue=token',
    ]);
    const watch = await watchPods('resourceVersion=3');
    upstream.event(4);
    await start.watches.whenHolding((held) => held.length === 1);
    expect(watch.names).toEqual([]);
    start.release();
    await waitFor(() => watch.names.length === 1, 'the watch to catch up');
    await call('GET', '/api/v1/pods?resourceVersion=0');
    expect(upstream.seen.at(-1)?.url).toBe('/api/v1/pods?resourceVersion=0');
  });
});

describe('the whole network', () => {
  it('is cut: open connections are reset, new ones too, until it heals', async () => {
    const watch = await watchPods();
    proxy.cut();
    await waitFor(() => watch.end === 'broken', 'the watch to break');
    await expect(call('GET', podsPath)).rejects.toMatchObject({ code: 'ECONNRESET' });
    await waitFor(() => proxy.traffic().openConnections === 0, 'no open connection');
    proxy.heal();
    expect((await call('GET', podsPath)).code).toBe(200);
  });

  it('is frozen: nothing moves on open or new connections until it heals', async () => {
    const watch = await watchPods();
    proxy.freeze();
    upstream.event(6);
    const sent = call('GET', podsPath);
    await waitFor(() => proxy.traffic().connections === 2, 'the new connection');
    expect(upstream.seen).toHaveLength(1);
    expect(watch.names).toEqual([]);
    proxy.heal();
    expect((await sent).code).toBe(200);
    await waitFor(() => watch.names.length === 1, 'the event');
  });
});

describe('kubeconfigs', () => {
  const kubeconfig = (user: object): object => ({
    clusters: [{ name: 'c', cluster: { server: upstream.url, 'certificate-authority': 'ca.crt' } }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  });

  it('point at the proxy and keep the user', async () => {
    const original = join(directory, 'operator.kubeconfig');
    await writeFile(original, stringify(kubeconfig({ token: 'secret' })));
    const redirected = parse(await readFile(await proxy.kubeconfigFrom(original), 'utf8')) as object;
    const caData = Buffer.from(proxy.caData).toString('base64');
    expect(redirected).toEqual({
      ...kubeconfig({ token: 'secret' }),
      clusters: [{ name: 'c', cluster: { server: proxy.url, 'certificate-authority-data': caData } }],
    });
  });

  it('are refused where the user shows a client certificate', async () => {
    const original = join(directory, 'administrator.kubeconfig');
    await writeFile(original, stringify(kubeconfig({ 'client-certificate-data': 'x' })));
    await expect(proxy.kubeconfigFrom(original)).rejects.toThrow('use a token');
  });
});

it('ends everything with its signal', async () => {
  const ending = new AbortController();
  const own = await startFaultProxy({
    target: { url: upstream.url, caData: authority.certificatePem },
    directory,
    signal: ending.signal,
  });
  ending.abort();
  await own.close();
  await expect(
    new Promise((resolve, reject) => {
      request(own.url, { ca: own.caData }).on('response', resolve).on('error', reject).end();
    }),
  ).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});
