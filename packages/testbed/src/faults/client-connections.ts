import { createServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import type { Server as HttpsServer } from 'node:https';
import type { TLSSocket } from 'node:tls';
import type { TrafficCounter } from './traffic.ts';

/**
 * Accepts the clients' connections in front of the HTTPS server, so that a fault may reset one, refuse new ones or
 * leave them unanswered. The port stays ours all the time: a cut resets connections instead of closing the port,
 * because a port given back could be somebody else's when the cut heals.
 */
export class ClientConnections {
  readonly #front: Server;
  readonly #https: HttpsServer;
  /** By the client's port: TLS hides the socket that can be reset. */
  readonly #raw = new Map<number, Socket>();
  readonly #secured = new Set<TLSSocket>();
  #parked: Socket[] = [];
  #state: 'open' | 'cut' | 'frozen' = 'open';
  #whenOpen: { readonly promise: Promise<void>; readonly resolve: () => void } | undefined;

  constructor(https: HttpsServer, traffic: TrafficCounter) {
    this.#https = https;
    this.#https.on('secureConnection', (socket: TLSSocket) => {
      this.#secured.add(socket);
      socket.on('close', () => this.#secured.delete(socket));
      if (this.#state === 'frozen') socket.cork();
    });
    this.#front = createServer({ noDelay: true, pauseOnConnect: true }, (socket) => {
      const port = socket.remotePort ?? 0;
      traffic.connected();
      this.#raw.set(port, socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        traffic.disconnected();
        this.#raw.delete(port);
      });
      this.#accept(socket);
    });
  }

  async listen(): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#front.once('error', reject);
      this.#front.listen(0, '127.0.0.1', resolve);
    });
    const address = this.#front.address();
    if (address === null || typeof address === 'string') throw new Error('the proxy has no TCP address');
    return address.port;
  }

  /** Resolves at once unless connections are frozen; then when they heal. */
  async whenOpen(): Promise<void> {
    await this.#whenOpen?.promise;
  }

  reset(socket: { readonly remotePort?: number | undefined; destroy(): unknown }): void {
    const raw = this.#raw.get(socket.remotePort ?? 0);
    raw?.resetAndDestroy();
    socket.destroy();
  }

  cut(): void {
    this.#state = 'cut';
    for (const socket of this.#raw.values()) socket.resetAndDestroy();
    for (const socket of this.#secured) socket.destroy();
    this.#parked = [];
  }

  freeze(): void {
    if (this.#state === 'frozen') return;
    this.#state = 'frozen';
    this.#whenOpen = Promise.withResolvers<void>();
    for (const socket of this.#secured) socket.cork();
  }

  heal(): void {
    if (this.#state === 'frozen') for (const socket of this.#secured) socket.uncork();
    this.#state = 'open';
    this.#whenOpen?.resolve();
    this.#whenOpen = undefined;
    const parked = this.#parked;
    this.#parked = [];
    for (const socket of parked) if (!socket.destroyed) this.#accept(socket);
  }

  async close(): Promise<void> {
    this.cut();
    this.#whenOpen?.resolve();
    await new Promise<void>((resolve) => this.#front.close(() => resolve()));
  }

  #accept(socket: Socket): void {
    switch (this.#state) {
      case 'cut':
        socket.resetAndDestroy();
        return;
      case 'frozen':
        this.#parked.push(socket);
        return;
      case 'open':
        this.#https.emit('connection', socket);
    }
  }
}
