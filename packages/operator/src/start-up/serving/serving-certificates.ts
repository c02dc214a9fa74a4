import { componentName, fieldManagers, labels, operatorNames } from '@atoll/api';
import type { Client, Clock, Logger } from '@atoll/kube';
import {
  DirectoryCertificates,
  SecretCertificates,
  type CertificateNeeds,
  type CertificateSource,
} from '@atoll/kube/webhook';

export interface ServingCertificatesOptions {
  /** Holds certificates that somebody else makes; undefined: we make our own. */
  readonly directory: string | undefined;
  /** The operator's own. */
  readonly namespace: string;
  readonly needs: CertificateNeeds;
  readonly client: Pick<Client, 'get' | 'apply'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The certificates of one of the operator's servers. Those that make their own share one Secret, as replicas do. */
export function servingCertificates(options: ServingCertificatesOptions): CertificateSource {
  const { directory, namespace, needs, client, clock, logger } = options;
  if (directory !== undefined) return new DirectoryCertificates({ directory, clock, logger });
  return new SecretCertificates({
    client,
    secret: { namespace, name: operatorNames.webhookSecret },
    needs,
    fieldManager: fieldManagers.atoll,
    labels: { 'app.kubernetes.io/name': componentName, [labels.managedBy]: componentName },
    clock,
    logger,
  });
}
