import { agentNames } from '@atoll/api';
import {
  countExchanges,
  createClient,
  createInformer,
  createMetrics,
  findCluster,
  Outage,
  observeReflectors,
  pods,
  sleep,
  systemClock,
  unlessEnded,
  type Environment,
  type Logger,
  type Metrics,
  type StreamingClient,
} from '@atoll/kube';
import { createAgentMetrics } from './agent-metrics.ts';
import { agentRoutes } from './http/agent-routes.ts';
import { startAgentServer } from './http/agent-server.ts';
import type { OtaContext, SaveFailure } from './ota/ota-context.ts';
import { UpgradeLog } from './ota/upgrade-log.ts';
import { PodStore } from './pods/pod-store.ts';
import { StateFile } from './pods/state-file.ts';
import { StateSaver } from './pods/state-saver.ts';
import { servingOf, type AgentOptions } from './start-up/agent-options.ts';

/** How long a request, or the end of the process, waits for the disk, in milliseconds. */
const saveWithinMs = 2_000;

const clock = systemClock;

export interface AgentEnvironment {
  readonly version: string;
  readonly variables: Environment;
  readonly logger: Logger;
}

/** Serves until the signal ends. Rejects with what kept it from starting. The API server need not be reachable. */
export async function runAgent(
  options: AgentOptions,
  { version, variables, logger }: AgentEnvironment,
  signal: AbortSignal,
): Promise<void> {
  const path = options.kubeconfig === undefined ? {} : { path: options.kubeconfig };
  const access = await unlessEnded(findCluster({ environment: variables, ...path }), signal);
  if (access === undefined) return;
  const metrics = createMetrics();
  const client = createClient(access, {
    userAgent: `atoll-agent/${version}`,
    fieldManager: agentNames.fieldManager,
    logger,
    sockets: { watches: 2 },
    onExchange: countExchanges(metrics),
  });
  try {
    await serve({ options, version, client, metrics, logger }, signal);
  } finally {
    await client.close();
  }
}

interface Agent {
  readonly options: AgentOptions;
  readonly version: string;
  readonly client: StreamingClient;
  readonly metrics: Metrics;
  readonly logger: Logger;
}

async function serve(
  { options, version, client, metrics, logger }: Agent,
  signal: AbortSignal,
): Promise<void> {
  const { nodeName, compatStatusCodes } = options;
  const file = new StateFile(options.cacheDir);
  const kept = await unlessEnded(file.read(nodeName, logger), signal);
  if (signal.aborted) return;
  // Of the pauses between failed watches: the first answer to a request ends them.
  const outage = new Outage();
  const informer = createInformer({
    client,
    resource: pods,
    fieldSelector: `spec.nodeName=${nodeName}`,
    clock,
    logger,
    observer: observeReflectors(metrics)(pods),
    outage,
  });
  const store = new PodStore(informer, kept?.pods);
  const { requests, stateWrites } = createAgentMetrics(metrics, store);
  const upgrades = new UpgradeLog(kept?.upgrades);
  const saver = new StateSaver({
    file,
    state: () => ({ nodeName, pods: store.list(), upgrades: upgrades.list() }),
    clock,
    logger,
    wrote: (result) => stateWrites.inc({ result }),
  });
  const context: OtaContext = {
    nodeName,
    client,
    compatStatusCodes,
    upgrades,
    save: async () => saveInTime(saver, file),
    changed: () => saver.changed(),
    reached: () => outage.over(),
    clock,
    logger,
  };
  const server = await startAgentServer(
    {
      routes: agentRoutes(store, context, metrics.registry),
      clock,
      logger,
      answered: ({ route, method, code }) => requests.inc({ route, method, code: String(code) }),
    },
    servingOf(options),
  );
  logger.info({ version, node: nodeName, urls: server.urls, kept: kept?.pods?.length ?? 0 }, 'serving');
  const stop = store.onChange(() => saver.changed());
  await informer.start(signal);
  stop();
  await server.close();
  // A disk that does not answer keeps no process; the last good file stays.
  await Promise.race([saver.close(), sleep(clock, saveWithinMs)]);
  logger.info({}, 'stopped');
}

/** Resolves with undefined when the state is on disk, else with why it is not. */
async function saveInTime(saver: StateSaver, file: StateFile): Promise<SaveFailure | undefined> {
  saver.changed();
  const late = sleep(clock, saveWithinMs).then(
    () => new Error(`the disk has not taken it within ${saveWithinMs / 1_000} s`),
  );
  const failure = await Promise.race([saver.flush(), late]);
  return failure === undefined ? undefined : { file: file.path, error: failure };
}
