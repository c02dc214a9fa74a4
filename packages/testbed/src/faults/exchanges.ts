import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer, text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { answerHeaders } from './api-server-link.ts';
import type { ApiServerLink } from './api-server-link.ts';
import type { ClientConnections } from './client-connections.ts';
import { refusalStatus } from './fault.ts';
import type { Fault } from './fault.ts';
import { Injection } from './injection.ts';
import { KeptRequests } from './kept-requests.ts';
import { readRequest } from './proxied-request.ts';
import type { ProxiedRequest } from './proxied-request.ts';
import { fits } from './request-match.ts';
import type { RequestMatch } from './request-match.ts';
import { StaleStart } from './stale-start.ts';
import { StreamCut } from './stream-cut.ts';
import type { StreamEnding } from './stream-cut.ts';
import { throttle } from './throttle.ts';
import type { TrafficCounter } from './traffic.ts';
import { WatchHold } from './watch-hold.ts';
import { WatchStream, expiredEvent } from './watch-stream.ts';
import type { StreamRule } from './watch-stream.ts';

/** A request and the client that waits for its answer. */
interface Exchange {
  readonly request: ProxiedRequest;
  readonly outgoing: ServerResponse;
  /** Ends when the client leaves before it is answered. */
  readonly clientGone: AbortSignal;
}

type Decision =
  | { readonly do: 'forward'; readonly target?: string }
  | { readonly do: 'answer'; readonly code: number; readonly status: object }
  | { readonly do: 'expire' }
  | { readonly do: 'keep'; readonly kept: KeptRequests }
  | Exclude<Fault, { do: 'slow' }>;

interface Pace {
  readonly latencyMs: number;
  readonly bytesPerSecond: number | undefined;
}

interface RequestRule {
  offer(request: ProxiedRequest): Decision | Extract<Fault, { do: 'slow' }> | undefined;
}

/** Takes each request, asks the rules what is to become of it, and does that. */
export class Exchanges {
  readonly streams = new Set<WatchStream>();
  readonly #link: ApiServerLink;
  readonly #connections: ClientConnections;
  readonly #traffic: TrafficCounter;
  readonly #requestRules = new Set<RequestRule>();
  readonly #streamRules = new Set<StreamRule>();
  readonly #closed = new AbortController();

  constructor(link: ApiServerLink, connections: ClientConnections, traffic: TrafficCounter) {
    this.#link = link;
    this.#connections = connections;
    this.#traffic = traffic;
  }

  serve(incoming: IncomingMessage, outgoing: ServerResponse): void {
    // Whatever goes wrong on the way, the client sees what it would see of a broken network.
    this.#serve(incoming, outgoing).catch(() => this.#connections.reset(incoming.socket));
  }

  inject(match: RequestMatch, fault: Fault): Injection {
    const injection = new Injection(match, fault, () => this.#requestRules.delete(rule));
    const rule: RequestRule = { offer: (request) => (injection.offer(request) ? fault : undefined) };
    this.#requestRules.add(rule);
    return injection;
  }

  keepRequests(match: RequestMatch): KeptRequests {
    const kept = new KeptRequests(match, () => this.#requestRules.delete(rule));
    const rule: RequestRule = {
      offer: (request) => (kept.offer(request) ? { do: 'keep', kept } : undefined),
    };
    this.#requestRules.add(rule);
    return kept;
  }

  holdWatches(match: RequestMatch): WatchHold {
    const hold = new WatchHold(match, this);
    this.#streamRules.add(hold);
    return hold;
  }

  endWatches(match: RequestMatch, ending: StreamEnding): StreamCut {
    const cut = new StreamCut(match, ending, () => this.removeStreamRule(cut));
    this.#streamRules.add(cut);
    return cut;
  }

  staleStart(match: RequestMatch, resourceVersion: string): StaleStart {
    const hold = this.holdWatches(match);
    const start = new StaleStart(match, resourceVersion, hold, () => this.#requestRules.delete(rule));
    const rule: RequestRule = {
      offer(request) {
        const decided = start.offer(request);
        if (decided === undefined) return undefined;
        if ('target' in decided) return { do: 'forward', target: decided.target };
        return { do: 'answer', code: 422, status: decided.answer };
      },
    };
    this.#requestRules.add(rule);
    return start;
  }

  removeStreamRule(rule: StreamRule): void {
    this.#streamRules.delete(rule);
    for (const stream of this.streams) stream.advance();
  }

  expireNext(match: RequestMatch): void {
    const rule: RequestRule = {
      offer: (request) => {
        if (!continuesWatch(request) || !fits(match, request)) return undefined;
        this.#requestRules.delete(rule);
        return { do: 'expire' };
      },
    };
    this.#requestRules.add(rule);
  }

  close(): void {
    this.#closed.abort();
    this.#requestRules.clear();
    this.#streamRules.clear();
  }

  async #serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const gone = new AbortController();
    outgoing.on('error', () => undefined);
    outgoing.once('close', () => {
      if (!outgoing.writableFinished) gone.abort();
    });
    const body = hasBody(incoming) ? await buffer(incoming) : Buffer.alloc(0);
    await this.#connections.whenOpen();
    if (gone.signal.aborted) return;
    const { method = 'GET', url = '/', rawHeaders } = incoming;
    const request = readRequest({ method, target: url, rawHeaders, body });
    this.#traffic.began(request);
    outgoing.once('close', () => this.#traffic.ended(request));
    const { decision, pace } = this.#decide(request);
    if (pace.latencyMs > 0) await delay(pace.latencyMs, undefined, { signal: gone.signal });
    await this.#carryOut(decision, { request, outgoing, clientGone: gone.signal }, pace);
  }

  #decide(request: ProxiedRequest): { readonly decision: Decision; readonly pace: Pace } {
    let pace: Pace = { latencyMs: 0, bytesPerSecond: undefined };
    for (const rule of this.#requestRules) {
      const decision = rule.offer(request);
      if (decision === undefined) continue;
      if (decision.do !== 'slow') return { decision, pace };
      pace = {
        latencyMs: pace.latencyMs + (decision.latencyMs ?? 0),
        bytesPerSecond: decision.bytesPerSecond ?? pace.bytesPerSecond,
      };
    }
    return { decision: { do: 'forward' }, pace };
  }

  async #carryOut(decision: Decision, exchange: Exchange, pace: Pace): Promise<void> {
    const { request, outgoing } = exchange;
    switch (decision.do) {
      case 'forward':
        await this.#forward(exchange, pace, decision.target);
        return;
      case 'answer':
        answerStatus(outgoing, decision.code, decision.status);
        return;
      case 'expire':
        outgoing.writeHead(200, { 'Content-Type': 'application/json' });
        outgoing.end(expiredEvent());
        return;
      case 'keep':
        this.#keep(decision.kept, exchange);
        return;
      case 'refuse':
        if (decision.effect === 'applied') await this.#applyUnheard(request);
        answerStatus(outgoing, decision.code, refusalStatus(decision), decision.retryAfterSeconds);
        return;
      case 'lose-response':
        await this.#applyUnheard(request);
        this.#reset(outgoing);
        return;
      case 'crash':
        if (decision.when === 'after-answer') await this.#applyUnheard(request);
        await decision.call(request);
        this.#reset(outgoing);
        return;
      case 'half-open':
        return;
    }
  }

  async #forward(exchange: Exchange, pace: Pace, target?: string): Promise<void> {
    const { request, outgoing, clientGone } = exchange;
    const answer = await this.#send(request, clientGone, target);
    outgoing.sendDate = false;
    outgoing.writeHead(answer.statusCode ?? 502, answer.statusMessage ?? '', answerHeaders(answer));
    const limited = pace.bytesPerSecond === undefined ? undefined : throttle(pace.bytesPerSecond);
    if (request.verb !== 'watch' || answer.statusCode !== 200) {
      await (limited === undefined ? pipeline(answer, outgoing) : pipeline(answer, limited, outgoing));
      return;
    }
    outgoing.flushHeaders();
    limited?.pipe(outgoing);
    const stream = new WatchStream({
      request,
      upstream: answer,
      client: outgoing,
      sink: limited ?? outgoing,
      rules: () => [...this.#streamRules],
    });
    this.streams.add(stream);
    outgoing.once('close', () => {
      this.streams.delete(stream);
      limited?.destroy();
    });
  }

  #keep(kept: KeptRequests, { request, outgoing }: Exchange): void {
    kept.keep({
      request,
      forward: async () => {
        const answer = await this.#send(request, this.#closed.signal);
        const body = await text(answer);
        const code = answer.statusCode ?? 0;
        if (!outgoing.destroyed) {
          outgoing.writeHead(code, answerHeaders(answer));
          outgoing.end(body);
        }
        return { request, code, body };
      },
      drop: () => this.#reset(outgoing),
    });
  }

  /** Carries the request out, whether or not its sender is still there, and lets nobody see the answer. */
  async #applyUnheard(request: ProxiedRequest): Promise<void> {
    const answer = await this.#send(request, this.#closed.signal);
    for await (const _ of answer);
  }

  async #send(request: ProxiedRequest, signal: AbortSignal, target?: string): Promise<IncomingMessage> {
    try {
      return await this.#link.send(request, signal, target);
    } catch (error) {
      if (!signal.aborted) this.#traffic.unanswered(request, error);
      throw error;
    }
  }

  #reset(outgoing: ServerResponse): void {
    if (outgoing.socket !== null) this.#connections.reset(outgoing.socket);
  }
}

function hasBody(incoming: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = incoming.headers;
  return encoding !== undefined || (length !== undefined && length !== '0');
}

/** A watch that goes on from somewhere, as opposed to one that begins with the present. */
function continuesWatch(request: ProxiedRequest): boolean {
  if (request.verb !== 'watch' || request.query.get('sendInitialEvents') === 'true') return false;
  const from = request.query.get('resourceVersion') ?? '';
  return from !== '' && from !== '0';
}

function answerStatus(
  outgoing: ServerResponse,
  code: number,
  status: object,
  retryAfterSeconds?: number,
): void {
  const body = JSON.stringify(status);
  outgoing.writeHead(code, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    ...(retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) }),
  });
  outgoing.end(body);
}
