import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Pod } from '@atoll/kube';
import { readAuthorities, readFlagFile, readPair } from '../flag-files.ts';
import type { UpgradeStatus } from '../ota/upgrade-status.ts';

/** How the agent of this node is reached. */
export interface AgentAddress {
  /** `http://127.0.0.1:10267`. */
  readonly url: string;
  /** Instead of the URL's host. */
  readonly unixSocket: string | undefined;
  readonly tokenFile: string | undefined;
  /** PEM files: whom to trust, and what to present. */
  readonly caFile: string | undefined;
  readonly certFile: string | undefined;
  readonly keyFile: string | undefined;
}

export interface ApiAnswer {
  readonly code: number;
  readonly body: string;
}

/** Milliseconds without a byte after which the agent counts as silent; longer than between two signs of life of a stream. */
const silenceMs = 30_000;

/** The agent's HTTP API. Every method rejects with an error that names the address where nobody answers. */
export class AgentApi {
  readonly #address: AgentAddress;

  constructor(address: AgentAddress) {
    this.#address = address;
  }

  async upgradablePods(): Promise<readonly Pod[]> {
    const { code, body } = await this.#whole('GET', '/pods?upgradable=true');
    if (code !== 200) throw new Error(`the agent answered ${code}: ${body.trim()}`);
    return (JSON.parse(body) as { readonly items: readonly Pod[] }).items;
  }

  async upgrade(namespace: string, pod: string): Promise<ApiAnswer> {
    return this.#whole('POST', upgradePath(namespace, pod));
  }

  /** Each state of the upgrade, until the stream ends or breaks. */
  async *follow(namespace: string, pod: string, signal: AbortSignal): AsyncGenerator<UpgradeStatus> {
    const response = await this.#send('GET', upgradePath(namespace, pod), signal, 'text/event-stream');
    if (response.statusCode !== 200) {
      const body = await textOf(response);
      throw new Error(`the agent answered ${response.statusCode ?? 0}: ${body.trim()}`);
    }
    let text = '';
    for await (const chunk of response.setEncoding('utf8')) {
      text += chunk as string;
      const events = text.split('\n\n');
      text = events.pop() ?? '';
      for (const event of events) {
        const data = /^data: (.*)$/m.exec(event)?.[1];
        if (data !== undefined) yield JSON.parse(data) as UpgradeStatus;
      }
    }
  }

  async #whole(method: string, path: string): Promise<ApiAnswer> {
    const response = await this.#send(method, path);
    return { code: response.statusCode ?? 0, body: await textOf(response) };
  }

  async #send(
    method: string,
    path: string,
    signal?: AbortSignal,
    accept = 'application/json',
  ): Promise<IncomingMessage> {
    const { url, unixSocket, tokenFile, caFile } = this.#address;
    const target = new URL(path, url);
    const options: RequestOptions = {
      method,
      timeout: silenceMs,
      headers: {
        accept,
        ...(tokenFile === undefined
          ? {}
          : { authorization: `Bearer ${readFlagFile({ flag: '--token-file', file: tokenFile }).trim()}` }),
      },
      ...(unixSocket === undefined ? {} : { socketPath: unixSocket }),
      ...(signal === undefined ? {} : { signal }),
      ...(caFile === undefined ? {} : readAuthorities({ flag: '--ca-file', file: caFile })),
      ...presentedBy(this.#address),
    };
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const send = target.protocol === 'https:' ? httpsRequest : httpRequest;
    const request = send(target, options, resolve);
    request.on('timeout', () => request.destroy(new Error(`no answer for ${silenceMs / 1000} s`)));
    request.on('error', (error) =>
      reject(new Error(`cannot reach the agent at ${unixSocket ?? url}: ${error.message}`, { cause: error })),
    );
    request.end();
    return promise;
  }
}

function presentedBy({ certFile, keyFile }: AgentAddress): { readonly cert?: string; readonly key?: string } {
  if (certFile === undefined || keyFile === undefined) return {};
  return readPair({ flag: '--cert-file', file: certFile }, { flag: '--key-file', file: keyFile });
}

function upgradePath(namespace: string, pod: string): string {
  return `/openyurt.io/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(pod)}/upgrade`;
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk as string;
  return text;
}
