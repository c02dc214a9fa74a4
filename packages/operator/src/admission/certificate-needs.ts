import { operatorNames } from '@atoll/api';
import type { CertificateNeeds } from '@atoll/kube/webhook';

const dayMs = 24 * 60 * 60 * 1000;

/**
 * Of the certificate that the webhooks serve with: a year for the authority, three months for what it signs, both renewed when
 * two thirds are over. The API server calls a Service as `<name>.<namespace>.svc`.
 */
export function certificateNeeds(namespace: string, url: string | undefined): CertificateNeeds {
  const service = `${operatorNames.webhookService}.${namespace}.svc`;
  const outside = url === undefined ? [] : [new URL(url).hostname.replace(/^\[|\]$/g, '')];
  return {
    name: operatorNames.webhookService,
    hosts: [service, `${service}.cluster.local`, ...outside],
    authorityLifetimeMs: 365 * dayMs,
    servingLifetimeMs: 90 * dayMs,
    overlapMs: dayMs,
  };
}
