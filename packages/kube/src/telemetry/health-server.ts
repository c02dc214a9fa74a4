import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Registry } from 'prom-client';
import { gaugesText, type GaugeFamily } from './gauges-text.ts';
import { answerGuarded, isGuarded, type GuardedPages } from './guarded-pages.ts';
import type { Logger } from './logger.ts';
import type { Metrics } from './metrics.ts';
import { createHttpServer } from './node-servers.ts';
import { openToAll, type PageAccess } from './page-access.ts';
import { letIn, refuseMethod, reply } from './reply.ts';

/** Yields what is wrong, undefined where all is well. */
export type HealthCheck = () => string | undefined;
/** Checks by name, as `/readyz?verbose` lists them. */
export type HealthChecks = Readonly<Record<string, HealthCheck>>;

/** Gauges that are computed when they are read, by the page that has them: `metrics` stands for `/metrics`. */
export type GaugePages = ReadonlyMap<string, () => readonly GaugeFamily[]>;

/** What a health server serves. */
export interface HealthServerOptions {
  /** `host:port`, `[v6]:port` or `:port` for all addresses; port 0 lets the kernel choose. */
  readonly address: string;
  /** For `/healthz`: whether the process should be restarted. */
  readonly health?: HealthChecks;
  /** For `/readyz`: whether it does its work. */
  readonly ready?: HealthChecks;
  readonly metrics?: Metrics | undefined;
  /** Those of `metrics` stand behind the manager's own metrics. */
  readonly gauges?: GaugePages | undefined;
  /** Who sees metrics and gauges; default: everybody who can connect. Health is open to all, because probes send no token. */
  readonly metricsAccess?: PageAccess | undefined;
  readonly guarded?: GuardedPages | undefined;
  readonly logger: Logger;
}

/** A health server that listens. */
export interface HealthServer {
  /** `http://host:port`, with the port that was chosen. */
  readonly url: string;
  close(): Promise<void>;
}

/** The address cannot be used; the message has the cause, for the author of the flag. */
export class HealthAddressError extends Error {
  override readonly name = 'HealthAddressError';
}

/**
 * Serves `/healthz`, `/readyz` (each with `?verbose`, `?exclude=name` and `/name` for one check, as the API server
 * does), `/metrics` and the pages of `gauges`. Rejects with a {@link HealthAddressError} where it cannot listen.
 */
export async function startHealthServer(options: HealthServerOptions): Promise<HealthServer> {
  const { host, port } = parseAddress(options.address);
  const server = createHttpServer((request, response) => {
    answer(options, request, response).catch((error: unknown) => {
      options.logger.error({ err: error, path: request.url }, 'health request failed');
      if (!response.headersSent) reply(response, 500, 'internal error\n');
      else response.end();
    });
  });
  // Probes come every few seconds; a connection that waits longer is nobody's.
  server.keepAliveTimeout = 30_000;
  await listen(server, host, port, options.address);
  // Serving health is no reason for a process to go on.
  server.unref();
  const bound = server.address() as AddressInfo;
  const shown = bound.family === 'IPv6' ? `[${bound.address}]` : bound.address;
  return {
    url: `http://${shown}:${bound.port}`,
    close: async () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Throws a {@link HealthAddressError}. An empty host means all addresses. */
export function parseAddress(address: string): { readonly host: string | undefined; readonly port: number } {
  const [, v6, host, digits] = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]*)):([0-9]+)$/.exec(address) ?? [];
  const port = Number(digits);
  if (digits === undefined || port > 65_535) {
    throw new HealthAddressError(
      `invalid address ${JSON.stringify(address)}: expected host:port like 127.0.0.1:8081, or :8081 for all addresses`,
    );
  }
  const named = v6 ?? host;
  return { host: named === '' ? undefined : named, port };
}

function listen(server: Server, host: string | undefined, port: number, address: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why =
        error.code === 'EADDRINUSE'
          ? 'another process listens there'
          : error.code === 'EACCES'
            ? 'ports below 1024 need a privilege'
            : error.message;
      reject(new HealthAddressError(`cannot serve health on ${address}: ${why}`, { cause: error }));
    });
    server.listen({ host, port }, resolve);
  });
}

async function answer(
  options: HealthServerOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://health');
  const { method = '' } = request;
  const { guarded } = options;
  if (guarded !== undefined && isGuarded(guarded, url.pathname))
    return answerGuarded(guarded, url.pathname, request, response);
  if (method !== 'GET' && method !== 'HEAD') return refuseMethod(response, ['GET', 'HEAD']);
  const [, endpoint = '', check, ...rest] = url.pathname.split('/');
  if (rest.length === 0) {
    if (endpoint === 'healthz') return report(response, url, 'healthz', options.health ?? {}, check);
    if (endpoint === 'readyz') return report(response, url, 'readyz', options.ready ?? {}, check);
    if (check === undefined && hasMetrics(options, endpoint)) {
      const access = options.metricsAccess ?? openToAll;
      if (!(await letIn(access, 'get', url.pathname, request, response))) return undefined;
      return reply(response, 200, await metricsPage(options, endpoint), Registry.PROMETHEUS_CONTENT_TYPE);
    }
  }
  return reply(response, 404, 'not found\n');
}

function hasMetrics({ metrics, gauges }: HealthServerOptions, name: string): boolean {
  return (name === 'metrics' && metrics !== undefined) || gauges?.has(name) === true;
}

async function metricsPage({ metrics, gauges }: HealthServerOptions, name: string): Promise<string> {
  const own = name === 'metrics' ? await metrics?.registry.metrics() : undefined;
  return (own ?? '') + gaugesText(gauges?.get(name)?.() ?? []);
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
