import { connect, type Socket } from 'node:net';
import { silentLogger, systemClock } from '@atoll/kube';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startAgentServer, type AgentServer } from './agent-server.ts';
import { done, textAnswer } from './answer.ts';
import type { Route } from './routes.ts';

let server: AgentServer;
let url: string;
let logged: object[];
const counted: string[] = [];

const routes: readonly Route[] = [
  { method: 'GET', path: '/pods', handle: () => textAnswer('all') },
  { method: 'GET', path: '/fails', handle: () => Promise.reject(new Error('broken')) },
  {
    method: 'POST',
    path: '/v1/{ns}/{pod}/upgrade',
    writes: true,
    handle: ({ parameters }) => done(JSON.stringify(parameters)),
  },
];

beforeEach(async () => {
  logged = [];
  server = await startAgentServer(
    {
      routes,
      clock: systemClock,
      logger: { ...silentLogger, info: (fields) => void logged.push(fields) },
      answered: ({ route, method, code }) => void counted.push(`${method} ${route} ${code}`),
    },
    { address: '127.0.0.1:0', tls: undefined, tokenFile: undefined, socket: undefined },
  );
  url = server.urls[0] ?? '';
});

afterEach(async () => server.close());

async function send(method: string, path: string, body?: string): Promise<readonly [number, string]> {
  const response = await fetch(`${url}${path}`, { method, ...(body === undefined ? {} : { body }) });
  return [response.status, await response.text()];
}

it.each([
  ['GET', '/pods', 200, 'all'],
  ['GET', '/pods?upgradable=true', 200, 'all'],
  ['HEAD', '/pods', 405, ''],
  ['POST', '/pods', 405, ''],
  ['GET', '/Pods', 404, '404 page not found\n'],
  ['GET', '/pods/', 404, '404 page not found\n'],
  ['GET', '/', 404, '404 page not found\n'],
  ['POST', '/v1/edge/web-1/upgrade', 200, '{"ns":"edge","pod":"web-1"}'],
  ['PUT', '/v1/edge/web-1/upgrade', 405, ''],
  ['POST', '/v1/edge/web%2f1/upgrade', 404, '404 page not found\n'],
  ['POST', '/v1/edge/%2e%2e/upgrade', 404, '404 page not found\n'],
  ['POST', '/v1//web-1/upgrade', 404, '404 page not found\n'],
  ['GET', '/fails', 500, 'internal error'],
])('answers %s %s with %i', async (method, path, code, body) => {
  expect(await send(method, path)).toEqual([code, body]);
});

it('logs one line for each request to write, also for one that is refused, and none for reads', async () => {
  await send('POST', '/v1/edge/web-1/upgrade');
  await send('GET', '/pods');
  expect(logged).toEqual([
    expect.objectContaining({
      audit: 'upgrade',
      namespace: 'edge',
      pod: 'web-1',
      code: 200,
      from: '127.0.0.1',
    }),
  ]);
  expect(counted.slice(-2)).toEqual(['POST /v1/{ns}/{pod}/upgrade 200', 'GET /pods 200']);
});

describe('bounds', () => {
  it('takes bodies of 64 KiB and none that are larger, announced or not', async () => {
    const path = '/v1/edge/web-1/upgrade';
    expect((await send('POST', path, 'x'.repeat(65_536)))[0]).toBe(200);
    expect((await send('POST', path, 'x'.repeat(65_537)))[0]).toBe(413);
    const stream = new ReadableStream({
      start(controller) {
        for (let part = 0; part < 65; part += 1) controller.enqueue(new Uint8Array(1024));
        controller.close();
      },
    });
    const response = await fetch(`${url}${path}`, { method: 'POST', body: stream, duplex: 'half' });
    expect(response.status).toBe(413);
    expect(logged).toMatchObject([200, 413, 413].map((code) => ({ audit: 'upgrade', code })));
  });

  it('holds 64 connections, and closes the one that has sent nothing for longest where one more comes', async () => {
    const { port } = new URL(url);
    const open = async (): Promise<Socket> => {
      const socket = connect(Number(port), '127.0.0.1');
      socket.on('error', () => undefined);
      await new Promise((resolve) => socket.once('connect', resolve));
      return socket;
    };
    const sockets: Socket[] = [];
    for (let number = 0; number < 64; number += 1) sockets.push(await open());
    expect(await send('GET', '/pods')).toEqual([200, 'all']);
    const [oldest, ...others] = sockets;
    await expect.poll(() => oldest?.closed).toBe(true);
    expect(others.filter(({ destroyed }) => destroyed)).toEqual([]);
    for (const socket of sockets) socket.destroy();
  });
});
