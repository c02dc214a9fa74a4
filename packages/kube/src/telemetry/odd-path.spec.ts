import { request } from 'node:http';
import { expect, it } from 'vitest';
import { startHealthServer } from '../telemetry/health-server.ts';
import { silentLogger } from '../telemetry/logger.ts';

it('logs no error for a path that is none', async () => {
  let errors = 0;
  const logger = {
    ...silentLogger,
    error: () => void (errors += 1),
    warn: () => undefined,
    info: () => undefined,
    debug: () => undefined,
  } as never;
  const server = await startHealthServer({ address: '127.0.0.1:0', logger });
  const { port } = new URL(server.url);
  const code = await new Promise<number | undefined>((resolve, reject) => {
    request({ host: '127.0.0.1', port, path: '//', method: 'GET' }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });
  await server.close();
  expect({ code, errors }).toEqual({ code: 404, errors: 0 });
});
