import { Agent, request } from 'node:https';

export interface RestCredentials {
  readonly url: string;
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

export interface RestResponse {
  readonly status: number;
  readonly body: string;
}

/** The administrator's connection to a plane's API server. */
export class Rest {
  readonly #credentials: RestCredentials;
  readonly #agent: Agent;

  constructor(credentials: RestCredentials) {
    this.#credentials = credentials;
    this.#agent = new Agent({
      keepAlive: true,
      maxSockets: 8,
      ca: credentials.ca,
      cert: credentials.cert,
      key: credentials.key,
    });
  }

  async send(
    method: string,
    path: string,
    body?: unknown,
    contentType = 'application/json',
  ): Promise<RestResponse> {
    const payload = body === undefined ? undefined : JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const outgoing = request(
        `${this.#credentials.url}${path}`,
        {
          method,
          agent: this.#agent,
          timeout: 30_000,
          headers:
            payload === undefined
              ? {}
              : { 'content-type': contentType, 'content-length': Buffer.byteLength(payload) },
        },
        (incoming) => {
          const chunks: Buffer[] = [];
          incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
          incoming.on('error', reject);
          incoming.on('end', () =>
            resolve({ status: incoming.statusCode ?? 0, body: Buffer.concat(chunks).toString('utf8') }),
          );
        },
      );
      outgoing.on('timeout', () => outgoing.destroy(new Error(`${method} ${path}: no answer within 30 s`)));
      outgoing.on('error', reject);
      outgoing.end(payload);
    });
  }

  /** Rejects with what the server said where the status is not 2xx. */
  async json<T>(method: string, path: string, body?: unknown, contentType?: string): Promise<T> {
    const response = await this.send(method, path, body, contentType);
    if (response.status < 200 || response.status > 299) {
      throw new Error(`${method} ${path}: ${response.status} ${messageOf(response.body)}`);
    }
    return JSON.parse(response.body) as T;
  }

  close(): void {
    this.#agent.destroy();
  }
}

function messageOf(body: string): string {
  try {
    return (JSON.parse(body) as { message?: string }).message ?? body;
  } catch {
    return body;
  }
}
