import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server on 127.0.0.1 that publishes the given files, for the tests of downloads. */
export interface ReleaseServer extends AsyncDisposable {
  readonly url: string;
  /** Paths in the order in which they were asked for. */
  readonly asked: readonly string[];
}

export async function startReleaseServer(
  files: ReadonlyMap<string, Buffer | string>,
): Promise<ReleaseServer> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    asked.push(path);
    const content = files.get(path);
    if (content === undefined) response.writeHead(404).end('not found');
    else response.end(content);
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async [Symbol.asyncDispose]() {
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      server.closeAllConnections();
      await closed.promise;
    },
  };
}
