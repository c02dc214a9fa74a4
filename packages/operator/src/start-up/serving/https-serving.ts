import { isInCluster, type Logger } from '@atoll/kube';
import type { CertificateSource } from '@atoll/kube/webhook';
import { certificateNeeds } from './certificate-needs.ts';
import type { Connected } from '../connect.ts';
import type { OperatorEnvironment } from '../operator-environment.ts';
import { metricsAddress, webhookAddress } from '../options/addresses.ts';
import type { OperatorOptions } from '../options/operator-options.ts';
import { ownNamespace } from '../own-lease.ts';
import { servingCertificates } from './serving-certificates.ts';

/** A pod is taken off its Service within a second or two after it was asked to end; until then requests are sent to it. */
const lingerBehindService = 5_000;

/** What the process serves over HTTPS. */
export interface HttpsServing {
  /** `host:port`; undefined: they are not served. */
  readonly webhooks: string | undefined;
  /** Milliseconds for which webhooks are still answered when the process is to end. */
  readonly lingerMs: number;
  /** `host:port` of metrics and other pages; undefined: over HTTP only. */
  readonly metrics: string | undefined;
  /** Those in the directory; without one the operator's own, which have the names of both. */
  readonly certificates: (directory: string | undefined, logger: Logger) => CertificateSource;
}

export function httpsServing({
  options,
  environment: { variables },
  client,
  serverClock: clock,
}: Connected): HttpsServing {
  const inCluster = runsInCluster(options, variables);
  const metrics = metricsAddress(options, inCluster);
  const namespace = ownNamespace(variables);
  const needs = certificateNeeds(namespace, { url: options.webhookUrl, metrics });
  return {
    webhooks: webhookAddress(options, inCluster),
    lingerMs: inCluster ? lingerBehindService : 0,
    metrics,
    certificates: (directory, logger) =>
      servingCertificates({ directory, namespace, needs, client, clock, logger }),
  };
}

/** Whether this is a pod of the cluster that it works on: then the Service leads to it. */
function runsInCluster(options: OperatorOptions, variables: OperatorEnvironment['variables']): boolean {
  return options.kubeconfig === undefined && !variables['KUBECONFIG'] && isInCluster(variables);
}
