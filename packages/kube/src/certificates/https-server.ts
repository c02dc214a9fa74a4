import type { RequestListener } from 'node:http';
import type { Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { sleep, type Clock } from '../clock/clock.ts';
import { parseAddress } from '../serving/address.ts';
import type { Logger } from '../telemetry/logger.ts';
import { boundConnections } from '../serving/bound-connections.ts';
import { boundedPipeline } from '../serving/bounded-pipeline.ts';
import { createHttpsServer } from '../serving/node-servers.ts';
import { startListening } from '../serving/start-listening.ts';
import { whyNotListening } from '../serving/why-not-listening.ts';
import type { KeyAndCertificate } from './certificate.ts';

/** What an {@link HttpsServer} is made of. */
export interface HttpsServerOptions {
  /** As `parseAddress` reads it; port 0 lets the kernel choose. */
  readonly address: string;
  /** What it serves, for messages: `webhooks`. */
  readonly serves: string;
  readonly listener: RequestListener;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Connections at the same time. Beyond, the one is closed that has been without a whole request for longest. */
  readonly connectionLimit: number;
  /** Milliseconds that requests under way get when the server ends; default 5 seconds. */
  readonly shutdownMs?: number | undefined;
  /** Milliseconds for which it goes on to answer when it is to end: clients are told later that it is gone. Default 0. */
  readonly lingerMs?: number | undefined;
}

/** A handshake, and the head of a request, come at once or from somebody who only holds a place. */
const headMs = 10_000;
/** How often Node looks for requests that take too long. */
const checkMs = 5_000;
/** No client of ours sends a request, or waits for one, for longer. */
const requestMs = 30_000;
const minVersion = 'TLSv1.2';

/** Serves over TLS, with a certificate that may change while it serves. */
export class HttpsServer {
  readonly #options: HttpsServerOptions;
  readonly #server: Server;
  #certified = false;
  #closed: Promise<void> | undefined;

  constructor(options: HttpsServerOptions) {
    this.#options = options;
    // Without a certificate handshakes fail, and clients take the server for unreachable.
    const limits = { handshakeTimeout: headMs, headersTimeout: headMs, connectionsCheckingInterval: checkMs };
    this.#server = createHttpsServer({ minVersion, ...limits }, boundedPipeline(options.listener));
    // Longer than the API server, or Prometheus, keeps an idle connection, so that neither sends into one that closes.
    this.#server.keepAliveTimeout = 120_000;
    this.#server.requestTimeout = requestMs;
    boundConnections(this.#server, options.connectionLimit);
    this.#server.on('tlsClientError', (error) => {
      options.logger.debug({ err: error }, 'handshake failed');
    });
  }

  /** Whether it has begun to end. */
  get closing(): boolean {
    return this.#closed !== undefined;
  }

  /** undefined: requests can be answered. */
  get problem(): string | undefined {
    if (this.closing) return 'shutting down';
    if (!this.#server.listening) return 'not listening';
    return this.#certified ? undefined : 'no certificate yet';
  }

  /** From the next handshake on; connections that are open keep what they have. Throws where the two do not fit. */
  useCertificate({ certificatePem, keyPem }: KeyAndCertificate): void {
    this.#server.setSecureContext({ cert: certificatePem, key: keyPem, minVersion });
    this.#certified = true;
  }

  /** Yields the port. Rejects with the address and the reason where it cannot listen. */
  async listen(): Promise<number> {
    const { address, serves, logger } = this.#options;
    const { host, port } = parseAddress(address);
    try {
      await startListening(this.#server, { host, port }, logger);
    } catch (error) {
      const why = whyNotListening(error as NodeJS.ErrnoException);
      throw new Error(`cannot serve ${serves} on ${address}: ${why}`, { cause: error });
    }
    return (this.#server.address() as AddressInfo).port;
  }

  /**
   * Answers for the time in which it lingers; then takes no more connections, lets requests under way end, and cuts off what takes too
   * long: `cut` is called then.
   */
  async close(cut: () => void = () => undefined): Promise<void> {
    this.#closed ??= this.#close(cut);
    return this.#closed;
  }

  async #close(cut: () => void): Promise<void> {
    const { clock, shutdownMs = 5_000, lingerMs = 0 } = this.#options;
    if (lingerMs > 0 && this.#certified && this.#server.listening) await sleep(clock, lingerMs);
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeIdleConnections();
    const cancel = clock.setTimer(shutdownMs, () => {
      cut();
      this.#server.closeAllConnections();
    });
    await closed;
    cancel();
  }
}
