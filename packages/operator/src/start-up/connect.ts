import { fieldManagers } from '@atoll/api';
import {
  countExchanges,
  createClient,
  createMetrics,
  findCluster,
  ServerClock,
  systemClock,
  type CacheDeclarations,
  type Metrics,
  type StreamingClient,
} from '@atoll/kube';
import { declaredCaches } from '../definitions/declared-caches.ts';
import type { KindDefinition } from '../definitions/kind-definition.ts';
import { mostRequests } from '../engine/executor/requests/in-flight.ts';
import type { OperatorEnvironment } from './operator-environment.ts';
import type { OperatorOptions } from './options/operator-options.ts';
import { warnOfWrongClock } from './warn-of-wrong-clock.ts';

/** Places for the executor's requests, for 16 trials of the webhooks, 8 events, and what else is asked for meanwhile: lists. */
const requestSockets = mostRequests + 32;

/**
 * Each cache holds a watch, one of a kind that need not be installed another for its definition; and a watch that is
 * opened anew must not wait for the socket of the one before. A watch without a socket fails, and its cache stays empty.
 */
const watchSocketsPerCache = 3;

/** What the parts of the process are made from. */
export interface Connected {
  readonly options: OperatorOptions;
  readonly selected: readonly KindDefinition[];
  readonly environment: OperatorEnvironment;
  readonly client: StreamingClient;
  /** The address of the API server. */
  readonly server: string;
  /** What is decided of objects takes the time of the server, whose times they have. */
  readonly serverClock: ServerClock;
  readonly metrics: Metrics;
}

/** Finds the cluster and makes a client for it; nothing is sent. What the client exchanges is counted and shows the time of the server. */
export async function connect(
  options: OperatorOptions,
  selected: readonly KindDefinition[],
  environment: OperatorEnvironment,
): Promise<Connected> {
  const { logger, variables, version } = environment;
  const access = await findCluster({
    environment: variables,
    ...(options.kubeconfig === undefined ? {} : { path: options.kubeconfig }),
    ...(options.context === undefined ? {} : { context: options.context }),
  });
  const metrics = createMetrics();
  const count = countExchanges(metrics);
  const serverClock = new ServerClock(systemClock);
  const warnOfClock = warnOfWrongClock(serverClock, logger);
  const client = createClient(access, {
    userAgent: `atoll-operator/${version}`,
    fieldManager: fieldManagers.atoll,
    logger,
    sockets: {
      watches: watchSocketsPerCache * watchedCaches(declaredCaches(selected), options.namespaces),
      requests: requestSockets,
    },
    onExchange: (observed) => {
      count(observed);
      serverClock.answered(observed);
      warnOfClock();
    },
  });
  return { options, selected, environment, client, server: access.server, serverClock, metrics };
}

/** Caches that have a watch of their own: those of what is in namespaces for each namespace, and each namespace is followed too. */
function watchedCaches(declared: CacheDeclarations, namespaces: readonly string[] | undefined): number {
  const resources = Object.values(declared).map(({ resource }) => resource);
  if (namespaces === undefined) return resources.length;
  const inNamespaces = resources.filter(({ namespaced }) => namespaced).length;
  return resources.length - inNamespaces + (inNamespaces + 1) * namespaces.length;
}
