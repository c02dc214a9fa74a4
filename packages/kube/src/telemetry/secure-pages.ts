import type { IncomingMessage, ServerResponse } from 'node:http';
import { HttpsServer } from '../certificates/https-server.ts';
import { serveCertified } from '../certificates/serve-certified.ts';
import type { CertificateSource } from '../certificates/serving-certificate.ts';
import type { Clock } from '../clock/clock.ts';
import type { Part } from '../manager/manager.ts';
import type { Logger } from './logger.ts';
import { answerPage, isPage, type Pages } from './pages.ts';
import { reply } from './reply.ts';
import { requestUrl } from '../serving/request-url.ts';

/** What {@link SecurePages} serves, and with which certificates. */
export interface SecurePagesOptions {
  /** `host:port` or `:port` for all addresses; port 0 lets the kernel choose. */
  readonly address: string;
  readonly pages: Pages;
  readonly certificates: CertificateSource;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Prometheus keeps one connection for each page; people have a few. */
const connectionLimit = 64;

/**
 * Metrics, gauges and guarded pages over HTTPS, as a part of a manager: served from the beginning to the end, leader or not. Without a
 * certificate no handshake succeeds; the process goes on.
 */
export class SecurePages implements Part {
  readonly name = 'metrics';
  readonly #options: SecurePagesOptions;
  readonly #server: HttpsServer;

  constructor(options: SecurePagesOptions) {
    this.#options = options;
    const { address, clock, logger, pages } = options;
    this.#server = new HttpsServer({
      address,
      serves: 'metrics',
      clock,
      logger,
      connectionLimit,
      listener: (request, response) => {
        answer(pages, request, response).catch((error: unknown) => {
          logger.error({ err: error, path: request.url }, 'a page failed');
          if (!response.headersSent) reply(response, 500, 'internal error\n');
          else response.end();
        });
      },
    });
  }

  /** Rejects where the address cannot be used. What is wrong with certificates is logged and tried again. */
  async run(signal: AbortSignal): Promise<void> {
    const { certificates, logger } = this.#options;
    let first = true;
    await serveCertified(this.#server, certificates, logger, signal, (_, port) => {
      const message = first ? 'serving metrics over HTTPS' : 'serving metrics with another certificate';
      logger.info({ port }, message);
      first = false;
    });
  }
}

async function answer(pages: Pages, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname } = requestUrl(request);
  if (!isPage(pages, pathname)) return reply(response, 404, 'not found\n');
  return answerPage(pages, pathname, request, response);
}
