import { systemClock, type Clock } from '../clock/clock.ts';
import type { ClusterAccess } from '../credentials/cluster-access.ts';
import { ownTerminal, type PluginTerminal } from '../credentials/plugin-terminal.ts';
import { silentLogger, type Logger } from '../telemetry/logger.ts';
import type { StreamingClient } from './streaming-client.ts';
import type { SocketLimits } from '../transport/connections.ts';
import { defaultRetryPolicy, type RetryPolicy } from '../transport/retry-policy.ts';
import { Transport, type ExchangeObservation } from '../transport/transport.ts';
import { KubeClient } from './kube-client.ts';

export type { ExchangeObservation, PluginTerminal, RetryPolicy, SocketLimits };

/** The options of {@link createClient}; each has a default. */
export interface ClientOptions {
  /** Sent as User-Agent; the default names this library. */
  readonly userAgent?: string;
  /** Owner of the fields that a write without a `fieldManager` sets. Default: the User-Agent up to its slash. */
  readonly fieldManager?: string;
  /**
   * Sockets per lane, which is also the bound on requests in flight. Default 14, 2 for leases, and as many for watches as are
   * opened: each informer has one.
   */
  readonly sockets?: Partial<SocketLimits>;
  /** Milliseconds until a request counts as lost. Default 36,000, longer than the API server takes for any write. */
  readonly timeoutMs?: number;
  readonly retry?: Partial<RetryPolicy>;
  readonly logger?: Logger;
  readonly clock?: Clock;
  /** Yields numbers from 0 up to 1, for the jitter of retries. */
  readonly random?: () => number;
  /** Called with each Warning header of the server; the default logs each text once. */
  readonly onWarning?: (text: string, attempted: string) => void;
  /** Called after each request on the wire, for metrics. Watches are not among them. */
  readonly onExchange?: (observed: ExchangeObservation) => void;
  /** Where a credential plugin finds a person. Default: the terminal of this process, where it has one. */
  readonly terminal?: PluginTerminal;
}

/** Warnings may carry names, so that their number has no end. */
const MOST_REMEMBERED_WARNINGS = 1_000;

/**
 * The API server ends a write of its own accord after 34 s (`requestTimeoutUpperBound` of Kubernetes 1.36), and waits up to
 * 30 s for a webhook that it may ignore: who gives up before that never gets through where others do.
 */
const defaultTimeoutMs = 36_000;

const defaultSockets: SocketLimits = { requests: 14, watches: Infinity, leases: 2 };

/**
 * A client for one cluster. Opens sockets when they are first needed, at most `sockets` of them, and keeps them.
 * Credentials are read when they are first needed and again when they change.
 */
export function createClient(access: ClusterAccess, options: ClientOptions = {}): StreamingClient {
  const { userAgent = 'kube-client', logger = silentLogger } = options;
  const transport = new Transport({
    access,
    userAgent,
    sockets: { ...defaultSockets, ...options.sockets },
    timeoutMs: options.timeoutMs ?? defaultTimeoutMs,
    retry: { ...defaultRetryPolicy, ...options.retry },
    clock: options.clock ?? systemClock,
    logger,
    random: options.random ?? Math.random,
    onExchange: options.onExchange ?? (() => undefined),
    terminal: options.terminal ?? ownTerminal(),
    onWarning: options.onWarning ?? logOnce(logger),
  });
  return new KubeClient(transport, options.fieldManager ?? userAgent.split('/', 1)[0] ?? userAgent);
}

/** A deprecated version warns on every request; one line is logged. */
function logOnce(logger: Logger): (text: string, attempted: string) => void {
  const logged = new Set<string>();
  return (warning, attempted) => {
    if (logged.has(warning)) return;
    if (logged.size >= MOST_REMEMBERED_WARNINGS) logged.clear();
    logged.add(warning);
    logger.warn({ attempted, warning }, 'the API server warns');
  };
}
