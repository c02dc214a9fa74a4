import { X509Certificate } from 'node:crypto';
import { expect, it } from 'vitest';
import { ApiError, ServerClock, silentLogger, systemClock, type KubeObject, type Stored } from '@atoll/kube';
import type { ServingCertificate } from '@atoll/kube/webhook';
import type { Connected } from '../connect.ts';
import { httpsServing } from './https-serving.ts';

const dayMs = 24 * 60 * 60 * 1000;

/** An API server without the Secret, which takes the one that is written. */
const client = {
  get: async () => {
    const why = { code: 404, reason: 'NotFound', message: 'none', attempted: 'get' } as const;
    return Promise.reject(new ApiError({ fate: 'refused', ...why }));
  },
  apply: async (_: unknown, object: KubeObject) => {
    const metadata = { ...object.metadata, uid: 'u', resourceVersion: '1', creationTimestamp: '' };
    return Promise.resolve({ ...object, metadata } as Stored<KubeObject>);
  },
};

// The API server refuses a certificate that is not valid yet, or any more, by its own clock.
it.each([
  ['two days ahead', 2 * dayMs],
  ['a year behind', -365 * dayMs],
])(
  'on a machine whose clock is %s makes certificates that are valid for the API server',
  async (_, wrong) => {
    const serverNow = Date.now() - wrong;
    const serverClock = new ServerClock(systemClock);
    serverClock.answered({ date: new Date(serverNow).toUTCString(), durationMs: 10 });
    const connected = {
      options: { webhookUrl: undefined },
      environment: { variables: {} },
      client,
      serverClock,
    } as unknown as Connected;
    const stop = new AbortController();
    const made = Promise.withResolvers<ServingCertificate>();
    const source = httpsServing(connected).certificates(undefined, silentLogger);
    const ended = source.run(stop.signal, made.resolve);
    const { certificatePem, trustBundle = '' } = await made.promise;
    stop.abort();
    await ended;
    for (const pem of [certificatePem, trustBundle]) {
      const { validFrom, validTo } = new X509Certificate(pem);
      expect(Date.parse(validFrom)).toBeLessThan(serverNow);
      expect(Date.parse(validTo)).toBeGreaterThan(serverNow + 80 * dayMs);
    }
  },
);

it.each([
  [
    'in a pod, which the Service leads to for a moment longer',
    { KUBERNETES_SERVICE_HOST: '10.0.0.1' },
    5_000,
  ],
  ['elsewhere', {}, 0],
])('webhooks linger %s', (_, inCluster, lingerMs) => {
  const variables = { ...inCluster, KUBERNETES_SERVICE_PORT: '443' };
  const options = { kubeconfig: undefined, webhookUrl: undefined };
  const connected = { options, environment: { variables }, client } as unknown as Connected;
  expect(httpsServing(connected).lingerMs).toBe(lingerMs);
});
