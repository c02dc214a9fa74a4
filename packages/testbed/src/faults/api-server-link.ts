import { Agent, request } from 'node:https';
import type { IncomingMessage } from 'node:http';
import type { ProxiedRequest } from './proxied-request.ts';

/** Between the proxy and the API server: kept-alive connections, as many as there are requests. */
export class ApiServerLink {
  readonly #url: URL;
  readonly #agent: Agent;

  constructor(target: { readonly url: string; readonly caData: string }) {
    this.#url = new URL(target.url);
    this.#agent = new Agent({
      keepAlive: true,
      ca: target.caData,
      ALPNProtocols: ['http/1.1'],
      // Given up well before the API server gives them up, so that no request meets a dying connection.
      timeout: 20_000,
    });
  }

  /** Sends the request and yields the answer's head; rejects where no answer comes or the signal ends. */
  send(proxied: ProxiedRequest, signal: AbortSignal, target = proxied.target): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const outgoing = request({
        agent: this.#agent,
        host: this.#url.hostname,
        port: this.#url.port,
        method: proxied.method,
        path: target,
        headers: this.#headersFor(proxied),
        signal,
      });
      outgoing.on('response', resolve);
      outgoing.on('error', reject);
      outgoing.end(proxied.body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }

  #headersFor(proxied: ProxiedRequest): string[] {
    const headers = withoutHopHeaders(
      proxied.rawHeaders,
      proxied.verb === 'watch' ? ['accept-encoding'] : [],
    );
    headers.push('Host', this.#url.host);
    if (proxied.body.length > 0) headers.push('Content-Length', String(proxied.body.length));
    return headers;
  }
}

const hopHeaders = new Set([
  'connection',
  'content-length',
  'host',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
]);

/** Headers that belong to the message and not to one connection (RFC 9110, 7.6.1), in their order. */
function withoutHopHeaders(rawHeaders: readonly string[], also: readonly string[]): string[] {
  const kept: string[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = rawHeaders.slice(index, index + 2);
    const lower = name.toLowerCase();
    if (!hopHeaders.has(lower) && !also.includes(lower)) kept.push(name, value);
  }
  return kept;
}

/** The answer's headers as the client is to see them; its length stays known where the server sent it. */
export function answerHeaders(answer: IncomingMessage): string[] {
  const headers = withoutHopHeaders(answer.rawHeaders, []);
  const length = answer.headers['content-length'];
  if (length !== undefined) headers.push('Content-Length', length);
  return headers;
}
