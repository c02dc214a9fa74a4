import type { CertificateNeeds } from './certificate-life.ts';

export const day = 24 * 60 * 60 * 1000;

/** What a webhook needs of its certificates. */
export const webhookNeeds: CertificateNeeds = {
  name: 'webhook',
  hosts: ['webhook.system.svc'],
  authorityLifetimeMs: 360 * day,
  servingLifetimeMs: 90 * day,
  overlapMs: day,
};
