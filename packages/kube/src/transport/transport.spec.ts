import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ApiError } from '../client/api-error.ts';
import { systemClock } from '../clock/clock.ts';
import type { ClusterAccess } from '../credentials/cluster-access.ts';
import type { StreamingClient } from '../client/streaming-client.ts';
import { configMaps } from '../objects/resources.ts';
import { answerJson, answerStatus, TestServer } from '../testing/test-server.ts';
import { mostErrorBytes } from './exchange.ts';

const key = { namespace: 'edge', name: 'a' };

async function failureOf(work: Promise<unknown>): Promise<ApiError> {
  const error = await work.then(
    () => expect.unreachable('the request succeeded'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof ApiError)) throw error;
  return error;
}

describe('the time of a request', () => {
  it('counts while it waits for a place', async () => {
    await using server = await TestServer.start(() => undefined);
    const client = server.client({ sockets: { requests: 1 } });
    const ending = new AbortController();
    const first = failureOf(client.get(configMaps, key, { signal: ending.signal }));
    const error = await failureOf(client.get(configMaps, key, { timeoutMs: 100 }));
    expect([error.reason, error.fate, error.message]).toEqual([
      'Timeout',
      'unsent',
      'get configmaps edge/a: not sent within 100 ms: 1 other requests were under way',
    ]);
    ending.abort();
    expect((await first).reason).toBe('Aborted');
  });

  const running = (command: string, ...args: readonly string[]): Partial<ClusterAccess> => ({
    authorization: {
      type: 'exec',
      plugin: {
        apiVersion: 'client.authentication.k8s.io/v1',
        command,
        args,
        env: {},
        provideClusterInfo: false,
        interactiveMode: 'Never',
      },
    },
  });

  it('is over when the client is closed, also where a plugin still runs that gives its credentials', async () => {
    await using server = await TestServer.start(() => undefined);
    const client = server.client({ timeoutMs: 3_600_000 }, running('sleep', '300'));
    const waiting = failureOf(client.get(configMaps, key));
    await new Promise((resolve) => setImmediate(resolve));
    await client.close();
    expect((await waiting).reason).toBe('Closed');
  });

  it.for(['get', 'watch'] as const)(
    'is over when the client is closed, also where the file with the token of a %s does not answer',
    async (verb) => {
      const folder = await mkdtemp(join(tmpdir(), 'transport-'));
      onTestFinished(async () => rm(folder, { recursive: true, force: true }));
      const path = join(folder, 'token');
      // Opening a pipe waits for who writes to it.
      execFileSync('mkfifo', [path]);
      await using server = await TestServer.start((_, response) =>
        answerJson(response, 200, { metadata: key }),
      );
      const authorization = { type: 'token', token: { from: 'file', path } } as const;
      const client = server.client({ timeoutMs: 3_600_000 }, { authorization });
      const work = verb === 'get' ? client.get(configMaps, key) : client.watch(configMaps, {});
      const waiting = failureOf(work);
      await new Promise((resolve) => setImmediate(resolve));
      await client.close();
      const before = await Promise.race([waiting, new Promise((resolve) => setTimeout(resolve, 500))]);
      await writeFile(path, 'token');
      expect([(await waiting).reason, (await waiting).fate, before]).toEqual([
        'Closed',
        'unsent',
        expect.any(ApiError),
      ]);
      expect([server.requests, server.openSockets]).toEqual([[], 0]);
    },
  );

  it('is over when the client is closed, also in the pause before another try', async () => {
    const answered = Promise.withResolvers<void>();
    await using server = await TestServer.start((_, response) =>
      answerStatus(response, 429, 'TooManyRequests', 'later', { 'retry-after': '9' }),
    );
    const client = server.client({
      // Its timers do not fire, that of the pause neither.
      clock: { ...systemClock, setTimer: () => () => undefined },
      onExchange: () => answered.resolve(),
    });
    const waiting = failureOf(client.get(configMaps, key));
    await answered.promise;
    await new Promise((resolve) => setImmediate(resolve));
    await client.close();
    expect((await waiting).reason).toBe('Closed');
  });

  it('counts while credentials are waited for, which its signal ends too', async () => {
    await using server = await TestServer.start(() => undefined);
    const client = server.client({}, running('sleep', '2'));
    const error = await failureOf(client.get(configMaps, key, { timeoutMs: 100 }));
    expect([error.reason, error.message]).toEqual([
      'Timeout',
      'get configmaps edge/a: not sent within 100 ms: no credentials yet',
    ]);
    expect((await failureOf(client.watch(configMaps, {}, { timeoutMs: 100 }))).reason).toBe('Timeout');
    const aborted = failureOf(client.get(configMaps, key, { signal: AbortSignal.timeout(100) }));
    expect([(await aborted).reason, (await aborted).fate]).toEqual(['Aborted', 'unsent']);
    expect(server.requests).toEqual([]);
  });

  it('does not count while a person logs in, but for what may be sent only now', async () => {
    // Longer than the requests may take, which a busy machine answers in less.
    const login = `sleep 1.5; echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"t"}}'`;
    await using server = await TestServer.start((_, response) =>
      answerJson(response, 200, { metadata: key, items: [] }),
    );
    const terminal = { input: false, output: true, print: () => undefined };
    const client = (): StreamingClient => server.client({ terminal }, running('sh', '-c', login));
    const write = { fieldManager: 'test', sendWithinMs: 100 };
    const late = await failureOf(client().apply(configMaps, { metadata: key }, write));
    expect(late.message).toBe('apply configmaps edge/a: not sent within 100 ms: no credentials yet');
    const aborted = client().get(configMaps, key, { signal: AbortSignal.timeout(100) });
    expect((await failureOf(aborted)).reason).toBe('Aborted');
    expect(server.requests).toEqual([]);
    await client().get(configMaps, key, { timeoutMs: 1_000 });
    await client().watch(configMaps, {}, { timeoutMs: 1_000 });
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer t', 'Bearer t']);
  });

  it('may be longer than timers of Node last', async () => {
    await using server = await TestServer.start((_, response) =>
      answerJson(response, 200, { metadata: key }),
    );
    const answer = server.client({ timeoutMs: Infinity }).get(configMaps, key);
    await expect(answer).resolves.toEqual({ metadata: key });
  });
});

describe('a refusal', () => {
  it.for(['get', 'watch'] as const)('of a %s is read no further than serves anybody', async (verb) => {
    const closed = Promise.withResolvers<void>();
    await using server = await TestServer.start((_, response, socket) => {
      socket.once('close', () => closed.resolve());
      response.writeHead(403);
      const more = (): void => {
        while (!socket.destroyed && response.write('x'.repeat(64 * 1024)));
      };
      response.on('drain', more);
      more();
    });
    const client = server.client();
    const work = verb === 'get' ? client.get(configMaps, key) : client.watch(configMaps, {});
    const error = await failureOf(work);
    expect([error.code, error.reason, error.message.length < 500]).toEqual([403, 'Forbidden', true]);
    await closed.promise;
    expect(mostErrorBytes).toBe(1024 * 1024);
  });

  it.for([
    ['https://login.example.com/start?token=secret', 'to https://login.example.com, which'],
    ['/login', 'a redirect, which'],
    ['urn:login', 'a redirect, which'],
    [undefined, 'a redirect, which'],
  ] as const)(
    'is a redirect to %s: it is not followed, and the message names the host',
    async ([to, shown]) => {
      await using server = await TestServer.start((_, response) =>
        response.writeHead(307, to === undefined ? {} : { location: to }).end('<a href="elsewhere">'),
      );
      const client = server.client();
      for (const send of [
        async () => client.get(configMaps, key),
        async () => client.apply(configMaps, { metadata: key }, { fieldManager: 'test' }),
        async () => client.watch(configMaps, {}),
      ]) {
        const error = await failureOf(send());
        expect([error.code, error.fate]).toEqual([307, 'refused']);
        expect(error.message).toContain('the server answered 307, a redirect');
        expect(error.message).toContain(
          `${shown} is not followed: give the address of the API server itself`,
        );
        expect(error.message).not.toContain('secret');
      }
      expect(server.requests).toHaveLength(3);
    },
  );

  it.for(['get', 'watch'] as const)('of a %s whose text breaks off is one all the same', async (verb) => {
    await using server = await TestServer.start((_, response, socket) => {
      response.writeHead(410, { 'content-length': '100' }).write('too old', () => socket.destroy());
    });
    const client = server.client();
    const work = verb === 'get' ? client.get(configMaps, key) : client.watch(configMaps, {});
    const error = await failureOf(work);
    expect([error.code, error.reason]).toEqual([410, 'Expired']);
    expect(error.message).toContain('the server answered 410');
  });

  it('whose text is long is cut, and not within a character', async () => {
    const line = `${'x'.repeat(199)}😀`;
    await using server = await TestServer.start((_, response) => response.writeHead(403).end(line));
    const error = await failureOf(server.client().get(configMaps, key));
    expect(error.message.isWellFormed()).toBe(true);
    expect(error.message).toContain(`the server answered 403: ${'x'.repeat(199)}`);
  });

  it('of a watch whose text does not end is one all the same, when its time is over', async () => {
    await using server = await TestServer.start((_, response) => {
      response.writeHead(410).write('too old');
    });
    const error = await failureOf(server.client().watch(configMaps, {}, { timeoutMs: 200 }));
    expect([error.code, error.reason, error.message]).toEqual([
      410,
      'Expired',
      'watch configmaps: the server answered 410: too old',
    ]);
    await expect.poll(() => server.openSockets).toBe(0);
  });

  it.for(['99999999999', '9'.repeat(20)])('asks for %s s and gets five minutes', async (seconds) => {
    await using server = await TestServer.start((_, response) =>
      answerStatus(response, 429, 'TooManyRequests', 'later', { 'retry-after': seconds }),
    );
    expect((await failureOf(server.client().get(configMaps, key))).retryAfterMs).toBe(300_000);
  });
});

describe('the date of an answer', () => {
  const date = 'Thu, 01 Jan 2026 12:00:00 GMT';
  it.for([
    ['an object', 200, '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"}}', date],
    ['an object of a custom kind', 200, '{"apiVersion":"v1","kind":"ConfigMap","metadata":{}}', date],
    ['a refusal of the API server', 503, '{"kind":"Status","apiVersion":"v1","code":503}', date],
    ['a page of a load balancer', 503, '<html>503 Service Unavailable</html>', undefined],
    ['a page of a load balancer', 200, '<html>Welcome</html>', undefined],
    ['the JSON of a gateway', 502, '{"error":"no upstream"}', undefined],
    ['the JSON of a gateway', 200, '{"ok":true}', undefined],
    ['no text', 504, '', undefined],
  ] as const)(
    'is that of the API server only where the answer is: %s (%i)',
    async ([, code, body, shown]) => {
      const dates: unknown[] = [];
      await using server = await TestServer.start((_, response) =>
        response.writeHead(code, { date }).end(body),
      );
      const client = server.client({
        onExchange: (observed) => dates.push(observed.date),
        retry: { attempts: 1 },
      });
      await client.get(configMaps, key).catch(() => undefined);
      expect(dates).toEqual([shown]);
    },
  );
});

it('a timer of more than 24 days does not fire at once', async () => {
  const fired = await new Promise((resolve) => {
    const cancel = systemClock.setTimer(2 ** 40, () => resolve(true));
    setTimeout(() => {
      cancel();
      resolve(false);
    }, 50);
  });
  expect(fired).toBe(false);
});
