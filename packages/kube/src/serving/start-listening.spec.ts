import { once } from 'node:events';
import type { Server } from 'node:http';
import { get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { createHttpServer } from './node-servers.ts';
import { startListening } from './start-listening.ts';

const lines: string[] = [];
const logger = {
  warn: (...line: unknown[]) => void lines.push(`warn ${String(line.at(-1))}`),
  debug: (...line: unknown[]) => void lines.push(`debug ${String(line.at(-1))}`),
};

function server(): Server {
  const made = createHttpServer((_, response) => response.end('done'));
  onTestFinished(() => {
    lines.length = 0;
    made.closeAllConnections();
    made.close();
  });
  return made;
}

function address({ port }: AddressInfo): { readonly host: string; readonly port: number } {
  return { host: '127.0.0.1', port };
}

it('goes on where connections cannot be accepted, and warns once', async () => {
  const made = server();
  await startListening(made, { host: '127.0.0.1', port: 0 }, logger);
  for (let nth = 0; nth < 3; nth++) made.emit('error', new Error('accept ENOMEM'));
  expect(lines).toEqual([
    'warn a connection could not be accepted',
    'debug a connection could not be accepted',
    'debug a connection could not be accepted',
  ]);
  const asked = get(address(made.address() as AddressInfo));
  const [answer] = (await once(asked, 'response')) as [{ readonly statusCode: number; resume(): void }];
  answer.resume();
  expect(answer.statusCode).toBe(200);
});

it('rejects where it cannot listen', async () => {
  const first = server();
  await startListening(first, { host: '127.0.0.1', port: 0 }, logger);
  const taken = address(first.address() as AddressInfo);
  await expect(startListening(server(), taken, logger)).rejects.toMatchObject({ code: 'EADDRINUSE' });
  expect(lines).toEqual([]);
});
