import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { createClient, type ClientOptions } from '../client/create-client.ts';
import type { ClusterAccess } from '../credentials/cluster-access.ts';
import { noTerminal } from '../credentials/plugin-terminal.ts';
import type { StreamingClient } from '../client/streaming-client.ts';

/** A request as the server got it. */
export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Answers one request, or lets it hang. */
export type Answer = (request: SeenRequest, response: ServerResponse, socket: Socket) => void;

/** A small HTTP server for the specs of the client: it answers as given and keeps the requests. */
export class TestServer implements AsyncDisposable {
  readonly requests: SeenRequest[] = [];
  /** Connections that were ever opened. */
  connections = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #clients: StreamingClient[] = [];

  private constructor(server: Server) {
    this.#server = server;
    server.on('connection', (socket) => {
      this.connections += 1;
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
      socket.on('error', () => undefined);
    });
  }

  static async start(answer: Answer): Promise<TestServer> {
    const server = createServer();
    const started = new TestServer(server);
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const seen = {
          method: request.method ?? '',
          url: request.url ?? '',
          headers: request.headers,
          body: Buffer.concat(chunks).toString('utf8'),
        };
        started.requests.push(seen);
        answer(seen, response, request.socket);
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return started;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get openSockets(): number {
    return this.#sockets.size;
  }

  access(more: Partial<ClusterAccess> = {}): ClusterAccess {
    return { server: this.url, insecureSkipTlsVerify: false, authorization: { type: 'none' }, ...more };
  }

  /** A client of this server that is closed together with it. Pauses between tries are short, and nobody is at a terminal. */
  client(options: ClientOptions = {}, access: Partial<ClusterAccess> = {}): StreamingClient {
    const client = createClient(this.access(access), {
      retry: { firstPauseMs: 1 },
      terminal: noTerminal,
      ...options,
    });
    this.#clients.push(client);
    return client;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.close()));
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}

/** Answers with JSON. */
export function answerJson(
  response: ServerResponse,
  code: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(code, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

/** A `metav1.Status` as the API server sends it. */
export function answerStatus(
  response: ServerResponse,
  code: number,
  reason: string,
  message: string,
  headers: Record<string, string> = {},
): void {
  answerJson(
    response,
    code,
    { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message },
    headers,
  );
}
