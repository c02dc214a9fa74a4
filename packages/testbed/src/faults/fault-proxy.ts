import type { Fault } from './fault.ts';
import type { Injection } from './injection.ts';
import type { KeptRequests } from './kept-requests.ts';
import type { RequestMatch } from './request-match.ts';
import type { StreamCut, StreamEnding } from './stream-cut.ts';
import type { StaleStart } from './stale-start.ts';
import type { Traffic } from './traffic.ts';
import type { WatchHold } from './watch-hold.ts';

/** What a {@link FaultProxy} stands before, and where its kubeconfigs go. */
export interface FaultProxyOptions {
  /** The API server; `caData` is PEM. A `ControlPlane` fits. */
  readonly target: { readonly url: string; readonly caData: string };
  /** Where kubeconfigs that point at the proxy are written. */
  readonly directory: string;
  /** Ends the proxy, its connections and everything it keeps. */
  readonly signal?: AbortSignal;
}

/**
 * Stands between a client and the API server and does to their traffic what a real server or network may do.
 * TLS with an authority of its own, HTTP/1.1 only, so that one request can be held or reset alone. Tokens and all
 * other headers pass untouched: the API server sees the client's own identity. Single events inside a stream are
 * never dropped, reordered or changed.
 *
 * Rules are asked in the order in which they were added; the first that takes a request decides about it (`slow`
 * decides nothing and lets further rules act).
 */
export interface FaultProxy extends AsyncDisposable {
  readonly url: string;
  /** The proxy's own authority, PEM. */
  readonly caData: string;
  /**
   * Writes a kubeconfig that reaches the API server through the proxy and yields its path. The users stay as they
   * are; one that shows a client certificate is refused with an error, because that cannot pass a proxy that ends TLS.
   */
  kubeconfigFrom(kubeconfigPath: string): Promise<string>;
  inject(match: RequestMatch, fault: Fault): Injection;
  /** Keeps requests on their way, to be forwarded later, also when their sender is gone. */
  keepRequests(match: RequestMatch): KeptRequests;
  /** Holds whole watch streams, open ones and new ones. Only `resource`, `namespace`, `name` and `where` matter. */
  holdWatches(match: RequestMatch): WatchHold;
  /** Ends streams after a number of events, between two events or in the middle of one. */
  endWatches(match: RequestMatch, ending: StreamEnding): StreamCut;
  /**
   * A start in the past: lists of the resource are answered as of `resourceVersion` (which must not be compacted
   * yet), streaming lists are refused, and watches are held until the returned handle is released.
   */
  staleStart(match: RequestMatch, resourceVersion: string): StaleStart;
  /** Resets every connection and every new one until `heal`. */
  cut(): void;
  /** Keeps every connection open and passes not a byte, in either direction, until `heal`: a black hole. */
  freeze(): void;
  /** Undoes `cut` and `freeze`; frozen connections go on where they were. */
  heal(): void;
  traffic(): Traffic;
  resetTraffic(): void;
  close(): Promise<void>;
}
