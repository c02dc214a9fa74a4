import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { AddressError } from '../serving/address.ts';
import type { GuardedPages } from './guarded-pages.ts';
import { startHealthServer, type HealthServer, type HealthServerOptions } from './health-server.ts';
import { silentLogger } from './logger.ts';
import { createMetrics } from './metrics.ts';
import type { PageAccess } from './page-access.ts';

const servers: HealthServer[] = [];

async function start(options: Partial<HealthServerOptions> = {}): Promise<HealthServer> {
  const server = await startHealthServer({ address: '127.0.0.1:0', logger: silentLogger, ...options });
  servers.push(server);
  return server;
}

async function get(
  server: HealthServer,
  path: string,
  method = 'GET',
): Promise<{ code: number; body: string }> {
  const response = await fetch(server.url + path, { method });
  return { code: response.status, body: await response.text() };
}

afterEach(async () => {
  await Promise.all(servers.splice(0).map(async (server) => server.close()));
});

describe('answers', () => {
  let problem: string | undefined = 'not synced: pods, nodes';
  const ready = {
    informers: (): string | undefined => problem,
    broken: (): string | undefined => {
      if (problem !== undefined) throw new Error('no idea');
      return undefined;
    },
  };

  test('report what is wrong, and ok where nothing is', async () => {
    const server = await start({ ready });
    expect(await get(server, '/readyz')).toEqual({
      code: 500,
      body: '[+]ping ok\n[-]informers failed: not synced: pods, nodes\n[-]broken failed: no idea\nreadyz check failed\n',
    });
    problem = undefined;
    expect(await get(server, '/readyz')).toEqual({ code: 200, body: 'ok' });
    expect(await get(server, '/readyz?verbose')).toEqual({
      code: 200,
      body: '[+]ping ok\n[+]informers ok\n[+]broken ok\nreadyz check passed\n',
    });
    problem = 'again';
    expect(await get(server, '/readyz?exclude=informers&exclude=broken')).toEqual({ code: 200, body: 'ok' });
    expect(await get(server, '/readyz/ping')).toEqual({ code: 200, body: 'ok' });
    expect((await get(server, '/readyz/informers')).body).toBe(
      '[-]informers failed: again\nreadyz check failed\n',
    );
    expect(await get(server, '/healthz')).toEqual({ code: 200, body: 'ok' });
  });

  test('to what is not served are 404 and 405', async () => {
    const server = await start({ ready });
    for (const path of ['/', '/metrics', '/readyz/unknown', '/readyz/informers/more', '/healthz2']) {
      expect((await get(server, path)).code).toBe(404);
    }
    expect((await get(server, '/healthz', 'POST')).code).toBe(405);
  });

  test('to /metrics are those of the manager', async () => {
    const metrics = createMetrics();
    metrics.restClient.requests.inc({ code: '200', method: 'GET', host: '127.0.0.1:6443' });
    const { code, body } = await get(await start({ metrics }), '/metrics');
    expect(code).toBe(200);
    expect(body).toContain('rest_client_requests_total{code="200",method="GET",host="127.0.0.1:6443"} 1');
    expect(body).toContain('process_cpu_seconds_total');
  });

  test('to a page of gauges are what they are when it is read, on /metrics behind those of the manager', async () => {
    let value = 1;
    const gauge = (name: string) => () => [{ name, help: 'Some.', samples: [{ labels: { a: 'b' }, value }] }];
    const gauges = new Map([
      ['metrics', gauge('mine')],
      ['more', gauge('others')],
    ]);
    const metrics = createMetrics({ processMetrics: false });
    const server = await start({ metrics, gauges });
    const { body } = await get(server, '/metrics');
    expect(body).toContain('rest_client_requests_total');
    expect(body).toMatch(/\n# HELP mine Some.\n# TYPE mine gauge\nmine\{a="b"\} 1\n$/);
    value = 2;
    const others = await fetch(`${server.url}/more`);
    expect(others.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(await others.text()).toBe('# HELP others Some.\n# TYPE others gauge\nothers{a="b"} 2\n');
    expect((await get(server, '/more/of')).code).toBe(404);
  });
});

describe('pages that are served over HTTPS elsewhere', () => {
  test('are refused here, also with a token, and a token that comes all the same is warned of once', async () => {
    const warnings: object[] = [];
    let asked = 0;
    const access: PageAccess = async () => {
      asked += 1;
      return { allowed: true, user: 'somebody' };
    };
    const page = { method: 'PUT', path: '/debug/x', answer: () => ({ code: 200, body: 'changed' }) } as const;
    const server = await start({
      metrics: createMetrics({ processMetrics: false }),
      metricsAccess: access,
      guarded: { access, pages: [page] },
      pagesOverHttps: 'port 8443',
      logger: { ...silentLogger, warn: (fields, message) => void warnings.push({ ...fields, message }) },
    });
    expect(await get(server, '/metrics')).toEqual({
      code: 403,
      body: '/metrics is served over HTTPS only, on port 8443: a token must not travel in plain text.\n',
    });
    expect(warnings).toEqual([]);
    const headers = { authorization: 'Bearer secret' };
    for (let time = 0; time < 2; time += 1) {
      expect((await fetch(`${server.url}/metrics`, { headers })).status).toBe(403);
      expect((await fetch(`${server.url}/debug/x`, { headers, method: 'PUT', body: 'x' })).status).toBe(403);
    }
    expect(asked).toBe(0);
    expect(warnings).toEqual([
      {
        path: '/metrics',
        client: '127.0.0.1',
        message:
          'a token was sent in plain text and may have been read on its way: let this client use HTTPS, and replace the token',
      },
    ]);
    expect((await get(server, '/healthz')).code).toBe(200);
    expect((await get(server, '/unknown')).code).toBe(404);
  });
});

describe('a web page that lets its name lead to the loopback address', () => {
  const metrics = createMetrics({ processMetrics: false });
  async function code(server: HealthServer, path: string): Promise<number | undefined> {
    const sent = request(server.url + path, { agent: false, headers: { host: 'pages.example.com' } }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.resume();
    return response.statusCode;
  }

  test('does not see metrics that are open to the machine, and no probe asks for them', async () => {
    const server = await start({ metrics });
    expect(await code(server, '/metrics')).toBe(421);
    expect(await code(server, '/healthz')).toBe(200);
  });

  test('has no token where one is asked for, and could ask by any name on other addresses', async () => {
    const metricsAccess: PageAccess = async () => ({ allowed: true, user: 'somebody' });
    expect(await code(await start({ metrics, metricsAccess }), '/metrics')).toBe(200);
    expect(await code(await start({ metrics, address: '0.0.0.0:0' }), '/metrics')).toBe(200);
  });
});

describe('a server that is flooded', () => {
  test('holds 256 connections, closes the one that has sent nothing for longest, and answers probes', async () => {
    const server = await start();
    const { port } = new URL(server.url);
    const sockets: Socket[] = [];
    for (let number = 0; number < 300; number += 1) {
      const socket = connect(Number(port), '127.0.0.1');
      socket.on('error', () => undefined);
      sockets.push(socket);
      await once(socket, 'connect');
    }
    expect((await get(server, '/healthz')).code).toBe(200);
    await expect
      .poll(() => sockets.map(({ closed }) => closed))
      .toEqual(sockets.map((_, number) => number < 45));
    for (const socket of sockets) socket.destroy();
  });
});

describe('addresses', () => {
  test('a port that is taken is named in the error', async () => {
    const { url } = await start();
    const address = url.replace('http://', '');
    const failure = startHealthServer({ address, logger: silentLogger });
    await expect(failure).rejects.toThrow(`cannot serve health on ${address}: another process listens there`);
    await expect(failure).rejects.toBeInstanceOf(AddressError);
  });
});

describe('access', () => {
  const asked: unknown[] = [];
  const metricsAccess: PageAccess = async (request) => {
    asked.push(request);
    return request.authorization === 'Bearer good'
      ? { allowed: true, user: 'good' }
      : { allowed: false, code: request.authorization === undefined ? 401 : 403, message: 'send a token' };
  };
  const pages: GuardedPages = {
    access: metricsAccess,
    pages: [
      { method: 'GET', path: '/debug/level', answer: () => ({ code: 200, body: 'info' }) },
      { method: 'PUT', path: '/debug/level', answer: (_, body) => ({ code: 200, body }) },
      { method: 'GET', path: '/debug/of/', answer: (rest) => ({ code: 200, body: rest.join('|') }) },
    ],
  };

  async function ask(url: string, init: RequestInit = {}, token?: string): Promise<Response> {
    return fetch(url, {
      ...init,
      ...(token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } }),
    });
  }

  test('is asked for metrics and gauges, and never for health', async () => {
    const gauges = new Map([['more', () => []]]);
    const metrics = createMetrics({ processMetrics: false });
    const { url } = await start({ metrics, gauges, metricsAccess });
    for (const page of ['/metrics', '/more']) {
      const refused = await ask(url + page);
      expect([refused.status, await refused.text()]).toEqual([401, 'send a token\n']);
      expect(refused.headers.get('www-authenticate')).toBe('Bearer');
      expect((await ask(url + page, {}, 'bad')).status).toBe(403);
      expect((await ask(url + page, {}, 'good')).status).toBe(200);
    }
    asked.length = 0;
    for (const page of ['/healthz', '/readyz', '/nowhere']) await ask(url + page);
    expect(asked).toEqual([]);
  });

  test('is asked for guarded pages with the verb and the whole path', async () => {
    const { url } = await start({ guarded: pages });
    asked.length = 0;
    expect((await ask(`${url}/debug/level`)).status).toBe(401);
    expect(await (await ask(`${url}/debug/level`, { method: 'PUT', body: 'debug' }, 'good')).text()).toBe(
      'debug',
    );
    expect(await (await ask(`${url}/debug/of/a/b%2Fc/%zz`, {}, 'good')).text()).toBe('a|b/c|%zz');
    const address = '127.0.0.1';
    expect(asked).toEqual([
      { authorization: undefined, verb: 'get', path: '/debug/level', address },
      { authorization: 'Bearer good', verb: 'put', path: '/debug/level', address },
      { authorization: 'Bearer good', verb: 'get', path: '/debug/of/a/b%2Fc/%zz', address },
    ]);
  });

  test('bounds what a guarded page reads, and names the methods that it has', async () => {
    const { url } = await start({ guarded: pages });
    const large = { method: 'PUT', body: 'x'.repeat(2_000) };
    expect((await ask(`${url}/debug/level`, large, 'good')).status).toBe(413);
    const wrong = await ask(`${url}/debug/level`, { method: 'POST' }, 'good');
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, PUT']);
    expect((await ask(`${url}/debug/of/`, {}, 'good')).status).toBe(404);
  });
});
