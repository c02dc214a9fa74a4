import { operatorNames } from '@atoll/api';
import { parseAddress } from '@atoll/kube';
import type { CertificateNeeds } from '@atoll/kube/webhook';

const dayMs = 24 * 60 * 60 * 1000;

/** Where processes outside of the cluster are reached; undefined: through the Services only. */
export interface OutsideAddresses {
  /** Of the webhooks. */
  readonly url: string | undefined;
  /** `host:port` of the metrics; a host that means every address names none. */
  readonly metrics: string | undefined;
}

/**
 * Of the certificate that webhooks and metrics are served with: a year for the authority, three months for what it signs, both renewed when
 * two thirds are over. The API server calls a Service as `<name>.<namespace>.svc`. One certificate has all names, so that parts and
 * replicas which share the Secret never write over each other.
 */
export function certificateNeeds(namespace: string, { url, metrics }: OutsideAddresses): CertificateNeeds {
  const services = [operatorNames.webhookService, operatorNames.metricsService].flatMap((name) => [
    `${name}.${namespace}.svc`,
    `${name}.${namespace}.svc.cluster.local`,
  ]);
  return {
    name: operatorNames.webhookService,
    hosts: [
      ...services,
      ...(url === undefined ? [] : [new URL(url).hostname.replace(/^\[|\]$/g, '')]),
      ...hostOf(metrics),
    ],
    authorityLifetimeMs: 365 * dayMs,
    servingLifetimeMs: 90 * dayMs,
    overlapMs: dayMs,
  };
}

function hostOf(address: string | undefined): readonly string[] {
  if (address === undefined) return [];
  const { host } = parseAddress(address);
  return host === undefined || host === '0.0.0.0' || host === '::' ? [] : [host];
}
