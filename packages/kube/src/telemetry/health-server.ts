import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AddressError, parseAddress } from '../serving/address.ts';
import { boundConnections } from '../serving/bound-connections.ts';
import { boundedPipeline } from '../serving/bounded-pipeline.ts';
import { createHttpServer } from '../serving/node-servers.ts';
import { isRebound, whyRebound } from '../serving/stranger-host.ts';
import { startListening } from '../serving/start-listening.ts';
import { whyNotListening } from '../serving/why-not-listening.ts';
import type { Logger } from './logger.ts';
import { answerPage, isPage, type Pages } from './pages.ts';
import { refuseMethod, reply } from './reply.ts';
import { requestUrl } from '../serving/request-url.ts';

/** Yields what is wrong, undefined where all is well. */
export type HealthCheck = () => string | undefined;
/** Checks by name, as `/readyz?verbose` lists them. */
export type HealthChecks = Readonly<Record<string, HealthCheck>>;

/** What a health server serves. Health is open to all, because probes send no token. */
export interface HealthServerOptions extends Pages {
  /** As `parseAddress` reads it; port 0 lets the kernel choose. */
  readonly address: string;
  /** For `/healthz`: whether the process should be restarted. */
  readonly health?: HealthChecks;
  /** For `/readyz`: whether it does its work. */
  readonly ready?: HealthChecks;
  /** Where metrics, gauges and guarded pages are served over HTTPS (`port 8443`); here they are then refused, also with a token that may see them. */
  readonly pagesOverHttps?: string | undefined;
  readonly logger: Logger;
}

/** A health server that listens. */
export interface HealthServer {
  /** `http://host:port`, with the port that was chosen. */
  readonly url: string;
  close(): Promise<void>;
}

/** What reaches a pod reaches this port: so many connections, and for so long, in milliseconds. */
const mostConnections = 256;
const bounds = { headersTimeout: 10_000, requestTimeout: 30_000, connectionsCheckingInterval: 5_000 };
const silenceMs = 60_000;

/**
 * Serves `/healthz`, `/readyz` (each with `?verbose`, `?exclude=name` and `/name` for one check, as the API server
 * does), and the other pages. Rejects with an {@link AddressError} where it cannot listen.
 */
export async function startHealthServer(options: HealthServerOptions): Promise<HealthServer> {
  const bound = parseAddress(options.address);
  const { host, port } = bound;
  const refused = { warned: false };
  const server = createHttpServer(
    bounds,
    boundedPipeline((request, response) => {
      answer(options, bound, refused, request, response).catch((error: unknown) => {
        options.logger.error({ err: error, path: request.url }, 'health request failed');
        if (!response.headersSent) reply(response, 500, 'internal error\n');
        else response.end();
      });
    }),
  );
  // Probes come every few seconds; a connection that waits longer is nobody's.
  server.keepAliveTimeout = 30_000;
  server.setTimeout(silenceMs);
  boundConnections(server, mostConnections);
  try {
    await startListening(server, { host, port }, options.logger);
  } catch (error) {
    const why = whyNotListening(error as NodeJS.ErrnoException);
    throw new AddressError(`cannot serve health on ${options.address}: ${why}`, { cause: error });
  }
  // Serving health is no reason for a process to go on.
  server.unref();
  const listening = server.address() as AddressInfo;
  const shown = listening.family === 'IPv6' ? `[${listening.address}]` : listening.address;
  return {
    url: `http://${shown}:${listening.port}`,
    close: async () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  options: HealthServerOptions,
  bound: ReturnType<typeof parseAddress>,
  refused: { warned: boolean },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = requestUrl(request);
  const { method = '' } = request;
  const path = url.pathname;
  if (isPage(options, path)) {
    const { pagesOverHttps, metricsAccess, logger } = options;
    if (pagesOverHttps === undefined) {
      // Where no token is asked for.
      if (metricsAccess === undefined && isRebound(request, bound))
        return reply(response, 421, `${whyRebound}\n`);
      return answerPage(options, path, request, response);
    }
    if (request.headers.authorization !== undefined && !refused.warned) {
      // Once: the client is set up so, and asks every few seconds.
      refused.warned = true;
      logger.warn(
        { path, client: request.socket.remoteAddress },
        'a token was sent in plain text and may have been read on its way: let this client use HTTPS, and replace the token',
      );
    }
    return reply(
      response,
      403,
      `${path} is served over HTTPS only, on ${pagesOverHttps}: a token must not travel in plain text.\n`,
    );
  }
  if (method !== 'GET' && method !== 'HEAD') return refuseMethod(response, ['GET', 'HEAD']);
  const [, endpoint = '', check, ...rest] = path.split('/');
  if (rest.length === 0) {
    if (endpoint === 'healthz') return report(response, url, 'healthz', options.health ?? {}, check);
    if (endpoint === 'readyz') return report(response, url, 'readyz', options.ready ?? {}, check);
  }
  return reply(response, 404, 'not found\n');
}

function report(
  response: ServerResponse,
  url: URL,
  endpoint: string,
  checks: HealthChecks,
  only: string | undefined,
): void {
  const all: HealthChecks = { ping: () => undefined, ...checks };
  if (only !== undefined && only !== '' && !Object.hasOwn(all, only))
    return reply(response, 404, `no check ${only}\n`);
  const excluded = new Set(url.searchParams.getAll('exclude'));
  const results = Object.entries(all)
    .filter(([name]) => (only === undefined || only === '' ? !excluded.has(name) : name === only))
    .map(([name, check]) => ({ name, problem: run(check) }));
  const failed = results.filter(({ problem }) => problem !== undefined).length > 0;
  if (!failed && !url.searchParams.has('verbose')) return reply(response, 200, 'ok');
  const lines = results.map(({ name, problem }) =>
    problem === undefined ? `[+]${name} ok` : `[-]${name} failed: ${problem}`,
  );
  return reply(
    response,
    failed ? 500 : 200,
    `${lines.join('\n')}\n${endpoint} check ${failed ? 'failed' : 'passed'}\n`,
  );
}

function run(check: HealthCheck): string | undefined {
  try {
    return check();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
