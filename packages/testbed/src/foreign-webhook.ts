import {
  mutatingWebhookConfigurations,
  silentLogger,
  systemClock,
  type RuleWithOperations,
  type StreamingClient,
} from '@atoll/kube';
import { createCertificateAuthority, issueCertificate } from '@atoll/kube/certificates';
import { AdmissionServer, type AdmissionHandler } from '@atoll/kube/webhook';

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

/** A mutating admission webhook of somebody else, served by this process; removed when it is disposed of. */
export async function startForeignWebhook(options: ForeignWebhookOptions): Promise<AsyncDisposable> {
  const { client, name, rules, answer, failurePolicy = 'Fail', timeoutSeconds = 10 } = options;
  const authority = await createCertificateAuthority('atoll-foreign-webhook');
  const hosts = ['127.0.0.1'];
  const server = new AdmissionServer({
    address: '127.0.0.1:0',
    handlers: { '/': answer },
    clock: systemClock,
    logger: silentLogger,
    shutdownMs: 100,
  });
  const port = await server.listen();
  server.useCertificate(await issueCertificate(authority, { commonName: name, hosts, usage: 'server' }));
  await client.create(mutatingWebhookConfigurations, {
    metadata: { name },
    webhooks: [
      {
        name,
        rules,
        failurePolicy,
        timeoutSeconds,
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        clientConfig: {
          url: `https://127.0.0.1:${port}/`,
          caBundle: Buffer.from(authority.certificatePem).toString('base64'),
        },
      },
    ],
  });
  return {
    async [Symbol.asyncDispose]() {
      await client.delete(mutatingWebhookConfigurations, { name });
      await server.close();
    },
  };
}
