import { expect, it } from 'vitest';
import { changeCertificates, decideCertificates } from './certificate-life.ts';
import { fromSecretData, toSecretData } from './certificate-secret.ts';
// Loaded here already, because that takes time on a busy machine.
import './certificate.ts';
import { webhookNeeds } from './webhook-needs.fixture.ts';

const now = Date.parse('2026-01-01T00:00:00Z');

it.each(['behind', 'before'])(
  'leaves out a block %s the authorities that is no certificate',
  async (where) => {
    const made = await changeCertificates(undefined, 'start-anew', webhookNeeds, now);
    const data = toSecretData(made);
    const bundle = Buffer.from(data['ca.crt'] ?? '', 'base64').toString();
    const block = '-----BEGIN CERTIFICATE-----\nY3V0IG9mZg==\n-----END CERTIFICATE-----\n';
    const text = where === 'behind' ? bundle + block : block + bundle;
    const found = fromSecretData({ ...data, 'ca.crt': Buffer.from(text).toString('base64') });
    expect(found).toEqual(fromSecretData(data));
    expect(decideCertificates(found, webhookNeeds, now).change).toBe(undefined);
  },
);
