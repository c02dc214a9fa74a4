import type { StreamEvent } from '../cache/cache.ts';
import type { StreamingClient } from '../client/streaming-client.ts';
import type { Clock } from '../clock/clock.ts';
import type { Projection } from '../decoder/projection.ts';
import type { KubeObject, Stored, StoredMeta } from '../objects/object.ts';
import type { Resource } from '../objects/resource.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Outage } from './outage.ts';
import type { ReflectorPace } from './reflector-pace.ts';
import type { StreamEnd } from './stream-end.ts';

/** Where a reflector puts what it reads, in order. What throws here is answered by a new list. */
export interface ReflectorSink<T extends KubeObject> {
  /** The whole content as of `version`. Of what cannot be read the version that is held already is among the items. */
  replaced(items: readonly Stored<T>[], version: string): void;
  changed(event: StreamEvent<T>): void;
  /** A bookmark: nothing else happened up to `version`. */
  progressed(version: string): void;
  /** The version of an object that is held already: what did not change is shared, so that a new list costs no memory. */
  known(object: Stored<T>): Stored<T> | undefined;
  /** An object whose present version cannot be read, after {@link replaced} where it is part of a list. */
  missed?(metadata: StoredMeta): void;
  /** Own writes that are held already and whose event has not come, by resourceVersion. */
  readonly awaited?: ReadonlyMap<string, Stored<T>>;
}

/** What a reflector does, for metrics. Called synchronously. */
export interface ReflectorObserver {
  listed?(list: {
    readonly mode: 'stream' | 'pages';
    readonly items: number;
    readonly durationMs: number;
  }): void;
  watchOpened?(): void;
  watchEnded?(watch: {
    readonly why: StreamEnd['why'];
    readonly events: number;
    readonly durationMs: number;
  }): void;
  /** An object that cannot be read; once for each of its versions. */
  unreadable?(): void;
  failed?(failure: { readonly error: Error; readonly failures: number; readonly pauseMs: number }): void;
}

/** What a Reflector is made of. */
export interface ReflectorOptions<T extends KubeObject> {
  readonly client: Pick<StreamingClient, 'watch' | 'raw'>;
  readonly resource: Resource<T>;
  readonly sink: ReflectorSink<T>;
  readonly projection?: Projection<T> | undefined;
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  readonly clock?: Clock | undefined;
  readonly logger?: Logger | undefined;
  readonly observer?: ReflectorObserver | undefined;
  readonly pace?: Partial<ReflectorPace> | undefined;
  /** Shared by all who read from the same server, so that the first success ends the waiting of all. */
  readonly outage?: Outage | undefined;
  /** Yields numbers from 0 up to 1, for jitter. */
  readonly random?: (() => number) | undefined;
}
