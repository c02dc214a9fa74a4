import type { Server } from 'node:http';
import type { Server as TlsServer } from 'node:https';
import type { ListenOptions } from 'node:net';
import { once } from 'node:events';
import type { Logger } from '../telemetry/logger.ts';

/**
 * Resolves when the server listens, and rejects with Node's error where it cannot. What fails later, as a connection that the kernel
 * has no memory for, costs that connection alone: it is logged, the first time as a warning.
 */
export async function startListening(
  server: Server | TlsServer,
  where: ListenOptions,
  logger: Pick<Logger, 'warn' | 'debug'>,
): Promise<void> {
  server.listen(where);
  await once(server, 'listening');
  let warned = false;
  server.on('error', (error) => {
    logger[warned ? 'debug' : 'warn']({ err: error }, 'a connection could not be accepted');
    warned = true;
  });
}
