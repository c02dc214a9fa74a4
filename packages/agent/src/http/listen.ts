import { once } from 'node:events';
import { chmodSync, existsSync, statSync, unlinkSync } from 'node:fs';
import type { RequestListener, Server, ServerOptions } from 'node:http';
import { connect, type AddressInfo, type ListenOptions } from 'node:net';
import type { Server as TlsServer } from 'node:https';
import { dirname, isAbsolute } from 'node:path';
import type { SecureContextOptions } from 'node:tls';
import {
  createHttpServer,
  createHttpsServer,
  parseAddress,
  startListening,
  whyNotListening,
  type Clock,
  type Logger,
} from '@atoll/kube';
import { readTlsFiles, versionOfFiles, type TlsFiles } from './tls-files.ts';

/** How often replaced certificates are looked for, in milliseconds. */
const certificatesEveryMs = 60_000;

export interface Listening {
  readonly server: Server | TlsServer;
  /** `http://127.0.0.1:10267`, `unix:/run/atoll-agent.sock`. */
  readonly url: string;
}

/** Listens on `host:port`, with TLS where files are given. Rejects with a sentence for the author of the flag. */
export async function listenOnAddress(
  address: string,
  tls: TlsFiles | undefined,
  bounds: ServerOptions,
  listener: RequestListener,
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
): Promise<Listening> {
  const { host, port } = parseAddress(address);
  const files = tls === undefined ? undefined : readTlsFiles(tls, logger);
  const server =
    tls === undefined
      ? createHttpServer(bounds, listener)
      : createHttpsServer(
          // Refused below HTTP otherwise, where probes without a certificate could not be answered.
          {
            ...bounds,
            ...files,
            requestCert: tls.clientCaFile !== undefined,
            rejectUnauthorized: false,
          },
          listener,
        );
  await started(server, address, { host, port }, whyNotListening, logger);
  if (tls !== undefined) followCertificates(server as TlsServer, tls, files?.ca, clock, logger);
  const bound = server.address() as AddressInfo;
  const shown = bound.family === 'IPv6' ? `[${bound.address}]` : bound.address;
  return { server, url: `${tls === undefined ? 'http' : 'https'}://${shown}:${bound.port}` };
}

/** Listens on a unix socket that only the owner of this process may open. A socket that a dead process left is replaced. */
export async function listenOnSocket(
  path: string,
  bounds: ServerOptions,
  listener: RequestListener,
  logger: Logger,
): Promise<Listening> {
  await removeDeadSocket(path);
  const server = createHttpServer(bounds, listener);
  const before = process.umask(0o177);
  try {
    await started(server, path, { path: asPath(path) }, (error) => whyNoSocket(path, error), logger);
  } finally {
    process.umask(before);
  }
  chmodSync(path, 0o600);
  return { server, url: `unix:${path}` };
}

async function started(
  server: Server | TlsServer,
  shown: string,
  where: ListenOptions,
  why: (error: NodeJS.ErrnoException) => string,
  logger: Logger,
): Promise<void> {
  try {
    await startListening(server, where, logger);
  } catch (error) {
    const problem = why(error as NodeJS.ErrnoException);
    throw new Error(`cannot serve the HTTP API on ${shown}: ${problem}`, { cause: error });
  }
}

/** Node takes a number for a port, which would be open to everybody. */
function asPath(path: string): string {
  return isAbsolute(path) ? path : `./${path}`;
}

/** In words for the person who chose the path. A directory that is not there is EACCES to libuv. */
function whyNoSocket(path: string, error: NodeJS.ErrnoException): string {
  if (error.code === 'EINVAL' || error.code === 'ENAMETOOLONG') return 'the path is too long for a socket';
  if (error.code === 'EADDRINUSE' && statSync(path, { throwIfNoEntry: false })?.isSocket() === false)
    return 'a file is there that is no socket';
  if (error.code !== 'EACCES') return whyNotListening(error);
  return existsSync(dirname(path))
    ? 'this process may not write into its directory'
    : 'its directory does not exist';
}

async function removeDeadSocket(path: string): Promise<void> {
  if (statSync(path, { throwIfNoEntry: false })?.isSocket() !== true) return;
  const probe = connect({ path: asPath(path) });
  try {
    await once(probe, 'connect');
    // Somebody serves it; the error of listening shows it.
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ECONNREFUSED') unlinkSync(path);
  } finally {
    probe.destroy();
  }
}

/**
 * Certificates are renewed while the process runs. Connections whose callers another authority let in are closed: they would be let in for as long as
 * they keep them open. Ends with the server.
 */
function followCertificates(
  server: TlsServer,
  tls: TlsFiles,
  first: SecureContextOptions['ca'],
  clock: Clock,
  logger: Logger,
): void {
  let version = versionOfFiles(tls);
  let authority = first;
  const look = (): (() => void) =>
    clock.setTimer(certificatesEveryMs, () => {
      try {
        const now = versionOfFiles(tls);
        if (now !== version) {
          const files = readTlsFiles(tls, logger);
          server.setSecureContext(files);
          if (files.ca !== authority) server.closeAllConnections();
          authority = files.ca;
        }
        version = now;
      } catch (error) {
        logger.warn({ err: error, file: tls.certFile }, 'certificate cannot be read; the last one stays');
      }
      cancel = look();
    });
  let cancel = look();
  server.once('close', () => cancel());
}
