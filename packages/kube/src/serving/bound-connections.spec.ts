import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { connect, type AddressInfo, type NetConnectOpts, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { boundConnections } from './bound-connections.ts';
import { createHttpServer } from './node-servers.ts';

const most = 3;
const whole = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n';

async function serving(
  listener: (response: ServerResponse) => void,
  path?: string,
): Promise<(text: string) => Promise<Socket>> {
  const server = createHttpServer((_, response) => listener(response));
  boundConnections(server, most);
  server.listen(path === undefined ? { port: 0, host: '127.0.0.1' } : { path });
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const to: NetConnectOpts =
    path === undefined ? { host: '127.0.0.1', port: (server.address() as AddressInfo).port } : { path };
  return async (text) => {
    const socket = connect(to);
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => undefined);
    const accepted = once(server, 'connection');
    await once(socket, 'connect');
    await accepted;
    socket.write(text);
    return socket;
  };
}

const answer = (response: ServerResponse): void => void response.end('done');

async function hold(open: (text: string) => Promise<Socket>, text: string): Promise<[Socket, ...Socket[]]> {
  return [await open(text), await open(text), await open(text)];
}

async function answered(socket: Socket): Promise<string> {
  const [data] = (await once(socket, 'data')) as [Buffer];
  return data.toString().slice(0, 15);
}

it.each([
  ['nothing', ''],
  ['half a head', 'GET / HTTP/1.1\r\nhost:'],
  ['half a body', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nhalf'],
])('answers the next where all connections have sent %s, and closes the oldest', async (_, text) => {
  const open = await serving((response) => {
    if (response.req.method === 'GET') answer(response);
  });
  const [oldest, ...others] = await hold(open, text);
  const closed = once(oldest, 'close');
  expect(await answered(await open(whole))).toBe('HTTP/1.1 200 OK');
  await closed;
  expect(others.filter(({ destroyed }) => destroyed)).toEqual([]);
});

it('closes those that idle before those that came later and have been answered since', async () => {
  const open = await serving(answer);
  const early = await open(whole);
  await answered(early);
  const silent = await open('');
  const late = await open('');
  early.write(whole);
  await answered(early);
  const closed = once(silent, 'close');
  await answered(await open(whole));
  await closed;
  expect([early.destroyed, late.destroyed]).toEqual([false, false]);
});

it('lets those go on that are being answered, and takes no more where all are', async () => {
  const waiting: ServerResponse[] = [];
  const open = await serving((response) => waiting.push(response));
  const asking = await hold(open, whole);
  await expect.poll(() => waiting.length).toBe(most);
  const above = await open('');
  await once(above.resume(), 'close');
  for (const response of waiting) answer(response);
  for (const socket of asking) expect(await answered(socket)).toBe('HTTP/1.1 200 OK');
});

it('bounds those of a unix socket too', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'atoll-connections-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const open = await serving(answer, join(directory, 'socket'));
  const [oldest] = await hold(open, '');
  const closed = once(oldest, 'close');
  expect(await answered(await open(whole))).toBe('HTTP/1.1 200 OK');
  await closed;
});
