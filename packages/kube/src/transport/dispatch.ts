import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { longestTimerMs } from '../clock/clock.ts';
import { onAbort } from '../clock/on-abort.ts';
import type { TimeLimit } from './time-limit.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface ExchangeRequest {
  readonly origin: string;
  readonly method: Method;
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: string | undefined;
}

export type ExchangeFault = 'network' | 'timeout' | 'aborted';

/** No whole answer came. `sent`: whether any byte of the request may have reached the server. */
export class ExchangeError extends Error {
  override readonly name = 'ExchangeError';
  readonly fault: ExchangeFault;
  readonly sent: boolean;

  constructor(fault: ExchangeFault, sent: boolean, message: string, cause?: unknown) {
    super(message, { cause });
    this.fault = fault;
    this.sent = sent;
  }
}

export interface DispatchLimits {
  /** For the answer. */
  readonly timeLimit: TimeLimit;
  /** When it is over, nothing is sent any more. */
  readonly sendLimit: TimeLimit;
  /** Which part of the answer must have come in time. */
  readonly until: 'head' | 'end';
  readonly signal: AbortSignal | undefined;
}

/** Gets the answer of one request. After `ended` or `failed`, of which exactly one comes, nothing more follows. */
export interface DispatchListener {
  /** The request is on its way; the controller holds its answer back, and lets it go on. */
  readonly started?: (controller: Dispatcher.DispatchController) => void;
  readonly head: (code: number, headers: IncomingHttpHeaders) => void;
  readonly data: (chunk: Buffer) => void;
  readonly ended: () => void;
  readonly failed: (error: ExchangeError) => void;
}

/**
 * Sends a request. undici calls `onRequestStart` directly before it writes to a connected socket, which makes the error's
 * `sent` exact: without that call nothing left this process. Returns how to give the request up.
 */
export function dispatch(
  dispatcher: Dispatcher,
  request: ExchangeRequest,
  limits: DispatchLimits,
  listener: DispatchListener,
): (message: string) => void {
  const exchange = new Exchange(limits, listener);
  const leave = (message: string): void => exchange.fail('aborted', message);
  exchange.start();
  if (exchange.isOver) return leave;
  try {
    dispatcher.dispatch(
      {
        ...request,
        headers: { ...request.headers },
        body: request.body ?? null,
        // undici closes the connection after a DELETE with a body, unless it is asked not to.
        reset: false,
        headersTimeout: 0,
        bodyTimeout: 0,
      },
      exchange,
    );
  } catch (error) {
    // A header that cannot be sent: a token with a line break in it.
    exchange.fail('network', describeNetworkFault(error), error);
  }
  return leave;
}

/** One request, until its answer has ended or it has failed. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #limits: DispatchLimits;
  readonly #listener: DispatchListener;
  #timer: NodeJS.Timeout | undefined;
  #sendTimer: NodeJS.Timeout | undefined;
  #stopListening: (() => void) | undefined;
  /** undefined: nothing was sent. */
  #controller: Dispatcher.DispatchController | undefined;
  #isOver = false;

  constructor(limits: DispatchLimits, listener: DispatchListener) {
    this.#limits = limits;
    this.#listener = listener;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Its limits count from now on. It is over at once where its signal has ended. */
  start(): void {
    const { timeLimit, sendLimit, signal } = this.#limits;
    this.#timer = setTimeout(() => this.#failLate(), timerMs(timeLimit));
    this.#sendTimer = setTimeout(() => this.#failUnsent(), timerMs(sendLimit));
    if (signal === undefined) return;
    const givenUp = (): void => this.fail('aborted', 'the caller gave up', signal.reason);
    if (signal.aborted) givenUp();
    else this.#stopListening = onAbort(signal, givenUp);
  }

  fail(fault: ExchangeFault, message: string, cause?: unknown): void {
    if (!this.#end()) return;
    const error = new ExchangeError(fault, this.#controller !== undefined, message, cause);
    this.#controller?.abort(error);
    this.#listener.failed(error);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    const { timeLimit, sendLimit } = this.#limits;
    // A process that was stopped meanwhile comes here before its timers.
    if (timeLimit.remainingMs() <= 0) this.#failLate();
    if (sendLimit.remainingMs() <= 0) this.#failUnsent();
    clearTimeout(this.#sendTimer);
    // Given up while it waited for a socket: it must not be sent any more.
    if (this.#isOver) return controller.abort(new Error('given up before it was sent'));
    this.#controller = controller;
    this.#listener.started?.(controller);
  }

  onResponseStart(_: unknown, code: number, headers: IncomingHttpHeaders): void {
    // A 1xx only announces the answer.
    if (this.#isOver || code < 200) return;
    if (this.#limits.until === 'head') clearTimeout(this.#timer);
    this.#listener.head(code, headers);
  }

  onResponseData(_: unknown, chunk: Buffer): void {
    if (!this.#isOver) this.#listener.data(chunk);
  }

  onResponseEnd(): void {
    if (this.#end()) this.#listener.ended();
  }

  onResponseError(_: unknown, error: Error): void {
    this.fail('network', describeNetworkFault(error), error);
  }

  #failLate(): void {
    this.fail('timeout', `no answer within ${Math.round(this.#limits.timeLimit.totalMs)} ms`);
  }

  #failUnsent(): void {
    this.fail('timeout', `not sent within ${Math.round(this.#limits.sendLimit.totalMs)} ms`);
  }

  /** False: it was over before. */
  #end(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#sendTimer);
    this.#stopListening?.();
    return true;
  }
}

/** Node fires a timer of more than 24 days at once. */
function timerMs(limit: TimeLimit): number {
  return Math.min(Math.max(limit.remainingMs(), 0), longestTimerMs);
}

/** The words of the innermost cause: undici wraps the error of the operating system. */
function describeNetworkFault(error: unknown): string {
  let innermost = error;
  while (innermost instanceof Error && innermost.cause instanceof Error) innermost = innermost.cause;
  // A host with several addresses fails with one error for each of them.
  if (innermost instanceof AggregateError && innermost.message === '') {
    return innermost.errors.map((each) => (each instanceof Error ? each.message : String(each))).join('; ');
  }
  const message = innermost instanceof Error ? innermost.message : String(innermost);
  const [, code] = refusalOfProxy.exec(message) ?? [];
  if (code === undefined) return message;
  const why = code === '407' ? ': it asks for a user and a password, which belong into its URL' : '';
  return `it answered ${code}${why}`;
}

/** undici's words where a proxy makes no tunnel. */
const refusalOfProxy = /^Proxy response \((\d+)\) !== 200 when HTTP Tunneling$/;
