import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  boundConnections,
  boundedPipeline,
  isRebound,
  parseAddress,
  whyRebound,
  type Clock,
  type Logger,
} from '@atoll/kube';
import { refusal, type Answer } from './answer.ts';
import { anyOf, trustCertificate, trustConnection, trustToken, type Authenticator } from './authenticator.ts';
import { listenOnAddress, listenOnSocket, type Listening } from './listen.ts';
import { matchRoute, type Match, type Route } from './routes.ts';
import type { TlsFiles } from './tls-files.ts';

/** Bounds of one server: what the node's other programs may take of the agent. */
const maxConnections = 64;
const maxBodyBytes = 64 * 1024;
/** Milliseconds for the head, then for the whole request, and for an idle connection; how often the first two are looked at. */
const bounds = {
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  keepAliveTimeout: 30_000,
  connectionsCheckingInterval: 5_000,
};
/** Milliseconds after which a connection is closed on which nothing moves, as where the caller does not read its answer. */
const silenceMs = 60_000;

/** Where the API is served, and to whom. */
export interface Serving {
  /** `host:port`; undefined: on no address. */
  readonly address: string | undefined;
  /** Undefined: plain HTTP. */
  readonly tls: TlsFiles | undefined;
  /** Holds the bearer token that callers of the address must send, unless they have a certificate. */
  readonly tokenFile: string | undefined;
  /** The path of a unix socket, to which the mode of its file decides who has access. */
  readonly socket: string | undefined;
}

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
  /** With the port that was chosen; the address first. */
  readonly urls: readonly string[];
  close(): Promise<void>;
}

/** Serves the routes; rejects where it cannot listen, with the cause for the author of the flag. */
export async function startAgentServer(options: AgentServerOptions, serving: Serving): Promise<AgentServer> {
  const { address, tls, socket } = serving;
  const listening: Listening[] = [];
  const listener = (door: Door) =>
    boundedPipeline((request, response) => void serve(options, door, request, response));
  const close = async (): Promise<void> => {
    await Promise.all(listening.map(closeServer));
  };
  try {
    if (address !== undefined) {
      const trusted = listener(doorOf(serving, address, options.logger));
      listening.push(await listenOnAddress(address, tls, bounds, trusted, options));
    }
    if (socket !== undefined) {
      const trusted = listener({ authenticate: trustConnection('socket'), isOfPage: () => false });
      listening.push(await listenOnSocket(socket, bounds, trusted, options.logger));
    }
  } catch (error) {
    await close();
    throw error;
  }
  for (const { server } of listening) {
    boundConnections(server, maxConnections);
    server.setTimeout(silenceMs);
  }
  return { urls: listening.map(({ url }) => url), close };
}

/** Who is let in. */
interface Door {
  readonly authenticate: Authenticator;
  /** Whether it comes from a web page that lets its name lead here. */
  readonly isOfPage: (request: IncomingMessage) => boolean;
}

/** A page has no credentials, and with TLS no certificate for its name. */
function doorOf({ tokenFile, tls }: Serving, address: string, logger: Logger): Door {
  const known = [
    ...(tls?.clientCaFile === undefined ? [] : [trustCertificate]),
    ...(tokenFile === undefined ? [] : [trustToken(tokenFile, logger)]),
  ];
  if (known.length > 0) return { authenticate: anyOf(known), isOfPage: () => false };
  const bound = parseAddress(address);
  return {
    authenticate: trustConnection('anyone'),
    isOfPage: (request) => tls === undefined && isRebound(request, bound),
  };
}

async function closeServer({ server }: Listening): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

async function serve(
  options: AgentServerOptions,
  { authenticate, isOfPage }: Door,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const startedAt = options.clock.monotonic();
  const { method = '' } = request;
  // A body that is not read to its end takes the socket off the request.
  const from = request.socket.remoteAddress ?? 'socket';
  // Not decoded: a name that can exist needs no escapes.
  const [path = '', query = ''] = (request.url ?? '').split('?', 2);
  const match = matchRoute(options.routes, method, path);
  let caller: string | undefined;
  const report = (code: number): void => {
    options.answered({ route: match.kind === 'route' ? match.route.path : 'unknown', method, code });
    if (match.kind !== 'route' || match.route.writes !== true) return;
    const durationMs = Math.round(options.clock.monotonic() - startedAt);
    const { ns, pod } = match.parameters;
    const action = path.slice(path.lastIndexOf('/') + 1);
    const fields = {
      audit: action,
      method,
      namespace: ns,
      pod,
      caller: caller ?? 'unknown',
      from,
      code,
      durationMs,
    };
    options.logger.info(fields, 'request to write');
  };
  try {
    const isRefused = !isOpen(match) && isOfPage(request);
    if (!isRefused) caller = await authenticate(request);
    const answer = isRefused
      ? refusal(421, whyRebound)
      : await answerTo(match, caller, from, query, request, response);
    if (answer !== undefined) reply(response, answer);
    report(response.statusCode);
  } catch (error) {
    if (error instanceof CallerHasGone) return;
    options.logger.error({ err: error, method, path }, 'request failed');
    if (response.headersSent) response.destroy();
    else reply(response, refusal(500, 'internal error'));
    report(500);
  }
}

function isOpen(match: Match): boolean {
  return match.kind === 'route' && match.route.open === true;
}

async function answerTo(
  match: Match,
  caller: string | undefined,
  from: string,
  query: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Answer | undefined> {
  if (caller === undefined && !isOpen(match)) {
    response.setHeader('www-authenticate', 'Bearer');
    return refusal(401, 'Unauthorized');
  }
  if (match.kind === 'unknown') return refusal(404, '404 page not found\n');
  if (match.kind === 'wrong-method') {
    response.setHeader('allow', match.allowed.join(', '));
    return refusal(405, '');
  }
  const { route, parameters } = match;
  // A page of some site must not upgrade the pods of the node on which it is read.
  if (route.writes === true && isSentByPage(request))
    return refusal(403, 'requests of web pages are refused');
  if (!(await readBody(request))) return refusal(413, `request body is larger than ${maxBodyBytes} bytes`);
  const called = { caller: `${caller ?? 'anyone'} ${from}`, parameters, query: new URLSearchParams(query) };
  return route.handle({ ...called, request, response });
}

/** Browsers send one of them with what a page asks for; `none` is what a person typed. */
function isSentByPage({ headers }: IncomingMessage): boolean {
  return headers.origin !== undefined || (headers['sec-fetch-site'] ?? 'none') !== 'none';
}

/** Before anything was done for it: there is nothing to answer, and nothing went wrong here. */
class CallerHasGone extends Error {}

/** No request needs a body. Yields whether it was within bounds. */
async function readBody(request: IncomingMessage): Promise<boolean> {
  if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes) return false;
  let bytes = 0;
  try {
    for await (const chunk of request) {
      bytes += (chunk as Buffer).length;
      if (bytes > maxBodyBytes) return false;
    }
  } catch (error) {
    throw new CallerHasGone('the connection was closed', { cause: error });
  }
  return true;
}

function reply(response: ServerResponse, { code, body, contentType }: Answer): void {
  response.writeHead(code, {
    'content-type': contentType,
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    // What was not read of a body is not read any more.
    ...(response.req.complete ? {} : { connection: 'close' }),
  });
  response.end(body);
}
