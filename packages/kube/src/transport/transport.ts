import { ApiError } from '../client/api-error.ts';
import { sleep, type Clock } from '../clock/clock.ts';
import { onAbort } from '../clock/on-abort.ts';
import { Authenticator, type Credentials } from '../credentials/authenticator.ts';
import type { ClusterAccess } from '../credentials/cluster-access.ts';
import type { PluginTerminal } from '../credentials/plugin-terminal.ts';
import type { Logger } from '../telemetry/logger.ts';
import { originOf, type Lane, type SocketLimits } from './connections.ts';
import { ConnectionLanes } from './connection-lanes.ts';
import { ExchangeError, type ExchangeRequest, type Method } from './dispatch.ts';
import {
  exchange,
  isOfApiServer,
  isSuccess,
  mostErrorBytes,
  type ExchangeLimits,
  type HttpResponse,
} from './exchange.ts';
import { noAnswer, notSent, refusal, type Attempt } from './failure.ts';
import { InFlightLimit } from './in-flight-limit.ts';
import { pauseBeforeRetry, type RetryPolicy } from './retry-policy.ts';
import { openStream, type StreamedResponse } from './stream.ts';
import { TimeLimit } from './time-limit.ts';
import { parseWarnings } from './warnings.ts';

export interface TransportRequest extends Attempt {
  readonly method: Method;
  /** Path and query below the server's base URL. */
  readonly path: string;
  readonly body?: string | undefined;
  readonly contentType?: string | undefined;
  readonly accept?: string | undefined;
  readonly lane: Exclude<Lane, 'watches'>;
  /** For all tries, the pauses between them and every wait together: nothing is sent any more after this time. */
  readonly timeoutMs?: number | undefined;
  /** Nothing is sent any more after so many milliseconds; what is sent has the rest of `timeoutMs` for its answer. */
  readonly sendWithinMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Tries in all; overrides the policy's. */
  readonly attempts?: number | undefined;
}

export type StreamRequest = Pick<TransportRequest, 'attempted' | 'path' | 'accept' | 'timeoutMs' | 'signal'>;

export interface TransportOptions {
  readonly access: ClusterAccess;
  readonly userAgent: string;
  readonly sockets: SocketLimits;
  readonly timeoutMs: number;
  readonly retry: RetryPolicy;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly random: () => number;
  readonly onWarning: (text: string, attempted: string) => void;
  readonly onExchange: (observed: ExchangeObservation) => void;
  readonly terminal: PluginTerminal;
}

/** One request on the wire, each retry counted for itself; for metrics. */
export interface ExchangeObservation {
  readonly method: Method;
  /** `127.0.0.1:6443` */
  readonly host: string;
  /** HTTP status; 0 where no whole answer came. */
  readonly code: number;
  readonly durationMs: number;
  /** The `Date` header of an answer of the API server; undefined for those of what stands before it, whose clock is another one. */
  readonly date: string | undefined;
}

/** HTTP towards one API server: credentials, sockets, limits, retries. Knows nothing of resources. */
export class Transport {
  readonly #options: TransportOptions;
  readonly #authenticator: Authenticator;
  readonly #lanes: ConnectionLanes;
  readonly #limits: Readonly<Record<TransportRequest['lane'], InFlightLimit>>;
  readonly #origin: string;
  readonly #host: string;
  readonly #basePath: string;
  readonly #watches: InFlightLimit;
  readonly #closing = new AbortController();

  constructor(options: TransportOptions) {
    this.#options = options;
    this.#authenticator = new Authenticator(options.access, options.clock, options.logger, options.terminal);
    this.#lanes = new ConnectionLanes(options.access, options.sockets, options.clock);
    this.#limits = {
      requests: new InFlightLimit(options.sockets.requests),
      leases: new InFlightLimit(options.sockets.leases),
    };
    this.#watches = new InFlightLimit(options.sockets.watches);
    this.#origin = originOf(options.access);
    this.#host = new URL(this.#origin).host;
    this.#basePath = new URL(options.access.server).pathname.replace(/\/$/, '');
  }

  /** Resolves with a 2xx response; rejects with an `ApiError`. */
  async send(request: TransportRequest): Promise<HttpResponse> {
    const policy = {
      ...this.#options.retry,
      ...(request.attempts === undefined ? {} : { attempts: request.attempts }),
    };
    await this.#login(request);
    const limits = this.#limitsOf(request);
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#once(request, limits);
      } catch (error) {
        if (!(error instanceof ApiError) || !mayRepeat(request, error)) throw error;
        const pauseMs = pauseBeforeRetry(policy, attempt, error.retryAfterMs, this.#options.random);
        if (pauseMs === undefined || pauseMs >= limits.sendLimit.remainingMs()) throw error;
        const { attempted, code, reason, fate } = error;
        this.#options.logger.debug(
          { attempted, code, reason, fate, attempt, pauseMs },
          'request failed, trying again',
        );
        await this.#pause(pauseMs, request.signal);
        if (request.signal?.aborted === true) throw error;
      }
    }
  }

  /** A GET whose body is handed on as it arrives, on a socket of its own. No retries: the reader decides what to ask next. */
  async stream(request: StreamRequest): Promise<StreamedResponse> {
    const attempt = { attempted: request.attempted, readOnly: true };
    await this.#login(request);
    const limits = this.#limitsOf(request);
    return this.#authenticated(attempt, limits, async (credentials) => {
      const { watches } = this.#options.sockets;
      if (this.#watches.held >= watches) {
        const message = `all ${watches} sockets for watches are in use; raise sockets.watches of the client`;
        throw notSent(attempt, 'TooManyWatches', message);
      }
      await this.#watches.enter();
      try {
        const wire = this.#wire('GET', credentials, request);
        const dispatcher = this.#lanes.dispatcher('watches', credentials.tls);
        return await openStream(dispatcher, wire, limits, {
          closed: () => this.#watches.leave(),
          fault: (error) => this.#noAnswer(attempt, error),
        });
      } catch (error) {
        this.#watches.leave();
        throw error;
      }
    });
  }

  /** Ends everything that is under way and closes all sockets. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#authenticator.close();
    await this.#lanes.close();
  }

  /**
   * A person who logs in takes longer than a request may, so their time is not that of the request; what may be sent only now does
   * not wait for them. That they did not log in is said when the credentials are needed.
   */
  async #login({ signal, sendWithinMs }: Pick<TransportRequest, 'signal' | 'sendWithinMs'>): Promise<void> {
    if (sendWithinMs !== undefined || !this.#authenticator.asksPerson) return;
    const over = Promise.withResolvers<void>();
    const closing = this.#closing.signal;
    const stops = [closing, signal].map((each) =>
      each === undefined ? undefined : stopOn(each, over.resolve),
    );
    try {
      await Promise.race([this.#authenticator.login(), over.promise]);
    } catch {
      // Who asks for the credentials next gets the same error.
    } finally {
      for (const stop of stops) stop?.();
    }
  }

  /** Ends with the signal, and with the client: nobody waits for what is not sent any more. */
  async #pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
    const closing = this.#closing.signal;
    const either = signal === undefined ? closing : AbortSignal.any([signal, closing]);
    await sleep(this.#options.clock, milliseconds, either);
  }

  async #once(request: TransportRequest, limits: ExchangeLimits): Promise<HttpResponse> {
    const limit = this.#limits[request.lane];
    await this.#enter(limit, request, limits);
    try {
      return await this.#authenticated(request, limits, async (credentials) =>
        this.#exchange(request, credentials, limits),
      );
    } finally {
      limit.leave();
    }
  }

  /** Waits for a place, no longer than the request has time to be sent. */
  async #enter(limit: InFlightLimit, request: TransportRequest, limits: ExchangeLimits): Promise<void> {
    const { signal } = limits;
    const waiting = new AbortController();
    const leave = (): void => waiting.abort();
    const cancel = this.#options.clock.setTimer(Math.max(limits.sendLimit.remainingMs(), 0), leave);
    const stop = signal === undefined || signal.aborted ? undefined : onAbort(signal, leave);
    try {
      if (signal?.aborted !== true && (await limit.enter(waiting.signal))) return;
    } finally {
      cancel();
      stop?.();
    }
    if (signal?.aborted === true) throw notSent(request, 'Aborted', 'the caller gave up', signal.reason);
    const places = this.#options.sockets[request.lane];
    const message = `not sent within ${limits.sendLimit.totalMs} ms: ${places} other requests were under way`;
    throw notSent(request, 'Timeout', message);
  }

  async #exchange(
    request: TransportRequest,
    credentials: Credentials,
    limits: ExchangeLimits,
  ): Promise<HttpResponse> {
    const dispatcher = this.#lanes.dispatcher(request.lane, credentials.tls);
    const startedAt = this.#options.clock.monotonic();
    const observe = (code: number, date: string | undefined): void => {
      const durationMs = this.#options.clock.monotonic() - startedAt;
      this.#options.onExchange({
        method: request.method,
        host: this.#host,
        code,
        durationMs,
        date,
      });
    };
    try {
      const response = await exchange(dispatcher, this.#wire(request.method, credentials, request), limits);
      this.#lanes.answered(request.lane);
      observe(response.code, isOfApiServer(response) ? response.headers.date : undefined);
      for (const text of parseWarnings(response.headers['warning'])) {
        this.#options.onWarning(text, request.attempted);
      }
      return response;
    } catch (error) {
      if (!(error instanceof ExchangeError)) throw error;
      observe(0, undefined);
      if (error.fault === 'timeout') this.#lanes.suspect(request.lane, startedAt);
      throw error;
    }
  }

  /** Runs one exchange; a 401 is answered once by asking for newer credentials. It changed nothing on the server. */
  async #authenticated<R extends HttpResponse | StreamedResponse>(
    attempt: Attempt,
    limits: ExchangeLimits,
    run: (credentials: Credentials) => Promise<R>,
  ): Promise<R> {
    for (let renewed = false; ; renewed = true) {
      const credentials = await this.#credentials(attempt, limits);
      // Connections that are opened now would be closed by nobody.
      if (this.#closing.signal.aborted) throw notSent(attempt, 'Closed', 'the client is closed');
      try {
        const response = await run(credentials);
        if (isSuccess(response.code)) return response;
        const body = await this.#errorBody(response.body, limits);
        const refused = refusal(attempt, { ...response, body });
        // That of a denial with this code has another one: its credentials are good.
        if (refused.code === 401 && this.#authenticator.refused(credentials) && !renewed) continue;
        throw refused;
      } catch (error) {
        throw error instanceof ExchangeError ? this.#noAnswer(attempt, error) : error;
      }
    }
  }

  #noAnswer(attempt: Attempt, error: ExchangeError): ApiError {
    return noAnswer(attempt, this.#origin, this.#options.access.proxyUrl, error);
  }

  /** As much of a refusal as comes, and in time: its code matters most. */
  async #errorBody(
    body: AsyncIterable<Buffer> | Buffer,
    { timeLimit, signal }: ExchangeLimits,
  ): Promise<Buffer> {
    if (Buffer.isBuffer(body)) return body;
    const chunks: Buffer[] = [];
    let size = 0;
    const reader = body[Symbol.asyncIterator]();
    const leave = (): void => void reader.return?.();
    const cancel = this.#options.clock.setTimer(Math.max(timeLimit.remainingMs(), 0), leave);
    try {
      for (let next = await reader.next(); next.done !== true; next = await reader.next()) {
        chunks.push(next.value);
        size += next.value.length;
        if (size >= mostErrorBytes) leave();
      }
    } catch (error) {
      if (signal?.aborted === true) throw error;
    } finally {
      cancel();
    }
    return Buffer.concat(chunks).subarray(0, mostErrorBytes);
  }

  /** They may be read from a file or printed by a program: neither holds a request up for longer than it has, or than the client is open. */
  async #credentials(attempt: Attempt, limits: ExchangeLimits): Promise<Credentials> {
    const { signal } = limits;
    const closing = this.#closing.signal;
    const ended = Promise.withResolvers<never>();
    const late = `not sent within ${limits.sendLimit.totalMs} ms: no credentials yet`;
    const cancel = this.#options.clock.setTimer(Math.max(limits.sendLimit.remainingMs(), 0), () =>
      ended.reject(notSent(attempt, 'Timeout', late)),
    );
    const giveUp = (): void =>
      ended.reject(notSent(attempt, 'Aborted', 'the caller gave up', signal?.reason));
    const closed = (): void => ended.reject(notSent(attempt, 'Closed', 'the client is closed'));
    const stops = [stopOn(closing, closed), signal === undefined ? undefined : stopOn(signal, giveUp)];
    try {
      return await Promise.race([this.#authenticator.current(), ended.promise]);
    } catch (error) {
      if (error instanceof ApiError) throw error;
      if (closing.aborted) throw notSent(attempt, 'Closed', 'the client is closed', error);
      throw notSent(attempt, 'Credentials', error instanceof Error ? error.message : String(error), error);
    } finally {
      cancel();
      for (const stop of stops) stop?.();
    }
  }

  #limitsOf({
    timeoutMs = this.#options.timeoutMs,
    sendWithinMs = timeoutMs,
    signal,
  }: Pick<TransportRequest, 'timeoutMs' | 'sendWithinMs' | 'signal'>): ExchangeLimits {
    const { clock } = this.#options;
    const timeLimit = new TimeLimit(clock, timeoutMs);
    return { timeLimit, sendLimit: new TimeLimit(clock, Math.min(sendWithinMs, timeoutMs)), signal };
  }

  #wire(
    method: Method,
    credentials: Credentials,
    request: Pick<TransportRequest, 'path' | 'accept' | 'contentType' | 'body'>,
  ): ExchangeRequest {
    return {
      origin: this.#origin,
      method,
      path: this.#basePath + request.path,
      headers: {
        ...credentials.headers,
        'user-agent': this.#options.userAgent,
        accept: request.accept ?? 'application/json',
        ...(request.contentType === undefined ? {} : { 'content-type': request.contentType }),
      },
      body: request.body,
    };
  }
}

/** Calls back when the signal ends, at once where it has; returns how to stop. */
function stopOn(signal: AbortSignal, stop: () => void): (() => void) | undefined {
  if (!signal.aborted) return onAbort(signal, stop);
  stop();
  return undefined;
}

/** Of requests that were not answered: their time is over, or the next try would end in the same way. */
const endings: ReadonlySet<string> = new Set(['Aborted', 'Timeout', 'Credentials', 'Closed']);

function mayRepeat(request: Attempt, error: ApiError): boolean {
  // The server's own 504 is a `Timeout`, too.
  if (error.code === 0 && endings.has(error.reason)) return false;
  if (error.fate === 'unsent' || error.code === 429) return true;
  return request.readOnly && (error.code === 0 || error.code >= 500);
}
