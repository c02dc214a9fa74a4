import { createServer, type Server } from 'node:net';

/** Ports that the kernel says are free on 127.0.0.1: all different, but nothing keeps others from taking them. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  try {
    // All open at the same time, else the kernel could give one port twice.
    return await Promise.all(servers.map(listen));
  } finally {
    await Promise.all(servers.map(close));
  }
}

async function listen(server: Server): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the kernel gave no port');
  return address.port;
}

async function close(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  await promise;
}
