import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import {
  CacheSet,
  createInformers,
  Manager,
  observeReflectors,
  parseAddress,
  SecurePages,
  systemClock,
  unlessEnded,
  type Logger,
  type ManagerOptions,
  type Pages,
  type Part,
} from '@atoll/kube';
import { admissionReads, admittedKinds } from './admission/admission-handlers.ts';
import { createAdmission, type Admission } from './admission/create-admission.ts';
import type { Readers } from './caches.ts';
import { checkDefinitions } from './definitions/check-definitions.ts';
import { declaredCaches } from './definitions/declared-caches.ts';
import type { KindDefinition } from './definitions/kind-definition.ts';
import { connect, type Connected } from './start-up/connect.ts';
import { engineParts } from './start-up/engine-parts.ts';
import { httpsServing, type HttpsServing } from './start-up/serving/https-serving.ts';
import { neededRights } from './start-up/preflight/needed-rights.ts';
import type { OperatorEnvironment } from './start-up/operator-environment.ts';
import type { OperatorOptions } from './start-up/options/operator-options.ts';
import { operatorPages } from './start-up/serving/operator-pages.ts';
import { leaderElection, ownNamespace } from './start-up/own-lease.ts';
import { rightsInNewNamespaces } from './start-up/preflight/rights-in-new-namespaces.ts';
import { untilAllowed } from './start-up/preflight/until-allowed.ts';

/** Runs the selected controllers until the signal ends. Rejects with what kept it from starting or going on. */
export async function runOperator(
  options: OperatorOptions,
  selected: readonly KindDefinition[],
  environment: OperatorEnvironment,
  signal: AbortSignal,
): Promise<void> {
  checkDefinitions(selected);
  const connected = await unlessEnded(connect(options, selected, environment), signal);
  if (connected === undefined) return;
  try {
    await assemble(connected).run(signal);
  } finally {
    await connected.client.close();
  }
}

/**
 * All parts of the process. The manager starts them in this order:
 *
 * 1. the server of health and metrics, so that it is seen why the others do not start;
 * 2. the preflight, which waits for the API server;
 * 3. services and informers;
 * 4. the leader election, when the first controller has its caches; and on the leader each controller when it has its own.
 *
 * It stops what leads first: controllers end and the lease is released. Then services and informers end, so that what was done last is
 * still in the caches and its events are sent; and then the server of health, and the connections of the client.
 */
function assemble(connected: Connected): Manager {
  const { options, selected, environment, client, metrics } = connected;
  const { logger, variables } = environment;
  const identity = `${variables['POD_NAME'] ?? hostname()}_${randomUUID()}`;
  const isLeader = (): boolean => manager.isLeader();
  const mayWrite = (): boolean => manager.mayWrite();

  const observer = observeReflectors(metrics);
  const informers = createInformers({ client, clock: systemClock, logger, observer });
  const cached = new CacheSet(informers, declaredCaches(selected), options.namespaces);
  // A controller and its webhooks get the readers that the definition names; one that it does not name is undefined and fails at once.
  const readers = cached.readers as unknown as Readers;
  const https = httpsServing(connected);
  const webhooks = webhooksOf(connected, https, readers, mayWrite);
  const { recorder, inspector, executor, run } = engineParts(connected, cached, { identity, mayWrite });
  const created = selected.map((definition) => ({
    definition,
    controller: definition.create(readers, inspector, options),
  }));
  const controllers = created.map(({ controller }) => controller);
  const shown = { cached, readers, controllers, executor, isLeader };
  const pages = operatorPages(connected, https.metrics ?? options.bindAddress, shown);

  const manager: Manager = new Manager({
    logger,
    clock: systemClock,
    metrics,
    ...(options.bindAddress === '0' ? {} : { health: healthOf(options, pages, https, webhooks) }),
    preflight: async (signal) => untilAllowed(connected, signal),
    services: [
      recorder,
      rightsReview(connected, cached),
      securePages(options, pages, https, logger),
      { name: 'inspector', run: inspector.run.bind(inspector) },
      webhooks?.service,
    ].filter((part) => part !== undefined),
    informers,
    // Alerts take an operator that shows no leader for one that does nothing.
    ...(options.leaderElect
      ? { leaderElection: leaderElection(connected, identity) }
      : { leadsAs: options.leaseName }),
    controllers: [
      ...created.map(({ definition, controller }) => run(definition, controller)),
      webhooks === undefined ? undefined : registrationOf(webhooks, selected, cached),
    ].filter((part) => part !== undefined),
  });
  return manager;
}

function webhooksOf(
  { options, selected, environment, client, serverClock, metrics }: Connected,
  { webhooks: address, lingerMs, certificates }: HttpsServing,
  readers: Readers,
  mayWrite: () => boolean,
): Admission | undefined {
  if (address === undefined) return undefined;
  const { logger, variables } = environment;
  return createAdmission({
    address,
    lingerMs,
    url: options.webhookUrl,
    certificates: (log) => certificates(options.webhookCertDir, log),
    injectCaFrom: options.webhookInjectCaFrom,
    namespace: ownNamespace(variables),
    limitedTo: options.namespaces,
    kinds: admittedKinds(selected),
    readers,
    client,
    mayWrite,
    clock: serverClock,
    objectDefaults: options,
    logger,
    metrics,
  });
}

/** Webhooks are registered when they can be answered. */
function registrationOf(
  { registration }: Admission,
  selected: readonly KindDefinition[],
  cached: CacheSet,
): Part {
  const reads = admissionReads(admittedKinds(selected));
  const { name } = registration;
  return { name, synced: async () => cached.synced(reads), run: registration.run.bind(registration) };
}

/** Where the operator is limited to namespaces. */
function rightsReview(
  { options, selected, environment: { logger }, client }: Connected,
  { namespaces }: CacheSet,
): Part | undefined {
  const rights = neededRights(selected, options.namespaces);
  return namespaces === undefined ? undefined : rightsInNewNamespaces({ client, namespaces, rights, logger });
}

function securePages(
  { metricsCertDir }: OperatorOptions,
  pages: Pages,
  { metrics: address, certificates }: HttpsServing,
  logger: Logger,
): Part | undefined {
  if (address === undefined) return undefined;
  const log = logger.child({ part: 'metrics' });
  const own = certificates(metricsCertDir, log);
  return new SecurePages({ address, pages, certificates: own, clock: systemClock, logger: log });
}

function healthOf(
  { bindAddress: address }: OperatorOptions,
  pages: Pages,
  { metrics }: HttpsServing,
  webhooks: Admission | undefined,
): NonNullable<ManagerOptions['health']> {
  const ready = webhooks === undefined ? {} : { webhooks: webhooks.problem };
  const pagesOverHttps = metrics === undefined ? undefined : `port ${parseAddress(metrics).port}`;
  return { address, ready, ...pages, pagesOverHttps };
}
