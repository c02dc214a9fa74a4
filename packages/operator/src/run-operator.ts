import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { fieldManagers, operatorNames } from '@atoll/api';
import {
  boundedWrites,
  CacheSet,
  countExchanges,
  createClient,
  createInformers,
  createMetrics,
  EventRecorder,
  findCluster,
  groupResourceOf,
  isInCluster,
  Manager,
  observeReflectors,
  parseAddress,
  reviewedAccess,
  SecurePages,
  ServerClock,
  systemClock,
  type AdjustableLevel,
  type CacheDeclarations,
  type KubeObject,
  type Logger,
  type ManagerOptions,
  type Metrics,
  type Pages,
  type Part,
  type Resource,
  type StreamingClient,
  type WriteThroughCache,
} from '@atoll/kube';
import type { CertificateSource } from '@atoll/kube/webhook';
import { admissionReads, admittedKinds } from './admission/admission-handlers.ts';
import { createAdmission, type Admission } from './admission/create-admission.ts';
import type { Readers } from './caches.ts';
import { Inspector } from './causes/inspector.ts';
import { logLevelPages } from './debug/log-level-pages.ts';
import { objectPages } from './debug/object-pages.ts';
import { checkDefinitions } from './definitions/check-definitions.ts';
import { declaredCaches, ownCacheNameOf } from './definitions/declared-caches.ts';
import { undeclaredBy } from './definitions/declared-writes.ts';
import { kindGauges } from './definitions/kind-gauges.ts';
import { withNamespaceGauge } from './definitions/namespace-gauge.ts';
import { createEngineMetrics } from './engine-metrics.ts';
import { Announcer } from './engine/announce.ts';
import { Executor } from './engine/executor/execute.ts';
import { mostRequests } from './engine/executor/in-flight.ts';
import { WriteBudget } from './engine/status/write-budget.ts';
import { startController, type ControllerRuntime } from './engine/reconcile/start-controller.ts';
import type { KindDefinition } from './definitions/kind-definition.ts';
import { certificateNeeds } from './start-up/certificate-needs.ts';
import { leaseRights, neededRights } from './start-up/needed-rights.ts';
import {
  metricsAddress,
  metricsNeedToken,
  sendWithinMs,
  webhookAddress,
  type OperatorOptions,
} from './start-up/operator-options.ts';
import { preflight, preflightLease } from './start-up/preflight.ts';
import { servingCertificates } from './start-up/serving-certificates.ts';
import { rightsInNewNamespaces } from './start-up/rights-in-new-namespaces.ts';
import { untilUsable } from './start-up/until-usable.ts';
import { warnOfUnseen } from './start-up/warn-of-unseen.ts';
import { warnOfWrongClock } from './start-up/warn-of-wrong-clock.ts';

/** Places for the executor's requests and for what else is asked for meanwhile: events, lists, trials of the webhooks. */
const requestSockets = mostRequests + 16;

/**
 * Each cache holds a watch, one of a kind that need not be installed another for its definition; and a watch that is
 * opened anew must not wait for the socket of the one before. A watch without a socket fails, and its cache stays empty.
 */
const watchSocketsPerCache = 3;

export interface OperatorEnvironment {
  readonly version: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly logger: Logger;
  /** Absent: nobody changes what the log shows while it runs. */
  readonly logLevel?: AdjustableLevel;
}

/** Runs the selected controllers until the signal ends. Rejects with what kept it from starting or going on. */
export async function runOperator(
  options: OperatorOptions,
  selected: readonly KindDefinition[],
  environment: OperatorEnvironment,
  signal: AbortSignal,
): Promise<void> {
  checkDefinitions(selected);
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
  const declared = declaredCaches(selected);
  const client = createClient(access, {
    userAgent: `atoll-operator/${version}`,
    fieldManager: fieldManagers.atoll,
    logger,
    sockets: {
      watches: watchSocketsPerCache * watchedCaches(declared, options.namespaces),
      requests: requestSockets,
    },
    onExchange: (observed) => {
      count(observed);
      serverClock.answered(observed);
      warnOfClock();
    },
  });
  try {
    const { server } = access;
    const lease = options.leaderElect ? leaseOf(options, variables) : undefined;
    const needed = neededRights(selected, options.namespaces);
    const rights = [...needed, ...(lease === undefined ? [] : leaseRights(lease))];
    const look = async (until: AbortSignal): Promise<void> => {
      const check = async (): Promise<string> => {
        const gitVersion = await preflight(client, server, rights, until);
        if (lease !== undefined) await preflightLease(client, server, lease, until);
        return gitVersion;
      };
      const serverVersion = await untilUsable(check, { server, clock: systemClock, logger, signal: until });
      logger.info({ version, server, serverVersion, namespaces: options.namespaces }, 'starting');
      if (options.namespaces !== undefined) warnOfUnseen(selected, logger);
    };
    await assemble(options, selected, environment, { client, serverClock }, metrics, look).run(signal);
  } finally {
    await client.close();
  }
}

/** Wires caches, engine and controllers into a manager. */
function assemble(
  options: OperatorOptions,
  selected: readonly KindDefinition[],
  { logger, variables, logLevel }: OperatorEnvironment,
  { client, serverClock }: { readonly client: StreamingClient; readonly serverClock: ServerClock },
  metrics: Metrics,
  look: NonNullable<ManagerOptions['preflight']>,
): Manager {
  // Of sockets, leases and certificates. What is decided of objects takes the time of the server, whose times they have.
  const clock = systemClock;
  const identity = `${variables['POD_NAME'] ?? hostname()}_${randomUUID()}`;
  const informers = createInformers({ client, clock, logger, observer: observeReflectors(metrics) });
  const inCluster = runsInCluster(options, variables);
  const webhooks = webhookAddress(options, inCluster);
  const overHttps = metricsAddress(options, inCluster);
  const namespace = ownNamespace(variables);
  const needs = certificateNeeds(namespace, { url: options.webhookUrl, metrics: overHttps });
  const certificates = (directory: string | undefined, log: Logger): CertificateSource =>
    servingCertificates({ directory, namespace, needs, client, clock, logger: log });
  const admitted = admittedKinds(selected);
  const cached = new CacheSet(informers, declaredCaches(selected), options.namespaces);
  // A controller and its webhooks get the readers that the definition names; one that it does not name is undefined and fails at once.
  const readers = cached.readers as unknown as Readers;
  const cacheOf = cachesByController(selected, cached);
  const admission: Admission | undefined =
    webhooks === undefined
      ? undefined
      : createAdmission({
          address: webhooks,
          url: options.webhookUrl,
          certificates: (log) => certificates(options.webhookCertDir, log),
          injectCaFrom: options.webhookInjectCaFrom,
          namespace,
          limitedTo: options.namespaces,
          kinds: admitted,
          readers,
          client,
          clock: serverClock,
          objectDefaults: options,
          logger,
          metrics,
        });
  const recorder = new EventRecorder({
    client,
    reportingController: 'atoll.dev/operator',
    reportingInstance: identity,
    clock: serverClock,
    logger,
    metrics,
  });
  const recordEvent = recorder.record.bind(recorder);
  const executor = new Executor({
    client: boundedWrites(client, { clock, sendWithinMs }),
    cacheOf,
    undeclared: undeclaredBy(selected),
    clock: serverClock,
    mayWrite: () => manager.mayWrite(),
    fieldManager: fieldManagers.atoll,
    recordEvent,
  });
  const inspector = new Inspector({ client, clock: serverClock, logger });
  const runtime: Omit<ControllerRuntime, 'cacheOf'> = {
    clock: serverClock,
    logger,
    metrics,
    executor,
    announcer: new Announcer({ log: logger, metrics: createEngineMetrics(metrics), recordEvent }),
    inspections: inspector,
    workers: options.workers,
    statusBudget: new WriteBudget(),
    informerOf: cached.informerOf.bind(cached),
  };
  const ready = admission === undefined ? {} : { webhooks: admission.problem };
  const ofKinds = kindGauges(selected, readers, {
    isLeader: () => manager.isLeader(),
    objectDefaults: options,
  });
  const { namespaces } = cached;
  const gauges = namespaces === undefined ? ofKinds : withNamespaceGauge(ofKinds, namespaces);
  const reviewed = reviewedAccess({ client, clock, logger });
  const metricsAccess = metricsNeedToken(options, overHttps ?? options.bindAddress) ? reviewed : undefined;
  const created = selected.map((definition) => ({
    definition,
    controller: definition.create(readers, inspector, options),
  }));
  const controllers = created.map(({ controller }) => controller);
  const guarded = [
    ...(logLevel === undefined ? [] : logLevelPages(logLevel, logger)),
    ...(options.debugObjects
      ? objectPages({
          controllers,
          clock: serverClock,
          isLeader: () => manager.isLeader(),
          refusedTrials: executor.refusedTrials.bind(executor),
        })
      : []),
  ];
  const pages: Pages = { metrics, gauges, metricsAccess, guarded: { access: reviewed, pages: guarded } };
  const health = {
    address: options.bindAddress,
    ready,
    ...pages,
    pagesOverHttps: overHttps === undefined ? undefined : `port ${parseAddress(overHttps).port}`,
  };
  const manager: Manager = new Manager({
    logger,
    clock,
    metrics,
    preflight: look,
    informers,
    services: [
      { name: 'event recorder', run: recorder.run.bind(recorder) },
      ...(namespaces === undefined
        ? []
        : [
            rightsInNewNamespaces({
              client,
              namespaces,
              rights: neededRights(selected, options.namespaces),
              logger,
            }),
          ]),
      ...(overHttps === undefined
        ? []
        : [
            securePages(overHttps, pages, (log) => certificates(options.metricsCertDir, log), {
              clock,
              logger,
            }),
          ]),
      { name: 'inspector', run: inspector.run.bind(inspector) },
      ...(admission === undefined ? [] : [admission.service]),
    ],
    controllers: [
      ...created.map(({ definition: { name, reads }, controller }): Part => {
        const own = { ...runtime, cacheOf: (resource: Resource<KubeObject>) => cacheOf(resource, name) };
        return {
          name,
          synced: async () => cached.synced(Object.keys(reads)),
          run: (until) => startController(controller, own, until).stopped,
        };
      }),
      ...(admission === undefined
        ? []
        : [registrationPart(admission, async () => cached.synced(admissionReads(admitted)))]),
    ],
    ...(options.bindAddress === '0' ? {} : { health }),
    ...(options.leaderElect ? { leaderElection: leaderElection(options, variables, client, identity) } : {}),
  });
  return manager;
}

/** Caches that have a watch of their own: those of what is in namespaces for each namespace, and each namespace is followed too. */
function watchedCaches(declared: CacheDeclarations, namespaces: readonly string[] | undefined): number {
  const resources = Object.values(declared).map(({ resource }) => resource);
  if (namespaces === undefined) return resources.length;
  const inNamespaces = resources.filter(({ namespaced }) => namespaced).length;
  return resources.length - inNamespaces + (inNamespaces + 1) * namespaces.length;
}

/** The cache of a resource that a controller reads, found by the name that its definition gives it. */
function cachesByController(
  selected: readonly KindDefinition[],
  cached: CacheSet,
): (resource: Resource<KubeObject>, controller: string) => WriteThroughCache<KubeObject> | undefined {
  const definitions = new Map(selected.map((definition) => [definition.name, definition]));
  const found = new Map<string, string | undefined>();
  return (resource, controller) => {
    const asked = `${controller} ${groupResourceOf(resource)}`;
    const definition = definitions.get(controller);
    if (!found.has(asked) && definition !== undefined) found.set(asked, ownCacheNameOf(definition, resource));
    const name = found.get(asked);
    return name === undefined ? undefined : cached.cacheNamed(name);
  };
}

function securePages(
  address: string,
  pages: Pages,
  certificates: (logger: Logger) => CertificateSource,
  { clock, logger }: Pick<ControllerRuntime, 'clock' | 'logger'>,
): Part {
  const log = logger.child({ part: 'metrics' });
  return new SecurePages({ address, pages, certificates: certificates(log), clock, logger: log });
}

/** Webhooks are registered when they can be answered. */
function registrationPart({ registration }: Admission, synced: () => Promise<void>): Part {
  return { name: registration.name, synced, run: registration.run.bind(registration) };
}

function leaderElection(
  options: OperatorOptions,
  variables: OperatorEnvironment['variables'],
  client: StreamingClient,
  identity: string,
): NonNullable<ManagerOptions['leaderElection']> {
  const { leaseDurationMs, renewDeadlineMs, retryPeriodMs } = options;
  return {
    client,
    lease: leaseOf(options, variables),
    identity,
    leaseDurationMs,
    renewDeadlineMs,
    retryPeriodMs,
    sendWithinMs,
  };
}

/** Leases are namespaced. */
type LeaseName = NonNullable<ManagerOptions['leaderElection']>['lease'];

function leaseOf(options: OperatorOptions, variables: OperatorEnvironment['variables']): LeaseName {
  const namespace = options.leaseNamespace ?? ownNamespace(variables);
  return { namespace, name: options.leaseName };
}

function ownNamespace(variables: OperatorEnvironment['variables']): string {
  return variables['POD_NAMESPACE'] ?? operatorNames.namespace;
}

/** Whether this is a pod of the cluster that it works on: then the Service leads to it. */
function runsInCluster(options: OperatorOptions, variables: OperatorEnvironment['variables']): boolean {
  return options.kubeconfig === undefined && !variables['KUBECONFIG'] && isInCluster(variables);
}
