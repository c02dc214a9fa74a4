import { request } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { apiVersionOf, groupResourceOf } from '@atoll/kube';
import type { KubeObject, Resource, Stored } from '@atoll/kube';
import { WholeLines, splitLines } from '../faults/whole-lines.ts';
import type { Connection } from './kubeconfig-connection.ts';
import type { RecordedEvent, RecordingGap } from './recorded-event.ts';

/** Short, because what happens between two streams is only found again if the server has not forgotten it. */
const retryMs = 20;

interface WatchLine {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: Stored<KubeObject> & { readonly code?: number };
}

interface ListAnswer {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly resourceVersion: string };
  readonly items: readonly Stored<KubeObject>[];
}

/**
 * Keeps every watch event of one resource, from what exists at the start on. A stream that ends is continued where
 * it was; where the server has forgotten that place, it lists again, records what differs, and records that there is a gap.
 */
export class ResourceRecorder {
  readonly resource: string;
  readonly #connection: Connection;
  readonly #path: string;
  readonly #sink: (event: RecordedEvent) => void;
  readonly #namespace: string | undefined;
  readonly #gaps: RecordingGap[] = [];
  /** What exists, by uid: a list after a gap is compared with it. */
  readonly #known = new Map<string, Stored<KubeObject>>();
  /** Uids of the list under way after a gap. */
  #relisted: Set<string> | undefined;
  #endedAt = 0;
  readonly #ready = Promise.withResolvers<void>();
  #version = 0;
  #bookmarks = 0;
  /** The stream is still sending what exists. */
  #listing = true;
  /** The server begins a stream with what exists; before Kubernetes 1.32 it refuses to. */
  #streamsLists = true;
  /** The resource itself came later: what exists in its first list was made while we were watching. */
  #wasAbsent = false;
  #connected = false;
  #running: Promise<void> = Promise.resolve();

  constructor(init: {
    readonly connection: Connection;
    readonly resource: Resource<KubeObject>;
    readonly namespace: string | undefined;
    readonly sink: (event: RecordedEvent) => void;
  }) {
    this.#connection = init.connection;
    this.resource = groupResourceOf(init.resource);
    this.#namespace = init.namespace;
    this.#path = pathOf(init.resource, init.namespace);
    this.#sink = init.sink;
    this.#ready.promise.catch(() => undefined);
  }

  get gaps(): readonly RecordingGap[] {
    return this.#gaps;
  }

  /** Everything up to this version has been recorded. */
  get version(): number {
    return this.#version;
  }

  get bookmarks(): number {
    return this.#bookmarks;
  }

  /** Nothing can happen unseen right now: the stream is open, or the resource does not exist. */
  get connected(): boolean {
    return this.#connected;
  }

  /** Resolves when what existed at the start is recorded, or when the resource turns out not to exist yet. */
  async start(signal: AbortSignal): Promise<void> {
    this.#running = this.#run(signal);
    await this.#ready.promise;
  }

  /** Resolves when the recorder has ended, after its signal. */
  async ended(): Promise<void> {
    await this.#running;
  }

  async #run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#watch(signal);
      } catch (error) {
        this.#lost();
        if (error instanceof RecorderRefused) this.#ready.reject(error);
        // Anything else is the network or a server that restarts: the next stream goes on from here.
      }
      await delay(retryMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
    this.#ready.reject(new Error(`recording ${this.resource} was ended before it began`));
  }

  async #watch(signal: AbortSignal): Promise<void> {
    const listsFirst = this.#version === 0 && !this.#streamsLists;
    const answer = await this.#open(listsFirst ? new URLSearchParams() : this.#watchQuery(), signal);
    if (answer.statusCode === 404) {
      answer.resume();
      this.#wasAbsent = true;
      this.#connected = true;
      return this.#ready.resolve();
    }
    if (answer.statusCode === 410) {
      answer.resume();
      return this.#forget();
    }
    if (answer.statusCode === 401 || answer.statusCode === 403) {
      answer.resume();
      throw new RecorderRefused(
        `may not watch ${this.resource}: the API server answered ${answer.statusCode}`,
      );
    }
    if (answer.statusCode === 422 && this.#version === 0) {
      answer.resume();
      this.#streamsLists = false;
      return;
    }
    if (answer.statusCode !== 200) return void answer.resume();
    if (listsFirst) return this.#takeList((await json(answer)) as ListAnswer);
    this.#connected = true;
    const lines = new WholeLines();
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      const whole = lines.push(chunk);
      if (whole === undefined) continue;
      const at = Date.now();
      for (const line of splitLines(whole)) this.#take(JSON.parse(line.toString()) as WatchLine, at);
    }
    this.#lost();
  }

  #watchQuery(): URLSearchParams {
    const query = new URLSearchParams({ watch: 'true', allowWatchBookmarks: 'true', timeoutSeconds: '3600' });
    if (this.#version === 0) {
      this.#relisted?.clear();
      query.set('sendInitialEvents', 'true');
      query.set('resourceVersionMatch', 'NotOlderThan');
    } else {
      query.set('resourceVersion', String(this.#version));
    }
    return query;
  }

  #open(query: URLSearchParams, signal: AbortSignal): Promise<IncomingMessage> {
    const { url, agent, headers } = this.#connection;
    return new Promise((resolve, reject) => {
      const outgoing = request(`${url}${this.#path}?${query.toString()}`, { agent, headers, signal });
      outgoing.on('response', resolve);
      outgoing.on('error', reject);
      outgoing.end();
    });
  }

  #lost(): void {
    if (this.#connected) this.#endedAt = Date.now();
    this.#connected = false;
  }

  #take({ type, object }: WatchLine, at: number): void {
    if (type === 'ERROR') {
      if (object.code === 410) this.#forget();
      return;
    }
    const { metadata } = object;
    const version = Number(metadata.resourceVersion);
    if (type === 'BOOKMARK') {
      this.#bookmarks += 1;
      if (metadata.annotations?.['k8s.io/initial-events-end'] === 'true') this.#listEnded(version, at);
      this.#version = Math.max(this.#version, version);
      return;
    }
    this.#relisted?.add(metadata.uid);
    const before = this.#known.get(metadata.uid);
    if (this.#listing && before?.metadata.resourceVersion === metadata.resourceVersion) return;
    const seen = this.#relisted === undefined ? type : before === undefined ? 'ADDED' : 'MODIFIED';
    this.#emit(seen, withoutManagedFields(object), version, at);
    // Initial events come in no order of versions: until they are complete, there is no place to continue from.
    if (!this.#listing) this.#version = version;
  }

  #emit(type: RecordedEvent['type'], object: Stored<KubeObject>, version: number, at: number): void {
    const { uid, namespace, name } = object.metadata;
    if (type === 'DELETED') this.#known.delete(uid);
    else this.#known.set(uid, object);
    this.#sink({
      type,
      initial: this.#listing && !this.#wasAbsent && this.#relisted === undefined,
      relisted: this.#relisted !== undefined,
      at,
      resource: this.resource,
      uid,
      namespace,
      name,
      version,
      object,
    });
  }

  /** What a stream would have begun with; items of a list do not name their kind. */
  #takeList({ apiVersion, kind, metadata, items }: ListAnswer): void {
    const at = Date.now();
    this.#relisted?.clear();
    for (const item of items) {
      const object = { apiVersion, kind: kind.replace(/List$/, ''), ...item };
      this.#take({ type: 'ADDED', object }, at);
    }
    const version = Number(metadata.resourceVersion);
    this.#listEnded(version, at);
    this.#version = version;
  }

  #listEnded(version: number, at: number): void {
    const relisted = this.#relisted;
    if (relisted !== undefined) {
      const gone = [...this.#known.values()].filter(({ metadata }) => !relisted.has(metadata.uid));
      for (const object of gone) this.#emit('DELETED', object, version, at);
      const gap = this.#gaps.pop();
      if (gap !== undefined) this.#gaps.push({ ...gap, until: { version, at } });
    }
    this.#relisted = undefined;
    this.#listing = false;
    this.#wasAbsent = false;
    this.#ready.resolve();
  }

  #forget(): void {
    this.#gaps.push({
      resource: this.resource,
      namespace: this.#namespace,
      since: this.#endedAt === 0 ? Date.now() : this.#endedAt,
      afterVersion: this.#version,
      until: undefined,
    });
    this.#version = 0;
    this.#listing = true;
    this.#relisted = new Set();
  }
}

class RecorderRefused extends Error {}

function pathOf(resource: Resource<KubeObject>, namespace: string | undefined): string {
  const root = `/${resource.group === '' ? 'api' : 'apis'}/${apiVersionOf(resource)}`;
  const within = resource.namespaced && namespace !== undefined ? `/namespaces/${namespace}` : '';
  return `${root}${within}/${resource.plural}`;
}

function withoutManagedFields(object: Stored<KubeObject>): Stored<KubeObject> {
  const { managedFields: _, ...metadata } = object.metadata as Stored<KubeObject>['metadata'] & {
    readonly managedFields?: unknown;
  };
  return { ...object, metadata };
}
