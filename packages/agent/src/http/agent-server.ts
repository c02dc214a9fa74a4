import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHttpServer, parseAddress, type Clock, type Logger } from '@atoll/kube';
import { refusal, type Answer } from './answer.ts';
import { matchRoute, type Route } from './routes.ts';

/** Bounds of one server: what the node's other programs may take of the agent. */
const limits = {
  connections: 64,
  bodyBytes: 64 * 1024,
  /** For the head, then for the whole request, in milliseconds. */
  headMs: 10_000,
  requestMs: 15_000,
  /** An idle connection. */
  keepAliveMs: 30_000,
} as const;

export interface AgentServerOptions {
  readonly routes: readonly Route[];
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called after each answer. */
  readonly answered: (answered: {
    readonly route: string;
    readonly method: string;
    readonly code: number;
  }) => void;
}

export interface AgentServer {
  /** With the port that was chosen. */
  readonly url: string;
  close(): Promise<void>;
}

/** Serves the routes; rejects where it cannot listen, with the cause for the author of the flag. */
export async function startAgentServer(options: AgentServerOptions, address: string): Promise<AgentServer> {
  const server = createHttpServer(
    { headersTimeout: limits.headMs, requestTimeout: limits.requestMs, keepAliveTimeout: limits.keepAliveMs },
    (request, response) => void serve(options, request, response),
  );
  server.maxConnections = limits.connections;
  const { host, port } = parseAddress(address);
  await listen(server, { host, port }, address);
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

function listen(
  server: Server,
  where: { readonly host: string | undefined; readonly port: number },
  shown: string,
): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'EADDRINUSE' ? 'another process listens there' : error.message;
      reject(new Error(`cannot serve the HTTP API on ${shown}: ${why}`, { cause: error }));
    });
    server.listen(where, resolve);
  });
}

async function serve(
  options: AgentServerOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const startedAt = options.clock.monotonic();
  const { method = '' } = request;
  // Not decoded: a name that can exist needs no escapes.
  const [path = '', query = ''] = (request.url ?? '').split('?', 2);
  const match = matchRoute(options.routes, method, path);
  const route = match.kind === 'route' ? match.route.path : 'unknown';
  const report = (code: number): void => {
    options.answered({ route, method, code });
    if (match.kind !== 'route' || match.route.writes !== true) return;
    const durationMs = Math.round(options.clock.monotonic() - startedAt);
    const { ns, pod } = match.parameters;
    const action = path.slice(path.lastIndexOf('/') + 1);
    const from = request.socket.remoteAddress ?? 'unix';
    options.logger.info({ audit: action, namespace: ns, pod, from, code, durationMs }, 'request to write');
  };
  try {
    const answer = await answerTo(request, async () => {
      if (match.kind === 'unknown') return refusal(404, '404 page not found\n');
      if (match.kind === 'wrong-method') {
        response.setHeader('allow', match.allowed.join(', '));
        return refusal(405, '');
      }
      const { parameters } = match;
      return match.route.handle({ parameters, query: new URLSearchParams(query), request, response });
    });
    if (answer !== undefined) reply(response, answer);
    report(response.statusCode);
  } catch (error) {
    // The caller has gone before its request was here as a whole.
    if (request.destroyed && !request.complete) return;
    options.logger.error({ err: error, method, path }, 'request failed');
    if (response.headersSent) response.destroy();
    else reply(response, refusal(500, 'internal error'));
    report(500);
  }
}

async function answerTo(
  request: IncomingMessage,
  handle: () => Promise<Answer | undefined>,
): Promise<Answer | undefined> {
  if (!(await readBody(request))) return refusal(413, 'request body is larger than 65536 bytes');
  return handle();
}

/** No request needs a body. Yields whether it was within bounds. */
async function readBody(request: IncomingMessage): Promise<boolean> {
  if (Number(request.headers['content-length'] ?? 0) > limits.bodyBytes) return false;
  let bytes = 0;
  for await (const chunk of request) {
    bytes += (chunk as Buffer).length;
    if (bytes > limits.bodyBytes) return false;
  }
  return true;
}

function reply(response: ServerResponse, { code, body, contentType }: Answer): void {
  response.writeHead(code, {
    'content-type': contentType,
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    // The rest of a body that is too large is not read.
    ...(code === 413 ? { connection: 'close' } : {}),
  });
  response.end(body);
}
