import type { Client, Clock, Logger, Metrics, Part } from '@atoll/kube';
import {
  AdmissionServer,
  createWebhookMetrics,
  WebhookService,
  type CertificateSource,
} from '@atoll/kube/webhook';
import type { Readers } from '../caches.ts';
import type { ObjectDefaults } from '../definitions/kind-definition.ts';
import {
  admissionHandlers,
  registeredKinds,
  reviewedFields,
  type AdmittedKind,
} from './admission-handlers.ts';
import { TryChildren } from './trials/try-children.ts';
import { WebhookRegistration } from './webhook-registration.ts';

export interface AdmissionOptions {
  /** `host:port`. */
  readonly address: string;
  /** Milliseconds for which requests are still answered when the process is to end. */
  readonly lingerMs: number;
  readonly url: string | undefined;
  readonly certificates: (logger: Logger) => CertificateSource;
  readonly injectCaFrom: string | undefined;
  /** The operator's own. */
  readonly namespace: string;
  /** The namespaces whose objects are judged; undefined: all. */
  readonly limitedTo: readonly string[] | undefined;
  /** Whose webhooks are served and registered. */
  readonly kinds: readonly AdmittedKind[];
  readonly readers: Readers;
  readonly client: Pick<Client, 'get' | 'create' | 'apply'>;
  /** Whether this process may send a write at this moment; asked directly before each. */
  readonly mayWrite: () => boolean;
  readonly clock: Clock;
  readonly objectDefaults: ObjectDefaults;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** The parts of the webhooks, and their state. */
export interface Admission {
  /** Serves in every replica. */
  readonly service: Part;
  /** Registers, in the replica that leads. */
  readonly registration: Part;
  /** For `/readyz`. */
  readonly problem: () => string | undefined;
}

export function createAdmission(options: AdmissionOptions): Admission {
  const { address, kinds, readers, client, clock, objectDefaults, metrics, namespace, limitedTo } = options;
  const { url, injectCaFrom, lingerMs } = options;
  const logger = options.logger.child({ part: 'webhooks' });
  const server = new AdmissionServer({
    address,
    handlers: admissionHandlers(
      kinds,
      { readers, tries: new TryChildren({ client, clock }), clock, objectDefaults },
      limitedTo,
    ),
    reads: reviewedFields,
    clock,
    logger,
    lingerMs,
    metrics: createWebhookMetrics(metrics),
  });
  const service = new WebhookService(server, options.certificates(logger), logger);
  return {
    service,
    registration: new WebhookRegistration({
      client,
      service,
      namespace,
      limitedTo,
      kinds: registeredKinds(kinds),
      url,
      injectCaFrom,
      mayWrite: options.mayWrite,
      clock,
      logger,
    }),
    problem: () => server.problem,
  };
}
