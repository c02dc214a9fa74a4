import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import type { ProxiedRequest } from './proxied-request.ts';
import { WholeLines, splitLines } from './whole-lines.ts';

/** One event that a stream holds back. */
export interface HeldEvent {
  /** `ADDED`, `MODIFIED`, `DELETED`, `BOOKMARK`, `ERROR`. */
  readonly type: string;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly resourceVersion: string;
  /** When it reached the proxy, in milliseconds since the epoch. */
  readonly at: number;
}

/** What a rule wants done with the next event of a stream. */
export type Turn = 'pass' | 'cut' | 'cut-in-mid-event' | 'stall';

/** Decides about whole streams: nothing leaves while one holds, and an event that could leave asks each ender. */
export type StreamRule = { concerns(request: ProxiedRequest): boolean } & (
  | { readonly kind: 'hold' }
  | {
      readonly kind: 'ending';
      /** Called once per event that is about to leave. */
      turnOf(stream: WatchStream): Turn;
    }
);

interface WaitingLine {
  readonly line: Buffer;
  readonly at: number;
}

/**
 * One watch on its way from the API server to the client. Events leave in the order in which they came, whole,
 * none left out: a rule may only decide when the next one leaves and where the stream ends.
 */
export class WatchStream {
  readonly request: ProxiedRequest;
  readonly #upstream: IncomingMessage;
  readonly #client: ServerResponse;
  readonly #sink: Writable;
  readonly #rules: () => readonly StreamRule[];
  readonly #lines = new WholeLines();
  #waiting: WaitingLine[] = [];
  #upstreamEnd: 'clean' | 'broken' | undefined;
  #over = false;

  constructor(init: {
    readonly request: ProxiedRequest;
    readonly upstream: IncomingMessage;
    readonly client: ServerResponse;
    /** Where bytes go: the client, or a throttle before it. */
    readonly sink: Writable;
    readonly rules: () => readonly StreamRule[];
  }) {
    this.request = init.request;
    this.#upstream = init.upstream;
    this.#client = init.client;
    this.#sink = init.sink;
    this.#rules = init.rules;
    this.#upstream.on('data', (chunk: Buffer) => this.#took(chunk));
    this.#upstream.on('end', () => this.#upstreamEnded('clean'));
    this.#upstream.on('error', () => this.#upstreamEnded('broken'));
    this.#upstream.on('close', () => this.#upstreamEnded('broken'));
    this.#sink.on('drain', () => this.#upstream.resume());
    this.#client.on('close', () => {
      this.#over = true;
      this.#waiting = [];
      this.#upstream.destroy();
    });
  }

  get over(): boolean {
    return this.#over;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** When the oldest waiting event reached the proxy. */
  get waitingSince(): number | undefined {
    return this.#waiting[0]?.at;
  }

  heldEvents(): HeldEvent[] {
    return this.#waiting.map(({ line, at }) => readHeldEvent(line, at));
  }

  /** Passes on whatever the rules let through. To be called when the rules have changed. */
  advance(): void {
    const rules = this.#rules().filter((rule) => rule.concerns(this.request));
    if (rules.some((rule) => rule.kind === 'hold')) return;
    while (!this.#over && this.#waiting.length > 0) {
      const turns = rules.map((rule) => (rule.kind === 'ending' ? rule.turnOf(this) : 'pass'));
      if (turns.includes('stall')) return this.stall();
      if (turns.includes('cut-in-mid-event')) return this.cut({ inMidEvent: true });
      if (turns.includes('cut')) return this.cut();
      this.passOne();
    }
    this.#endWhenEmpty();
  }

  /** Passes on the next event whatever the rules are. */
  passOne(): void {
    const next = this.#waiting.shift();
    if (next !== undefined) this.#write(next.line);
    this.#endWhenEmpty();
  }

  /** Ends the connection without a proper end; in mid-event: after half of the next line. */
  cut({ inMidEvent = false }: { readonly inMidEvent?: boolean } = {}): void {
    const next = this.#waiting[0]?.line;
    this.#finish();
    const socket = this.#client.socket;
    // What was passed before arrives: only then the connection goes, without the end that HTTP would want.
    if (!inMidEvent || next === undefined) {
      socket?.destroySoon();
      return;
    }
    this.#sink.write(next.subarray(0, Math.ceil(next.length / 2)), () => socket?.destroySoon());
  }

  /** Leaves the client with an open connection on which nothing will ever come again. */
  stall(): void {
    this.#finish();
  }

  /** Ends the stream as the API server does when the client's resourceVersion is too old. */
  expire(): void {
    this.#finish();
    this.#sink.end(expiredEvent());
  }

  #finish(): void {
    this.#over = true;
    this.#waiting = [];
    this.#upstream.destroy();
  }

  #took(chunk: Buffer): void {
    const whole = this.#lines.push(chunk);
    if (whole === undefined || this.#over) return;
    const ruled = this.#rules().some((rule) => rule.concerns(this.request));
    if (!ruled && this.#waiting.length === 0) return this.#write(whole);
    const at = Date.now();
    for (const line of splitLines(whole)) this.#waiting.push({ line, at });
    this.advance();
  }

  #write(bytes: Buffer): void {
    // A held stream is read on regardless, so that the API server never cuts it for being slow.
    if (!this.#sink.write(bytes) && this.#waiting.length === 0) this.#upstream.pause();
  }

  #upstreamEnded(how: 'clean' | 'broken'): void {
    if (this.#over || this.#upstreamEnd !== undefined) return;
    this.#upstreamEnd = how;
    this.#endWhenEmpty();
  }

  #endWhenEmpty(): void {
    if (this.#over || this.#upstreamEnd === undefined || this.#waiting.length > 0) return;
    this.#over = true;
    const rest = this.#lines.rest();
    if (rest.length > 0) this.#sink.write(rest);
    if (this.#upstreamEnd === 'clean') this.#sink.end();
    else this.#client.socket?.destroySoon();
  }
}

/** What a watch answers, with code 200, when it cannot go on from the wanted resourceVersion. */
export function expiredEvent(): string {
  const object = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'too old resource version',
    reason: 'Expired',
    code: 410,
  };
  return `${JSON.stringify({ type: 'ERROR', object })}\n`;
}

function readHeldEvent(line: Buffer, at: number): HeldEvent {
  try {
    const { type, object } = JSON.parse(line.toString()) as WatchLine;
    const { namespace, name = '', resourceVersion = '' } = object?.metadata ?? {};
    return { type, namespace, name, resourceVersion, at };
  } catch {
    return { type: 'UNREADABLE', namespace: undefined, name: '', resourceVersion: '', at };
  }
}

interface WatchLine {
  readonly type: string;
  readonly object?: {
    readonly metadata?: {
      readonly namespace?: string;
      readonly name?: string;
      readonly resourceVersion?: string;
    };
  };
}
