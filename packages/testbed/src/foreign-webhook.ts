import { setTimeout as delay } from 'node:timers/promises';
import {
  configMaps,
  isApiError,
  mutatingWebhookConfigurations,
  silentLogger,
  systemClock,
  type RuleWithOperations,
  type StreamingClient,
} from '@atoll/kube';
import { createCertificateAuthority, issueCertificate } from '@atoll/kube/certificates';
import { AdmissionServer, type AdmissionHandler } from '@atoll/kube/webhook';

/** What a validating webhook of somebody else is asked about, and how it answers. */
export interface ForeignWebhookOptions {
  /** As administrator. */
  readonly client: Pick<StreamingClient, 'create' | 'delete'>;
  /** A DNS name: that of the webhook and of its configuration. */
  readonly name: string;
  readonly rules: readonly RuleWithOperations[];
  readonly answer: AdmissionHandler;
  readonly failurePolicy?: 'Ignore' | 'Fail';
  /** 1 to 30; default 10. */
  readonly timeoutSeconds?: number;
}

/** What is answered to an object that is made only to see whether the API server asks the webhook. */
const inEffect = 'the foreign webhook is in effect';
const probeLabel = 'testbed.atoll.dev/foreign-webhook';
const patienceMs = 30_000;

/**
 * A mutating admission webhook of somebody else, served by this process; removed when it is disposed of. The API server, which watches configurations,
 * asks it when this resolves, and no longer when it has been disposed of.
 */
export async function startForeignWebhook(options: ForeignWebhookOptions): Promise<AsyncDisposable> {
  const { client, name, rules, answer, failurePolicy = 'Fail', timeoutSeconds = 10 } = options;
  const authority = await createCertificateAuthority('atoll-foreign-webhook');
  const hosts = ['127.0.0.1'];
  const server = new AdmissionServer({
    address: '127.0.0.1:0',
    handlers: {
      '/': answer,
      '/in-effect': async () => ({ allowed: false, status: { code: 403, message: inEffect } }),
    },
    clock: systemClock,
    logger: silentLogger,
    shutdownMs: 100,
  });
  const port = await server.listen();
  server.useCertificate(await issueCertificate(authority, { commonName: name, hosts, usage: 'server' }));
  const at = (path: string) => ({
    failurePolicy,
    timeoutSeconds,
    sideEffects: 'None' as const,
    admissionReviewVersions: ['v1'],
    clientConfig: {
      url: `https://127.0.0.1:${port}${path}`,
      caBundle: Buffer.from(authority.certificatePem).toString('base64'),
    },
  });
  const objectSelector = { matchLabels: { [probeLabel]: name } };
  await client.create(mutatingWebhookConfigurations, {
    metadata: { name },
    webhooks: [
      { name: `in-effect.${name}`, rules: probed, objectSelector, ...at('/in-effect') },
      { name, rules, ...at('/') },
    ],
  });
  await untilInEffect(client, name, true);
  return {
    async [Symbol.asyncDispose]() {
      await client.delete(mutatingWebhookConfigurations, { name });
      await untilInEffect(client, name, false);
      await server.close();
    },
  };
}

const probed: readonly RuleWithOperations[] = [
  { apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] },
];

type Administrator = ForeignWebhookOptions['client'];

async function untilInEffect(client: Administrator, name: string, wanted: boolean): Promise<void> {
  const deadline = Date.now() + patienceMs;
  while ((await isInEffect(client, name)) !== wanted) {
    const state = wanted ? 'not asked yet' : 'still asked';
    if (Date.now() > deadline) throw new Error(`the webhook ${name} is ${state}`);
    await delay(10);
  }
}

async function isInEffect(client: Administrator, name: string): Promise<boolean> {
  const probe = { metadata: { namespace: 'default', name, labels: { [probeLabel]: name } } };
  try {
    await client.create(configMaps, probe, { dryRun: true });
    return false;
  } catch (error) {
    if (isApiError(error) && error.message.includes(inEffect)) return true;
    throw error;
  }
}
