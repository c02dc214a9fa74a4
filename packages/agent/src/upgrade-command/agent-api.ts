import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isFields, type Pod } from '@atoll/kube';
import { visibleInLine } from '@atoll/kube/command-line';
import { readAuthorities, readFlagFile, readPair, type WarnOfUnreadable } from '../flag-files.ts';
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

/** So many characters are read of an answer, which is more than the pods of a node are, and of one event. */
const mostCharacters = { answer: 32 * 1024 * 1024, event: 64 * 1024 };

/**
 * The agent's HTTP API. Every method rejects with an error that names the address where nobody answers, or where it is no agent that does: any process
 * of the node may listen there.
 */
export class AgentApi {
  readonly #address: AgentAddress;
  readonly #warn: (line: string) => void;
  #hasWarned = false;

  /** `warn`: gets a line where certificates of the authority cannot be read, and others can. */
  constructor(address: AgentAddress, warn: (line: string) => void) {
    this.#address = address;
    this.#warn = warn;
  }

  async upgradablePods(): Promise<readonly Pod[]> {
    const { code, body } = await this.#whole('GET', '/pods?upgradable=true');
    if (code !== 200) throw refused(code, body);
    const list = parsed(body);
    const items = isFields(list) ? list['items'] : undefined;
    if (!Array.isArray(items) || !items.every(isPod)) throw this.#noAgent('its answer is no list of pods');
    return items;
  }

  async upgrade(namespace: string, pod: string): Promise<ApiAnswer> {
    return this.#whole('POST', upgradePath(namespace, pod));
  }

  /** Each state of the upgrade, until the stream ends or breaks. */
  async *follow(namespace: string, pod: string, signal: AbortSignal): AsyncGenerator<UpgradeStatus> {
    const response = await this.#send('GET', upgradePath(namespace, pod), signal, 'text/event-stream');
    if (response.statusCode !== 200) throw refused(response.statusCode ?? 0, await this.#textOf(response));
    let text = '';
    for await (const chunk of response.setEncoding('utf8')) {
      text += chunk as string;
      const events = text.split('\n\n');
      text = events.pop() ?? '';
      if (text.length > mostCharacters.event) throw this.#noAgent('its answer does not end');
      for (const event of events) {
        const data = /^data: (.*)$/m.exec(event)?.[1];
        if (data === undefined) continue;
        const status = parsed(data);
        if (!isFields(status)) throw this.#noAgent('its answer is no state of an upgrade');
        yield status as unknown as UpgradeStatus;
      }
    }
  }

  async #whole(method: string, path: string): Promise<ApiAnswer> {
    const response = await this.#send(method, path);
    return { code: response.statusCode ?? 0, body: await this.#textOf(response) };
  }

  async #textOf(response: IncomingMessage): Promise<string> {
    let text = '';
    for await (const chunk of response.setEncoding('utf8')) {
      text += chunk as string;
      if (text.length > mostCharacters.answer) throw this.#noAgent('its answer does not end');
    }
    return text;
  }

  /** The file is read for each request. */
  readonly #warnOnce: WarnOfUnreadable = ({ flag, file }, unreadable) => {
    if (!this.#hasWarned)
      this.#warn(`${flag} ${file}: ${unreadable} unreadable certificates are passed over`);
    this.#hasWarned = true;
  };

  #noAgent(why: string): Error {
    const { url, unixSocket } = this.#address;
    return new Error(`what answers at ${unixSocket ?? url} is no agent: ${why}`);
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
      ...(caFile === undefined ? {} : readAuthorities({ flag: '--ca-file', file: caFile }, this.#warnOnce)),
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

function refused(code: number, body: string): Error {
  return new Error(`the agent answered ${code}: ${visibleInLine(body.trim())}`);
}

/** Undefined: it is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isPod(item: unknown): item is Pod {
  return isFields(item) && isFields(item['metadata']);
}
