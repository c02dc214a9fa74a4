import { randomInt } from 'node:crypto';
import { createServer, type Server } from 'node:net';

/**
 * Above what services are registered for, and below what systems give to outgoing connections (32768 on Linux, 49152
 * elsewhere): one of those could take a port between its choice here and the start of the program that is to listen.
 */
const range = { from: 12_000, to: 32_000 } as const;
const attempts = 100;

/** Ports on 127.0.0.1, drawn at random, on which nobody listens: all different, but nothing keeps others from taking them. */
export async function freePorts(count: number): Promise<number[]> {
  const servers: Server[] = [];
  const ports: number[] = [];
  try {
    // All open at the same time, else one port could be drawn twice.
    for (let attempt = 0; ports.length < count; attempt += 1) {
      if (attempt === attempts + count) throw new Error(`found no free port in ${attempts} attempts`);
      const port = randomInt(range.from, range.to);
      const server = createServer();
      if (!(await listens(server, port))) continue;
      servers.push(server);
      ports.push(port);
    }
    return ports;
  } finally {
    await Promise.all(servers.map(close));
  }
}

async function listens(server: Server, port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  server.once('error', () => resolve(false));
  server.listen(port, '127.0.0.1', () => resolve(true));
  return promise;
}

async function close(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  await promise;
}
