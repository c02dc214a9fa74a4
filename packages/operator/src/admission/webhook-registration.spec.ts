import { nodePools } from '@atoll/api';
import { kindDefinitions } from '../definitions/kind-definitions.ts';
import { admittedKinds, registeredKinds } from './admission-handlers.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  ApiError,
  silentLogger,
  type Client,
  type KubeObject,
  type Resource,
  type Stored,
  type ValidatingWebhookConfiguration,
} from '@atoll/kube';
import { FakeClock } from '@atoll/kube/testing';
import type { StandingListener } from '@atoll/kube/webhook';
import { WebhookRegistration, type WebhookRegistrationOptions } from './webhook-registration.ts';

/** Configurations by kind, as an API server keeps them. */
class Server implements Pick<Client, 'get' | 'apply'> {
  readonly objects = new Map<string, KubeObject>();
  writes = 0;
  away = false;
  /** What happens between a read and its answer. */
  meanwhile: (() => void) | undefined;

  async get<T extends KubeObject>({ kind }: Resource<T>): Promise<Stored<T>> {
    const found = this.objects.get(kind);
    this.meanwhile?.();
    if (found === undefined || this.away) throw refusal(this.away ? 503 : 404);
    return found as unknown as Stored<T>;
  }

  async apply<T extends KubeObject>({ kind }: Resource<T>, object: KubeObject): Promise<Stored<T>> {
    if (this.away) throw refusal(503);
    const { resourceVersion } = object.metadata;
    const current = this.objects.get(kind);
    const isOther = resourceVersion !== undefined && resourceVersion !== current?.metadata.resourceVersion;
    if (current !== undefined && isOther) throw refusal(409);
    this.writes += 1;
    const metadata = { ...object.metadata, resourceVersion: String(100 + this.writes) };
    this.objects.set(kind, { ...object, metadata });
    return object as unknown as Stored<T>;
  }
}

function refusal(code: number): ApiError {
  const reason = { 404: 'NotFound', 409: 'Conflict' }[code] ?? 'ServiceUnavailable';
  return new ApiError({ fate: 'refused', code, reason, message: reason, attempted: 'get' });
}

let server: Server;
let clock: FakeClock;
let stop: AbortController;
let notify: StandingListener;

beforeEach(() => {
  [server, clock, stop] = [new Server(), new FakeClock(), new AbortController()];
});

afterEach(async () => {
  stop.abort();
  await clock.advance(0);
});

async function start(options: Partial<WebhookRegistrationOptions> = {}): Promise<void> {
  const registration = new WebhookRegistration({
    client: server,
    service: {
      subscribe(listener) {
        notify = listener;
        return () => {};
      },
    },
    namespace: 'system',
    kinds: registeredKinds(admittedKinds(kindDefinitions)),
    url: undefined,
    injectCaFrom: undefined,
    mayWrite: () => true,
    clock,
    logger: silentLogger,
    ...options,
  });
  void registration.run(stop.signal);
  await clock.advance(0);
}

async function serve(trustBundle: string | undefined = 'PEM', port = 9443): Promise<void> {
  notify({ port, trustBundle });
  await clock.advance(0);
}

function validating(): ValidatingWebhookConfiguration {
  return server.objects.get('ValidatingWebhookConfiguration') as ValidatingWebhookConfiguration;
}

function clients(): readonly unknown[] {
  return (validating().webhooks ?? []).map(({ clientConfig }) => clientConfig);
}

describe('the registration', () => {
  it('waits until requests can be answered', async () => {
    await start();
    await clock.advance(600_000);
    expect(server.writes).toBe(0);
    await serve();
    expect([...server.objects.keys()].sort()).toEqual([
      'MutatingWebhookConfiguration',
      'ValidatingWebhookConfiguration',
    ]);
  });

  it('leads to the Service under the paths of the old operators, and trusts our authority', async () => {
    await start();
    await serve();
    const caBundle = Buffer.from('PEM').toString('base64');
    const to = (path: string) => ({
      service: { namespace: 'system', name: 'atoll-webhook', path, port: 443 },
      caBundle,
    });
    expect(clients()).toEqual([
      to('/validate-apps-openyurt-io-v1beta2-nodepool'),
      to('/validate-apps-openyurt-io-v1alpha1-uniteddaemonset'),
      to('/validate-apps-openyurt-io-v1alpha1-yurtappdaemon'),
      to('/validate-apps-kruise-io-v1alpha1-uniteddeployment'),
      to('/validate-datadoghq-com-v1alpha1-extendeddaemonset'),
    ]);
  });

  it('is about the kinds that are looked after, and no longer about those that are not', async () => {
    await start();
    await serve();
    await start({ kinds: [{ resource: nodePools, lacks: [] }] });
    await serve();
    await expect.poll(clients).toEqual([
      expect.objectContaining({
        service: expect.objectContaining({ path: '/validate-apps-openyurt-io-v1beta2-nodepool' }),
      }),
    ]);
  });

  it('leads to a process outside of the cluster, under the port that is served', async () => {
    await start({ url: 'https://127.0.0.1:0' });
    await serve('PEM', 1234);
    expect(clients()[0]).toMatchObject({
      url: 'https://127.0.0.1:1234/validate-apps-openyurt-io-v1beta2-nodepool',
    });
  });

  it('leaves the authority to cert-manager where it is to fill it in', async () => {
    await start({ injectCaFrom: 'system/webhook' });
    notify({ port: 9443, trustBundle: undefined });
    await clock.advance(0);
    expect(clients()[0]).not.toHaveProperty('caBundle');
    expect(validating().metadata.annotations).toEqual({ 'cert-manager.io/inject-ca-from': 'system/webhook' });
    // What cert-manager has filled in is no difference.
    const found = validating();
    const webhooks = found.webhooks?.map((each) => ({
      ...each,
      clientConfig: { ...each.clientConfig, caBundle: 'x' },
    }));
    server.objects.set('ValidatingWebhookConfiguration', { ...found, webhooks } as KubeObject);
    await clock.advance(600_000);
    expect(server.writes).toBe(2);
  });

  it('writes nothing while all is as it should be, and follows a new authority at once', async () => {
    await start();
    await serve();
    await clock.advance(600_000);
    expect(server.writes).toBe(2);
    await serve('OTHER');
    expect(server.writes).toBe(4);
    expect(clients()[0]).toMatchObject({ caBundle: Buffer.from('OTHER').toString('base64') });
  });

  it('puts back within a minute what somebody deleted or changed', async () => {
    await start();
    await serve();
    server.objects.delete('MutatingWebhookConfiguration');
    const [first, ...others] = validating().webhooks ?? [];
    const webhooks = [{ ...first, failurePolicy: 'Fail' }, ...others];
    server.objects.set('ValidatingWebhookConfiguration', { ...validating(), webhooks } as KubeObject);
    await clock.advance(60_000);
    expect(server.writes).toBe(4);
    expect(validating().webhooks?.[0]?.failurePolicy).toBe('Ignore');
  });

  it('tries again while the API server is away', async () => {
    await start();
    server.away = true;
    await serve();
    await clock.advance(20_000);
    server.away = false;
    await clock.advance(5_000);
    expect(server.writes).toBe(2);
  });

  it('writes nothing while this process may not, and looks again after five seconds', async () => {
    let mayWrite = false;
    await start({ mayWrite: () => mayWrite });
    await serve();
    expect(server.writes).toBe(0);
    mayWrite = true;
    await clock.advance(5_000);
    expect(server.writes).toBe(2);
  });

  it.each([
    ['changed', ['PEM', 'OTHER']],
    ['made', ['PEM']],
  ])(
    'leaves what the next leader %s after it had read, and looks again after five seconds',
    async (_, bundles) => {
      await start();
      for (const bundle of bundles.slice(0, -1)) await serve(bundle);
      const [before, kind] = [server.writes, 'MutatingWebhookConfiguration'];
      const next = { ...server.objects.get(kind), metadata: { name: 'atoll', resourceVersion: 'next' } };
      server.meanwhile = () => {
        server.meanwhile = undefined;
        server.objects.set(kind, next as KubeObject);
      };
      await serve(bundles.at(-1));
      expect(server.objects.get(kind)).toBe(next);
      expect(server.writes).toBe(before);
      await clock.advance(5_000);
      expect(server.writes).toBe(before + 2);
    },
  );

  it('are reported where somebody writes them each time between the read and the write', async () => {
    const warned: string[] = [];
    const logger = {
      ...silentLogger,
      warn: (_: unknown, message?: string) => void warned.push(message ?? ''),
    };
    await start({ logger: logger as typeof silentLogger });
    await serve('a');
    const kind = 'MutatingWebhookConfiguration';
    let written = 0;
    server.meanwhile = () => {
      written += 1;
      const metadata = { name: 'atoll', resourceVersion: `other-${written}` };
      server.objects.set(kind, { ...server.objects.get(kind), metadata } as KubeObject);
    };
    await serve('b');
    await clock.advance(5_000);
    expect(warned).toEqual([]);
    await clock.advance(5_000);
    expect(warned).toEqual(['webhooks cannot be registered']);
  });

  it('of an operator that is limited to namespaces ask about objects of these only, under a name of its own', async () => {
    await start({ limitedTo: ['edge', 'lab'] });
    await serve();
    for (const kind of ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration']) {
      const { metadata, webhooks = [] } = server.objects.get(kind) as ValidatingWebhookConfiguration;
      expect(metadata.name).toBe('atoll.system');
      for (const { rules, namespaceSelector } of webhooks) {
        const isOfCluster = rules?.[0]?.scope === 'Cluster';
        expect(namespaceSelector).toEqual(
          isOfCluster
            ? undefined
            : {
                matchExpressions: [
                  { key: 'kubernetes.io/metadata.name', operator: 'In', values: ['edge', 'lab'] },
                ],
              },
        );
      }
    }
  });
});
