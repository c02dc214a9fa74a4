import { Buffer } from 'node:buffer';
import { FakeClock } from './fake-clock.ts';
import type { KubeObject } from '../objects/object.ts';
import type { Resource } from '../objects/resource.ts';
import type {
  RawResponse,
  StreamingClient,
  StreamingResponse,
  WatchParameters,
} from '../client/streaming-client.ts';

/** One open watch of the scripted server. */
export class OpenWatch {
  readonly resource: Resource<KubeObject>;
  readonly parameters: WatchParameters;
  readonly at: number;
  readonly #signal: AbortSignal;
  readonly #chunks: (Buffer | Error | 'end')[] = [];
  #wake: (() => void) | undefined;
  /** The client has let go of it. */
  released = false;

  constructor(resource: Resource<KubeObject>, parameters: WatchParameters, at: number, signal: AbortSignal) {
    this.resource = resource;
    this.parameters = parameters;
    this.at = at;
    this.#signal = signal;
    signal.addEventListener('abort', () => this.#push(new Error('aborted')), { once: true });
  }

  send(...events: readonly object[]): void {
    this.#push(Buffer.from(events.map((event) => `${JSON.stringify(event)}\n`).join('')));
  }

  sendText(text: string): void {
    this.#push(Buffer.from(text));
  }

  end(): void {
    this.#push('end');
  }

  reset(): void {
    this.#push(new Error('ECONNRESET'));
  }

  get body(): AsyncIterable<Buffer> {
    return this.#read();
  }

  async *#read(): AsyncGenerator<Buffer> {
    try {
      for (;;) {
        if (this.#signal.aborted) throw new Error('aborted');
        const next = this.#chunks.shift();
        if (next === 'end') return;
        if (next instanceof Error) throw next;
        if (next !== undefined) yield next;
        else await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    } finally {
      this.released = true;
    }
  }

  #push(chunk: Buffer | Error | 'end'): void {
    this.#chunks.push(chunk);
    this.#wake?.();
  }
}

/** Answers each watch and each list as the test gives them, and is silent otherwise. */
export class ScriptedServer implements Pick<StreamingClient, 'watch' | 'raw'> {
  readonly clock = new FakeClock();
  readonly watches: OpenWatch[] = [];
  readonly lists: string[] = [];
  onWatch: (watch: OpenWatch) => void = () => undefined;
  onList: (path: string) => object = () => ({ metadata: { resourceVersion: '1' }, items: [] });
  /** The same as text, where what it answers is not JSON. */
  onListText: (path: string) => string = (path) => JSON.stringify(this.onList(path));

  async watch(
    resource: Resource<KubeObject>,
    parameters: WatchParameters,
    options: { signal?: AbortSignal | undefined } = {},
  ) {
    const watch = new OpenWatch(
      resource,
      parameters,
      this.clock.monotonic(),
      options.signal ?? new AbortController().signal,
    );
    this.watches.push(watch);
    this.onWatch(watch);
    return Promise.resolve({ code: 200, headers: {}, body: watch.body } satisfies StreamingResponse);
  }

  async raw({ path }: { readonly path: string }): Promise<RawResponse> {
    this.lists.push(path);
    return Promise.resolve({ code: 200, headers: {}, body: Buffer.from(this.onListText(path)) });
  }

  get last(): OpenWatch {
    const last = this.watches.at(-1);
    if (last === undefined) throw new Error('no watch was opened');
    return last;
  }
}
