import type { IncomingMessage, ServerResponse } from 'node:http';
import type { KeyAndCertificate } from '../certificates/certificate.ts';
import { HttpsServer } from '../certificates/https-server.ts';
import type { Clock } from '../clock/clock.ts';
import { wholeObject, type Projection } from '../decoder/projection.ts';
import { parseDuration } from '../values/duration.ts';
import { ownField } from '../values/own-field.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { KubeObject } from '../objects/object.ts';
import {
  AdmissionReviewError,
  AdmissionReviewReader,
  writeAdmissionReview,
  type AdmissionAnswer,
  type AdmissionRequest,
} from './admission-review.ts';
import { BodyGivenUpError, BodyReader, BodyTooLargeError } from './read-body.ts';
import type { WebhookMetrics } from './webhook-metrics.ts';
import { requestUrl } from '../serving/request-url.ts';

/**
 * Answers one admission request. The signal ends when the API server no longer waits. A handler that rejects denies
 * nothing: the API server gets a failure, and its failurePolicy decides. It rejects with an {@link AdmissionReviewError} where the
 * request is to blame: that is answered with 400, and nothing is logged as an error.
 */
export type AdmissionHandler = (request: AdmissionRequest, signal: AbortSignal) => Promise<AdmissionAnswer>;

/** What an {@link AdmissionServer} serves, and within which bounds. */
export interface AdmissionServerOptions {
  /** `host:port` or `:port` for all addresses; port 0 lets the kernel choose. */
  readonly address: string;
  /** By path, which also names the webhook in metrics. */
  readonly handlers: Readonly<Record<string, AdmissionHandler>>;
  /**
   * What handlers read of objects and old objects; default all but `metadata.managedFields`. A patch may only touch
   * what is read.
   */
  readonly reads?: Projection<KubeObject>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics?: WebhookMetrics | undefined;
  /** Bytes of a request; default 8 MiB: an object and its older self are at most 3 MiB each. */
  readonly bodyLimit?: number;
  /** Bytes of all bodies that are on their way; default 64 MiB. Beyond, the slowest are given up. */
  readonly bodiesLimit?: number;
  /** Connections at the same time; default 512. Beyond, the one is closed that has been without a whole request for longest. */
  readonly connectionLimit?: number;
  /** Milliseconds that requests under way get when the server ends; default 5 seconds. */
  readonly shutdownMs?: number;
  /**
   * Milliseconds for which requests are still answered when the server is to end, each with the word to close its connection. A pod is taken
   * off its Service only after it was asked to end, and the API server goes on to ask it meanwhile. Default 0.
   */
  readonly lingerMs?: number;
}

const defaultBodyLimit = 8 * 1024 * 1024;
const defaultBodiesLimit = 64 * 1024 * 1024;
/** The API server opens one for each admission under way. */
const defaultConnectionLimit = 512;
/** What the API server waits for at most, where it does not state how long it waits. Source: `timeoutSeconds`, 1 to 30. */
const longestTimeoutMs = 30_000;

/** Serves `admission.k8s.io/v1` webhooks over TLS. Every replica of an operator may: nothing is kept between requests. */
export class AdmissionServer {
  readonly #options: AdmissionServerOptions;
  readonly #server: HttpsServer;
  readonly #reader: AdmissionReviewReader;
  readonly #bodies: BodyReader;
  /** Requests under way; ended with the server. */
  readonly #underWay = new Set<AbortController>();

  constructor(options: AdmissionServerOptions) {
    this.#options = options;
    this.#reader = new AdmissionReviewReader(options.reads ?? wholeObject());
    this.#bodies = new BodyReader(options.bodiesLimit ?? defaultBodiesLimit);
    const {
      address,
      clock,
      logger,
      shutdownMs,
      lingerMs,
      connectionLimit = defaultConnectionLimit,
    } = options;
    this.#server = new HttpsServer({
      address,
      serves: 'webhooks',
      clock,
      logger,
      connectionLimit,
      shutdownMs,
      lingerMs,
      listener: (request, response) => {
        this.#serve(request, response).catch((error: unknown) => {
          logger.error({ err: error, path: request.url }, 'admission request failed');
          response.destroy();
        });
      },
    });
  }

  /** undefined: requests can be answered. */
  get problem(): string | undefined {
    return this.#server.problem;
  }

  /** From the next handshake on; connections that are open keep what they have. Throws where the two do not fit. */
  useCertificate(certificate: KeyAndCertificate): void {
    this.#server.useCertificate(certificate);
  }

  /** Yields the port. Rejects with the address and the reason where it cannot listen. */
  async listen(): Promise<number> {
    return this.#server.listen();
  }

  /** Lingers, then takes no more connections, lets requests under way end, and cuts off what takes too long. */
  async close(): Promise<void> {
    return this.#server.close(() => {
      for (const request of this.#underWay) request.abort();
    });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { handlers, metrics, clock } = this.#options;
    const url = requestUrl(request);
    const webhook = url.pathname;
    const handler = ownField(handlers, webhook);
    if (handler === undefined) return reply(response, 404, `no webhook at ${webhook}\n`);
    const began = clock.monotonic();
    metrics?.inFlight.inc({ webhook });
    let code = 500;
    try {
      code = await this.#answer(request, response, handler, timeoutOf(url));
    } finally {
      metrics?.inFlight.dec({ webhook });
      metrics?.requests.inc({ webhook, code: String(code) });
      metrics?.latency.observe({ webhook }, (clock.monotonic() - began) / 1000);
    }
  }

  async #answer(
    request: IncomingMessage,
    response: ServerResponse,
    handler: AdmissionHandler,
    timeoutMs: number,
  ): Promise<number> {
    const { logger, bodyLimit = defaultBodyLimit } = this.#options;
    const refuse = (code: number, why: string): number => {
      // A request that was not read to its end leaves the connection unusable.
      if (!request.complete || this.#server.closing) response.setHeader('connection', 'close');
      reply(response, code, `${why}\n`);
      return code;
    };
    if (request.method !== 'POST') {
      response.setHeader('allow', 'POST');
      return refuse(405, 'method not allowed');
    }
    if (!/^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? '')) {
      return refuse(415, 'the content type must be application/json');
    }
    if (Number(request.headers['content-length'] ?? 0) > bodyLimit) {
      return refuse(413, `the body is larger than ${bodyLimit} bytes`);
    }
    const review = await this.#readReview(request, bodyLimit);
    if (!review.ok) return refuse(review.code, review.why);
    const { uid, operation, name, namespace } = review.request;
    try {
      const answer = await this.#within(timeoutMs, request, async (signal) =>
        handler(review.request, signal),
      );
      if (answer === undefined) return refuse(504, 'the webhook took too long');
      if (this.#server.closing) response.setHeader('connection', 'close');
      reply(response, 200, writeAdmissionReview(uid, answer), 'application/json');
      return 200;
    } catch (error) {
      if (error instanceof AdmissionReviewError) return refuse(400, error.message);
      logger.error({ err: error, operation, namespace, name, path: request.url }, 'admission handler failed');
      return refuse(500, 'the webhook failed');
    }
  }

  async #readReview(request: IncomingMessage, limit: number): Promise<ReadReview> {
    try {
      return { ok: true, request: this.#reader.read(await this.#bodies.read(request, limit)) };
    } catch (error) {
      if (error instanceof BodyTooLargeError) return { ok: false, code: 413, why: error.message };
      if (error instanceof BodyGivenUpError) return { ok: false, code: 408, why: error.message };
      if (error instanceof AdmissionReviewError) return { ok: false, code: 400, why: error.message };
      throw error;
    }
  }

  /** undefined: it did not end in time. */
  async #within<T>(
    timeoutMs: number,
    request: IncomingMessage,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T | undefined> {
    const abort = new AbortController();
    this.#underWay.add(abort);
    const gone = (): void => abort.abort();
    request.socket.once('close', gone);
    const late = Promise.withResolvers<undefined>();
    const cancel = this.#options.clock.setTimer(timeoutMs, () => {
      late.resolve(undefined);
      abort.abort();
    });
    try {
      // Work that rejects after it lost does no harm: the race handles the rejections of all of its promises.
      return await Promise.race([work(abort.signal), late.promise]);
    } finally {
      cancel();
      request.socket.off('close', gone);
      this.#underWay.delete(abort);
    }
  }
}

type ReadReview =
  | { readonly ok: true; readonly request: AdmissionRequest }
  | { readonly ok: false; readonly code: number; readonly why: string };

/** The API server states with every request how long it waits: `?timeout=5s`. */
function timeoutOf(url: URL): number {
  const text = url.searchParams.get('timeout');
  try {
    const given = text === null ? longestTimeoutMs : parseDuration(text);
    return given > 0 ? Math.min(given, longestTimeoutMs) : longestTimeoutMs;
  } catch {
    return longestTimeoutMs;
  }
}

function reply(response: ServerResponse, code: number, body: string, contentType = 'text/plain'): void {
  response.writeHead(code, {
    'content-type': contentType,
    'content-length': Buffer.byteLength(body),
    'x-content-type-options': 'nosniff',
  });
  response.end(body);
}
