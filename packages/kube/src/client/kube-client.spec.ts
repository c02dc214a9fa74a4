import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ApiError, type RequestFate } from './api-error.ts';
import { systemClock, type Clock } from '../clock/clock.ts';
import { silentLogger, type Logger } from '../telemetry/logger.ts';
import { configMaps, deployments, leases, nodes } from '../objects/resources.ts';
import { answerJson, answerStatus, TestServer, type Answer } from '../testing/test-server.ts';
import { createClient } from './create-client.ts';
import { mayI } from './reviews.ts';

const key = { namespace: 'edge', name: 'a' };
const stored = {
  metadata: { ...key, uid: 'u', resourceVersion: '7', creationTimestamp: '2026-01-01T00:00:00Z' },
};

async function failureOf(work: Promise<unknown>): Promise<ApiError> {
  const error = await work.then(
    () => expect.unreachable('the request succeeded'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof ApiError)) throw error;
  return error;
}

const ok: Answer = (_, response) => answerJson(response, 200, stored);

describe('requests', () => {
  it('writes with strict field validation, the field manager and the object’s type', async () => {
    await using server = await TestServer.start(ok);
    const client = server.client({ userAgent: 'tool/1.2' });
    await client.create(configMaps, { metadata: key, data: { x: '1' } });
    await client.update(
      deployments,
      { metadata: key },
      { subresource: 'status', fieldManager: 'me', dryRun: true },
    );
    await client.apply(
      configMaps,
      { metadata: key },
      { fieldManager: 'me', force: true, fieldValidation: 'Warn' },
    );
    await client.patch(nodes, { name: 'n:1' }, { type: 'json', body: [{ op: 'remove', path: '/x' }] });
    await client.scale(deployments, key, 3);
    expect(server.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST /api/v1/namespaces/edge/configmaps?fieldManager=tool&fieldValidation=Strict',
      'PUT /apis/apps/v1/namespaces/edge/deployments/a/status?fieldManager=me&fieldValidation=Strict&dryRun=All',
      'PATCH /api/v1/namespaces/edge/configmaps/a?fieldManager=me&fieldValidation=Warn&force=true',
      'PATCH /api/v1/nodes/n%3A1?fieldManager=tool&fieldValidation=Strict',
      'PATCH /apis/apps/v1/namespaces/edge/deployments/a/scale?fieldManager=tool&fieldValidation=Strict',
    ]);
    expect(server.requests.map(({ headers }) => headers['content-type'])).toEqual([
      'application/json',
      'application/json',
      'application/apply-patch+yaml',
      'application/json-patch+json',
      'application/merge-patch+json',
    ]);
    expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: key,
      data: { x: '1' },
    });
    expect(server.requests[0]?.headers['user-agent']).toBe('tool/1.2');
  });

  it('sends the preconditions of a deletion in its body', async () => {
    await using server = await TestServer.start(ok);
    await server
      .client()
      .delete(configMaps, key, { uid: 'u', resourceVersion: '7', propagationPolicy: 'Foreground' });
    expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      preconditions: { uid: 'u', resourceVersion: '7' },
      propagationPolicy: 'Foreground',
    });
  });

  it('reports what a caller did wrong before anything is sent', async () => {
    await using server = await TestServer.start(ok);
    const client = server.client();
    await expect(client.get(configMaps, { name: 'a' })).rejects.toThrow('configmaps a needs a namespace');
    await expect(client.get(nodes, key)).rejects.toThrow(
      'nodes has no namespaces, but namespace "edge" was given',
    );
    await expect(client.get(nodes, { name: '..' })).rejects.toThrow('".." is not a name');
    expect(server.requests).toEqual([]);
  });

  it('follows continue to the end of a list and gives its items their type', async () => {
    await using server = await TestServer.start(({ url }, response) => {
      const token = new URL(url, 'http://x').searchParams.get('continue');
      const metadata = token === null ? { resourceVersion: '9', continue: 'next' } : { resourceVersion: '9' };
      answerJson(response, 200, { metadata, items: [stored] });
    });
    const list = await server
      .client()
      .list(configMaps, { limit: 1, labelSelector: 'a=b', resourceVersion: '0' });
    expect(list.resourceVersion).toBe('9');
    expect(list.items.map(({ kind, apiVersion }) => `${apiVersion} ${kind}`)).toEqual([
      'v1 ConfigMap',
      'v1 ConfigMap',
    ]);
    expect(server.requests.map(({ url }) => url)).toEqual([
      '/api/v1/configmaps?labelSelector=a%3Db&resourceVersion=0&limit=1',
      '/api/v1/configmaps?labelSelector=a%3Db&limit=1&continue=next',
    ]);
  });

  it('ends a list after its first page where no more is wanted', async () => {
    await using server = await TestServer.start((_request, response) => {
      answerJson(response, 200, { metadata: { resourceVersion: '9', continue: 'next' }, items: [stored] });
    });
    const list = await server.client().list(configMaps, { limit: 1, onePage: true });
    expect([list.items.length, server.requests.length]).toEqual([1, 1]);
  });

  it('begins a list again in one piece when its continue token has expired', async () => {
    await using server = await TestServer.start(({ url }, response) => {
      const query = new URL(url, 'http://x').searchParams;
      if (query.has('continue')) return answerStatus(response, 410, 'Expired', 'too old');
      const whole = !query.has('limit');
      const metadata = whole ? { resourceVersion: '12' } : { resourceVersion: '9', continue: 'next' };
      return answerJson(response, 200, { metadata, items: whole ? [stored, stored, stored] : [stored] });
    });
    const list = await server.client().list(configMaps, { limit: 1 });
    expect([list.resourceVersion, list.items.length]).toEqual(['12', 3]);
  });

  it.each([
    ['the same token', ['c', 'c', 'c', 'c']],
    ['the same tokens in turn', ['a', 'b', 'a', 'b']],
  ])('ends a list that has no end: the server answers %s for ever', async (_, tokens) => {
    await using server = await TestServer.start(({ url }, response) => {
      const at = server.requests.filter((request) => request.url.includes('limit')).length - 1;
      if (at > 20) throw new Error(`asked again and again: ${url}`);
      const metadata = { resourceVersion: '9', continue: tokens[at % tokens.length] };
      answerJson(response, 200, { metadata, items: [stored] });
    });
    const error = await failureOf(server.client().list(configMaps, { limit: 1, namespace: 'edge' }));
    expect([error.reason, error.fate]).toEqual(['InvalidAnswer', 'refused']);
    expect(error.message).toBe(
      'list configmaps in edge: the list has no end: the server answers a continue token that it answered before; does something between here and the API server repeat its answers?',
    );
    expect(server.requests.length).toBe(new Set(tokens).size + 1);
  });

  it('does not begin a list for ever whose tokens expire at once, also where it is asked for in one piece', async () => {
    await using server = await TestServer.start(({ url }, response) => {
      if (server.requests.length > 20) throw new Error('asked again and again');
      if (url.includes('continue')) return answerStatus(response, 410, 'Expired', 'too old');
      const continued = `c${server.requests.length}`;
      return answerJson(response, 200, {
        metadata: { resourceVersion: '9', continue: continued },
        items: [stored],
      });
    });
    const error = await failureOf(server.client().list(configMaps, { limit: 1 }));
    expect([error.code, error.reason, server.requests.length]).toEqual([410, 'Expired', 4]);
  });

  it('hands warnings of the server on', async () => {
    await using server = await TestServer.start((_, response) =>
      answerJson(response, 200, stored, {
        warning: '299 - "unknown field \\"spec.x\\"", 299 - "old, and going"',
      }),
    );
    const warnings: string[] = [];
    await server
      .client({ onWarning: (text, attempted) => warnings.push(`${attempted}: ${text}`) })
      .get(configMaps, key);
    expect(warnings).toEqual([
      'get configmaps edge/a: unknown field "spec.x"',
      'get configmaps edge/a: old, and going',
    ]);
  });
});

describe('what became of a failed write', () => {
  const cases: readonly {
    readonly name: string;
    readonly answer: Answer;
    readonly fate: RequestFate;
    readonly reason: string;
    readonly tries?: number;
    readonly timeoutMs?: number;
  }[] = [
    {
      name: '409 is refused',
      answer: (_, response) => answerStatus(response, 409, 'AlreadyExists', 'there'),
      fate: 'refused',
      reason: 'AlreadyExists',
    },
    {
      name: '429 is refused, and tried again',
      answer: (_, response) => answerStatus(response, 429, 'TooManyRequests', 'later'),
      fate: 'refused',
      reason: 'TooManyRequests',
      tries: 5,
    },
    {
      name: '500 is in doubt: etcd may have written',
      answer: (_, response) => answerStatus(response, 500, 'InternalError', 'etcdserver: request timed out'),
      fate: 'in-doubt',
      reason: 'InternalError',
    },
    {
      name: '500 of a webhook that could not be asked is refused',
      answer: (_, response) =>
        answerStatus(response, 500, 'InternalError', 'Internal error occurred: failed calling webhook "x"'),
      fate: 'refused',
      reason: 'InternalError',
    },
    ...['create typed patch object (x/y; apps/v1, Kind=Deployment): .spec.a', 'convert new object (x/y)'].map(
      (what) => ({
        name: `500 because the object is not of its type is a bad request (${what.slice(0, 7)})`,
        answer: (_: unknown, response: ServerResponse) =>
          answerStatus(response, 500, 'InternalError', `failed to ${what}`),
        fate: 'refused' as const,
        reason: 'BadRequest',
      }),
    ),
    {
      name: '500 because the object is too large for etcd is refused',
      answer: (_, response) =>
        answerStatus(response, 500, 'InternalError', 'etcdserver: request is too large'),
      fate: 'refused',
      reason: 'RequestEntityTooLarge',
    },
    ...[401, 403, 404, 409, 410, 429, 503].map((code) => ({
      name: `${code} of a webhook that denies is a refusal of its own, and not tried again`,
      answer: (_: unknown, response: ServerResponse) =>
        answerStatus(
          response,
          code,
          code === 403 ? 'Forbidden' : 'NotFound',
          'admission webhook "x" denied the request: not today',
        ),
      fate: 'refused' as const,
      reason: 'Forbidden',
    })),
    // A webhook that gives a reason and no code: the API server makes it a 400.
    ...['NotFound', 'AlreadyExists', 'Conflict', 'Expired', 'Gone'].map((given) => ({
      name: `${given} as the reason of a webhook that denies is a refusal of its own`,
      answer: (_: unknown, response: ServerResponse) =>
        answerStatus(response, 400, given, 'admission webhook "x" denied the request: not today'),
      fate: 'refused' as const,
      reason: 'Forbidden',
    })),
    {
      name: '401 of a policy that denies is a refusal of its own',
      answer: (_, response) =>
        answerStatus(
          response,
          401,
          'Unauthorized',
          `configmaps "a" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: not today`,
        ),
      fate: 'refused',
      reason: 'Forbidden',
    },
    {
      name: '504 is in doubt',
      answer: (_, response) => answerStatus(response, 504, 'Timeout', 'request did not complete'),
      fate: 'in-doubt',
      reason: 'Timeout',
    },
    {
      name: 'a proxy’s 502 is in doubt',
      answer: (_, response) => response.writeHead(502).end('<html>Bad Gateway</html>'),
      fate: 'in-doubt',
      reason: 'InternalError',
    },
    {
      name: 'a connection that breaks before the answer leaves it in doubt',
      answer: (_, __, socket) => socket.destroy(),
      fate: 'in-doubt',
      reason: 'NetworkError',
    },
    {
      name: 'a connection that breaks in the answer leaves it in doubt',
      answer: (_, response, socket) => {
        response.writeHead(201, { 'content-length': '100' });
        response.write('{"kind":', () => socket.destroy());
      },
      fate: 'in-doubt',
      reason: 'NetworkError',
    },
    {
      name: 'no answer in time leaves it in doubt',
      timeoutMs: 3_000,
      answer: () => undefined,
      fate: 'in-doubt',
      reason: 'Timeout',
    },
    {
      name: 'an answer that is not JSON leaves it in doubt',
      answer: (_, response) => response.writeHead(201).end('hello'),
      fate: 'in-doubt',
      reason: 'InvalidAnswer',
    },
  ];
  it('an answer that its reader cannot read leaves it in doubt; one that it reads is the result', async () => {
    await using server = await TestServer.start((_, response) => answerJson(response, 201, { kind: 'Odd' }));
    const object = { metadata: key };
    const refuse = (): never => {
      throw new Error('odd');
    };
    const error = await failureOf(server.client().create(configMaps, object, { read: refuse }));
    expect([error.fate, error.reason]).toEqual(['in-doubt', 'InvalidAnswer']);
    const read = (answer: Buffer) => ({ metadata: { name: answer.toString('utf8') } });
    const { metadata } = await server.client().create(configMaps, object, { read });
    expect(metadata.name).toBe('{"kind":"Odd"}');
  });

  it.for(cases)('$name', async ({ answer, fate, reason, tries = 1, timeoutMs = 30_000 }) => {
    await using server = await TestServer.start(answer);
    const error = await failureOf(server.client({ timeoutMs }).create(configMaps, { metadata: key }));
    expect([error.fate, error.reason]).toEqual([fate, reason]);
    expect(error.message).toMatch(/^create configmaps edge\/a: /);
    expect(server.requests).toHaveLength(tries);
  });

  it('is unsent where nobody listens, and tried again', async () => {
    const server = await TestServer.start(ok);
    const access = server.access();
    await server[Symbol.asyncDispose]();
    const tries: number[] = [];
    const client = createClient(access, {
      retry: { firstPauseMs: 1 },
      onExchange: ({ code }) => tries.push(code),
    });
    const error = await failureOf(client.create(configMaps, { metadata: key }));
    expect([error.fate, error.reason, error.code, tries]).toEqual([
      'unsent',
      'NetworkError',
      0,
      [0, 0, 0, 0, 0],
    ]);
    expect(error.message).toContain(`cannot reach ${access.server}: connect ECONNREFUSED`);
    await client.close();
  });

  it('is unsent where the host has no address', async () => {
    const access = {
      server: 'http://nowhere.invalid',
      insecureSkipTlsVerify: false,
      authorization: { type: 'none' },
    } as const;
    const client = createClient(access, { retry: { attempts: 1 } });
    const error = await failureOf(client.create(configMaps, { metadata: key }));
    expect([error.fate, error.reason]).toEqual(['unsent', 'NetworkError']);
    await client.close();
  });

  it('is unsent when the caller gives up while it waits for its turn, in doubt afterwards', async () => {
    await using server = await TestServer.start(() => undefined);
    const client = server.client({ sockets: { requests: 1 } });
    const first = new AbortController();
    const second = new AbortController();
    const failures = Promise.all([
      failureOf(client.create(configMaps, { metadata: key }, { signal: first.signal })),
      failureOf(client.create(configMaps, { metadata: key }, { signal: second.signal })),
    ]);
    await expect.poll(() => server.requests.length).toBe(1);
    second.abort();
    first.abort();
    expect((await failures).map(({ fate, reason }) => [fate, reason])).toEqual([
      ['in-doubt', 'Aborted'],
      ['unsent', 'Aborted'],
    ]);
    expect(server.requests).toHaveLength(1);
  });

  // A process that was stopped and goes on: the clock has moved, the timers have not come yet.
  it.for([
    { waitsFor: 'a connection', before: 0, limit: { timeoutMs: 5_000 } },
    { waitsFor: 'its turn', before: 1, limit: { timeoutMs: 5_000 } },
    { waitsFor: 'a connection', before: 0, limit: { sendWithinMs: 5_000 } },
    { waitsFor: 'its turn', before: 1, limit: { sendWithinMs: 5_000 } },
  ])(
    'is never sent after its time ($limit), when it waits for $waitsFor and the process stands still',
    async ({ before, limit }) => {
      const held: (() => void)[] = [];
      await using server = await TestServer.start((request, response, socket) => {
        held.push(() => {
          ok(request, response, socket);
        });
      });
      let stoodStill = 0;
      const clock: Clock = { ...systemClock, monotonic: () => systemClock.monotonic() + stoodStill };
      const client = server.client({ sockets: { requests: 1 }, clock });
      const first = Array.from({ length: before }, async () => client.get(configMaps, key));
      await expect.poll(() => server.requests.length).toBe(before);
      const failure = failureOf(client.create(configMaps, { metadata: key }, limit));
      // Far enough to hand the request to a socket that is still being connected, which no promise alone can do.
      for (let turn = 0; turn < 100; turn += 1) await Promise.resolve();
      stoodStill = 6_000;
      for (const answer of held) answer();
      await Promise.all(first);
      expect(await failure).toMatchObject({ fate: 'unsent', reason: 'Timeout' });
      expect(server.requests).toHaveLength(before);
    },
  );
});

describe('a write that may be sent only now', () => {
  it('waits for its answer longer than it may wait to be sent', async () => {
    await using server = await TestServer.start((request, response, socket) => {
      setTimeout(() => ok(request, response, socket), 1_500);
    });
    const write = server.client().create(configMaps, { metadata: key }, { sendWithinMs: 1_000 });
    await expect(write).resolves.toMatchObject(stored);
  });

  it('is not tried again when its time to be sent is over', async () => {
    // Each request takes 4 s by the clock.
    let passed = 0;
    await using server = await TestServer.start((_, response) => {
      passed += 4_000;
      answerStatus(response, 429, 'TooManyRequests', 'later');
    });
    const clock: Clock = { ...systemClock, monotonic: () => passed };
    const options = { sendWithinMs: 10_000, attempts: 50 };
    const client = server.client({ clock, retry: { firstPauseMs: 10, longestPauseMs: 10 } });
    expect(await failureOf(client.create(configMaps, { metadata: key }, options))).toMatchObject({
      code: 429,
    });
    expect(server.requests).toHaveLength(3);
  });
});

describe('trying again', () => {
  const faults: readonly { readonly name: string; readonly fault: Answer }[] = [
    { name: '503', fault: (_, response) => answerStatus(response, 503, 'ServiceUnavailable', 'starting') },
    { name: '504', fault: (_, response) => answerStatus(response, 504, 'Timeout', 'later') },
    { name: '504 of a gateway', fault: (_, response) => response.writeHead(504).end('Gateway Time-out') },
    { name: '429', fault: (_, response) => answerStatus(response, 429, 'TooManyRequests', 'later') },
    { name: 'a broken connection', fault: (_, __, socket) => socket.destroy() },
  ];
  it.for(faults)('a read succeeds after $name', async ({ fault }) => {
    await using server = await TestServer.start((request, response, socket) =>
      (server.requests.length < 3 ? fault : ok)(request, response, socket),
    );
    await expect(server.client().get(configMaps, key)).resolves.toMatchObject(stored);
    expect(server.requests).toHaveLength(3);
  });

  it.for(faults)('an access review succeeds after $name', async ({ fault }) => {
    const allowed: Answer = (_, response) => answerJson(response, 201, { status: { allowed: true } });
    await using server = await TestServer.start((request, response, socket) =>
      (server.requests.length < 3 ? fault : allowed)(request, response, socket),
    );
    const review = mayI(server.client(), { verb: 'list', resource: 'nodes' });
    await expect(review).resolves.toMatchObject({ allowed: true });
    expect(server.requests).toHaveLength(3);
  });

  it('waits as long as Retry-After asks', async () => {
    await using server = await TestServer.start((_, response) =>
      server.requests.length < 2
        ? answerStatus(response, 429, 'TooManyRequests', 'later', { 'retry-after': '1' })
        : answerJson(response, 200, stored),
    );
    const startedAt = performance.now();
    await server.client().create(configMaps, { metadata: key });
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(1000);
  });

  it('hands a long Retry-After to the caller instead of waiting', async () => {
    await using server = await TestServer.start((_, response) =>
      answerStatus(response, 429, 'TooManyRequests', 'later', { 'retry-after': '60' }),
    );
    const error = await failureOf(server.client().get(configMaps, key));
    expect([error.retryAfterMs, server.requests.length]).toEqual([60_000, 1]);
  });

  it('is not done where the caller wants one try', async () => {
    await using server = await TestServer.start((_, response) =>
      answerStatus(response, 503, 'ServiceUnavailable', 'no'),
    );
    await failureOf(server.client().get(leases, key, { attempts: 1 }));
    expect(server.requests).toHaveLength(1);
  });

  it('ends with the caller’s signal', async () => {
    await using server = await TestServer.start((_, response) =>
      answerStatus(response, 429, 'TooManyRequests', 'later', { 'retry-after': '5' }),
    );
    const ending = new AbortController();
    let answered = false;
    const logger: Logger = { ...silentLogger, debug: () => void (answered = true), child: () => logger };
    const failure = failureOf(server.client({ logger }).get(configMaps, key, { signal: ending.signal }));
    await expect.poll(() => answered).toBe(true);
    ending.abort();
    expect((await failure).reason).toBe('TooManyRequests');
  });
});

describe('sockets', () => {
  it('2,000 requests at once share the sockets of their lane', async () => {
    await using server = await TestServer.start(ok);
    const client = server.client();
    await Promise.all(Array.from({ length: 2_000 }, () => client.get(configMaps, key)));
    expect(server.connections).toBeLessThanOrEqual(14);
  });

  it('a lease is renewed while every request hangs', async () => {
    await using server = await TestServer.start(({ url }, response) => {
      if (url.includes('/leases/')) answerJson(response, 200, stored);
    });
    const client = server.client({ timeoutMs: 5_000 });
    const ending = new AbortController();
    const hanging = Array.from({ length: 40 }, () =>
      failureOf(client.get(configMaps, key, { signal: ending.signal })),
    );
    await expect.poll(() => server.requests.length).toBe(14);
    await client.update(leases, stored);
    ending.abort();
    await Promise.all(hanging);
  });

  it('new ones are opened after a timeout without any answer', async () => {
    await using server = await TestServer.start((request, response, socket) => {
      // The first connection is half open from its second request on.
      if (server.connections === 1 && server.requests.length > 1) return;
      ok(request, response, socket);
    });
    const client = server.client({ sockets: { requests: 1 } });
    await client.get(configMaps, key);
    expect((await failureOf(client.get(configMaps, key, { timeoutMs: 200 }))).reason).toBe('Timeout');
    await client.get(configMaps, key);
    expect(server.connections).toBe(2);
  });

  it('all are closed with the client, which then refuses to send', async () => {
    await using server = await TestServer.start(({ url }, response) => {
      if (url.includes('watch=true')) response.writeHead(200).write('{}\n');
      else answerJson(response, 200, stored);
    });
    const client = server.client();
    const watch = await client.watch(configMaps, {});
    await client.get(configMaps, key);
    await client.close();
    await expect.poll(() => server.openSockets).toBe(0);
    await expect(watch.body[Symbol.asyncIterator]().next()).rejects.toThrow('');
    expect((await failureOf(client.get(configMaps, key))).reason).toBe('Closed');
  });
});

describe('watches', () => {
  it('stream bytes as they arrive and end with the signal', async () => {
    await using server = await TestServer.start((_, response) => {
      response.writeHead(200).write('{"type":"ADDED"}\n');
    });
    const ending = new AbortController();
    const parameters = { namespace: 'edge', resourceVersion: '5', allowWatchBookmarks: true };
    const { body } = await server.client().watch(configMaps, parameters, { signal: ending.signal });
    const chunks: string[] = [];
    await expect(async () => {
      for await (const chunk of body) {
        chunks.push(chunk.toString('utf8'));
        ending.abort();
      }
    }).rejects.toThrow('the caller gave up');
    expect(chunks).toEqual(['{"type":"ADDED"}\n']);
    expect(server.requests[0]?.url).toBe(
      '/api/v1/namespaces/edge/configmaps?watch=true&resourceVersion=5&allowWatchBookmarks=true',
    );
    await expect.poll(() => server.openSockets).toBe(0);
  });

  it("are refused with the server's answer, without another try", async () => {
    await using server = await TestServer.start((_, response) =>
      answerStatus(response, 410, 'Expired', 'too old'),
    );
    const error = await failureOf(server.client().watch(configMaps, {}));
    expect([error.code, error.reason, server.requests.length]).toEqual([410, 'Expired', 1]);
  });

  it('need their headers in time, then may be silent for longer', async () => {
    await using server = await TestServer.start(({ url }, response) => {
      if (!url.includes('secrets')) setTimeout(() => response.end('late\n'), 1_200);
      if (!url.includes('secrets')) response.writeHead(200).flushHeaders();
    });
    const client = server.client({ timeoutMs: 1_000 });
    const silent = { ...configMaps, plural: 'secrets' };
    expect((await failureOf(client.watch(silent, {}, { timeoutMs: 200 }))).reason).toBe('Timeout');
    const chunks: string[] = [];
    for await (const chunk of (await client.watch(configMaps, {})).body) chunks.push(chunk.toString('utf8'));
    expect(chunks).toEqual(['late\n']);
  });

  it('are as many as there are informers, where nobody sets a bound', async () => {
    await using server = await TestServer.start((_, response) => response.writeHead(200).flushHeaders());
    const client = server.client();
    await Promise.all(Array.from({ length: 40 }, () => client.watch(configMaps, {})));
    expect(server.openSockets).toBe(40);
  });

  it('beyond the sockets for watches fail at once instead of waiting for ever', async () => {
    await using server = await TestServer.start((_, response) => response.writeHead(200).flushHeaders());
    const client = server.client({ sockets: { watches: 1 } });
    const ending = new AbortController();
    const first = await client.watch(configMaps, {}, { signal: ending.signal });
    const error = await failureOf(client.watch(nodes, {}));
    expect([error.reason, error.fate]).toEqual(['TooManyWatches', 'unsent']);
    ending.abort();
    await expect(first.body[Symbol.asyncIterator]().next()).rejects.toThrow('the caller gave up');
    await expect.poll(() => server.openSockets).toBe(0);
    await client.watch(nodes, {});
  });

  it('that are busy lose nothing while their events come together', async () => {
    const sent: string[] = [];
    const write = async (response: ServerResponse): Promise<void> => {
      for (let event = 0; event < 60; event++) {
        const line = `${event}\n`;
        sent.push(line);
        response.write(line);
        await delay(event % 20 === 0 ? 80 : 4);
      }
      response.end();
    };
    await using server = await TestServer.start((_, response) => {
      response.writeHead(200);
      void write(response);
    });
    let read = '';
    for await (const chunk of (await server.client().watch(configMaps, {})).body)
      read += chunk.toString('utf8');
    expect(sent.length).toBe(60);
    expect(read).toBe(sent.join(''));
  });

  it('arrive no faster than they are read, and close their socket when the reader leaves', async () => {
    const chunk = Buffer.alloc(256 * 1024, 'x');
    let written = 0;
    await using server = await TestServer.start((_, response) => {
      const write = (): void => {
        while (written < 64 * 1024 * 1024) {
          written += chunk.length;
          if (!response.write(chunk)) return void response.once('drain', write);
        }
      };
      response.writeHead(200);
      write();
    });
    const { body } = await server.client().watch(configMaps, {});
    const writtenWithin = async (ms: number): Promise<number> => {
      const before = written;
      await delay(ms);
      return written - before;
    };
    await expect.poll(() => writtenWithin(200), { timeout: 20_000 }).toBe(0);
    // What the sockets of both sides hold.
    expect(written).toBeLessThan(32 * 1024 * 1024);
    let read = 0;
    for await (const bytes of body) {
      read += bytes.length;
      if (read > 40 * 1024 * 1024) break;
    }
    expect(written).toBeGreaterThan(40 * 1024 * 1024);
    await expect.poll(() => server.openSockets).toBe(0);
  });
});
