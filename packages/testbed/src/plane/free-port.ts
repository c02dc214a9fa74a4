import { createServer } from 'node:net';

/** Ports that the kernel says are free on 127.0.0.1: all different, but nothing keeps others from taking them. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  try {
    return await Promise.all(
      servers.map(
        async (server) =>
          await new Promise<number>((resolve, reject) => {
            server.once('error', reject);
            server.listen(0, '127.0.0.1', () => {
              const address = server.address();
              if (address === null || typeof address === 'string') reject(new Error('no port'));
              else resolve(address.port);
            });
          }),
      ),
    );
  } finally {
    await Promise.all(servers.map(async (server) => await new Promise((resolve) => server.close(resolve))));
  }
}
