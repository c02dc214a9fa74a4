import { describe, expect, it } from 'vitest';
import {
  mutatingWebhookConfiguration,
  unitedDeployments,
  validatingWebhookConfiguration,
  webhookPath,
} from '@atoll/api';
import { FakeClock } from '@atoll/kube/testing';
import type { AdmissionHandler, AdmissionRequest } from '@atoll/kube/webhook';
import type { Readers } from '../caches.ts';
import { kindDefinitions } from '../definitions/kind-definitions.ts';
import { nodePoolDefinition } from '../node-pool/definition.ts';
import { readers } from './admission.fixture.ts';
import { admissionHandlers, admissionReads, admittedKinds, registeredKinds } from './admission-handlers.ts';
import type { AdmissionContext } from './kind-webhooks.ts';
import { Judge } from './trials/judge.fixture.ts';
import { TryChildren } from './trials/try-children.ts';
import { unitedReaders } from './united-deployment/united-deployment.fixture.ts';

/** Without Kubernetes' own kinds, for which Atoll serves no webhooks. */
function context(): AdmissionContext {
  const clock = new FakeClock();
  return {
    readers: {
      ...readers({}),
      ...unitedReaders(),
      extendedDaemonSets: { get: () => undefined },
    } as unknown as Readers,
    tries: new TryChildren({ client: new Judge(), clock }),
    clock,
    objectDefaults: { canaryValidationMode: 'auto' },
  };
}

const ours = kindDefinitions.filter(({ resource: { group } }) => group !== '' && group !== 'apps');

describe('the webhooks', () => {
  it('are those of every kind of ours', () => {
    expect(admittedKinds(kindDefinitions).map(({ resource }) => resource)).toEqual(
      ours.map(({ resource }) => resource),
    );
  });

  it('of a kind are silent where its controller does not run', () => {
    const kinds = admittedKinds(kindDefinitions.filter(({ name }) => name !== 'united-deployment'));
    expect(kinds.map(({ resource }) => resource)).not.toContain(unitedDeployments);
    expect(kinds).toHaveLength(ours.length - 1);
    expect(admissionReads(kinds)).not.toContain('cloneSets');
    expect(admissionReads(admittedKinds([nodePoolDefinition]))).toEqual([]);
  });

  it.each(kindDefinitions.map(({ name, reads, webhooks }) => ({ name, reads, webhooks })))(
    'of $name read caches that its definition names',
    ({ reads, webhooks }) => {
      expect(Object.keys(reads)).toEqual(expect.arrayContaining([...(webhooks?.reads ?? [])]));
    },
  );

  it('are answered under every path that is registered', () => {
    const kinds = admittedKinds(kindDefinitions);
    const handlers = admissionHandlers(kinds, context());
    const address = { namespace: 'system' };
    const registered = registeredKinds(kinds);
    const webhooks = [
      ...(mutatingWebhookConfiguration(address, registered).webhooks ?? []),
      ...(validatingWebhookConfiguration(address, registered).webhooks ?? []),
    ];
    const paths = webhooks.map(({ clientConfig }) => clientConfig.service?.path);
    expect(new Set(paths)).toEqual(new Set(Object.keys(handlers)));
  });

  it.each(
    ours.flatMap(({ resource }) => [
      {
        kind: resource.kind,
        path: webhookPath('validate', resource),
        field: 'uid',
        metadata: { name: 'web' },
      },
      { kind: resource.kind, path: webhookPath('validate', resource), field: 'name', metadata: { uid: '1' } },
    ]),
  )(
    'refuse a $kind without metadata.$field, which the API server does not send',
    async ({ path, field, metadata }) => {
      const handler = admissionHandlers(admittedKinds(kindDefinitions), context())[path];
      const object = { metadata: { namespace: 'shop', ...metadata }, spec: {} };
      const request = { uid: '1', operation: 'CREATE', object } as unknown as AdmissionRequest;
      await expect(handler?.(request, new AbortController().signal)).rejects.toThrow(
        `the object has no metadata.${field}, which the API server sends with every object that is validated`,
      );
    },
  );

  it.each(
    ours.flatMap(({ resource }) => [
      { kind: resource.kind, path: webhookPath('mutate', resource) },
      { kind: resource.kind, path: webhookPath('validate', resource) },
    ]),
  )('stand in the way of no $kind that ends ($path)', async ({ path }) => {
    const handlers = admissionHandlers(admittedKinds(kindDefinitions), context());
    const handler: AdmissionHandler = handlers[path] ?? (async () => ({ allowed: true }));
    const deletionTimestamp = '2026-01-01T00:00:00Z';
    // Nothing of it is as it should be: its end must not depend on that.
    const object = { metadata: { namespace: 'shop', name: 'web', uid: '1', deletionTimestamp }, spec: {} };
    const update = {
      uid: '1',
      operation: 'UPDATE',
      object,
      oldObject: object,
    } as unknown as AdmissionRequest;
    const end = { uid: '2', operation: 'DELETE', oldObject: object } as unknown as AdmissionRequest;
    for (const request of [update, end]) {
      const answer = await handler(request, new AbortController().signal);
      expect(answer).toMatchObject({ allowed: true });
      expect(answer).not.toHaveProperty('patch');
    }
  });

  describe.each<readonly [string, string, string, string]>([
    ['ExtendedDaemonSet', 'atoll.dev/on-canary-failure', 'hold', 'Revert: it can be Revert or Hold'],
    [
      'ExtendedDaemonSet',
      'atoll.dev/canary-promotion',
      'Always',
      'WhenHealthy: it can be WhenHealthy or AfterDuration',
    ],
    ...['canary-paused', 'canary-unpaused', 'rolling-update-paused', 'rollout-frozen'].map(
      (name) =>
        [
          'ExtendedDaemonSet',
          `extendeddaemonset.datadoghq.com/${name}`,
          'True',
          'false: it can be true or false',
        ] as const,
    ),
    [
      'UnitedDeployment',
      'atoll.dev/subset-removal',
      'Later',
      'AfterReplacement: it can be Immediate or AfterReplacement',
    ],
    ['YurtAppDaemon', 'atoll.dev/apply-template', 'yes', 'false: it can be true or false'],
    ['UnitedDaemonSet', 'atoll.dev/discard-overrides', 'TRUE', 'false: it can be true or false'],
  ])('of the kind %s', (kind, name, value, meaning) => {
    const kinds = admittedKinds(kindDefinitions).filter(({ resource }) => resource.kind === kind);
    const annotated = (annotations?: Readonly<Record<string, string>>) => ({
      metadata: { namespace: 'shop', name: 'web', uid: '1', ...(annotations && { annotations }) },
      spec: { strategy: {}, template: {} },
    });

    it(`warn of ${name}=${value} where nothing else changes, once`, async () => {
      const [resource] = kinds.map((each) => each.resource);
      if (resource === undefined) throw new Error(`There is no ${kind}.`);
      const handler = admissionHandlers(kinds, context())[webhookPath('validate', resource)];
      const warnings = async (given: string, before?: string) => {
        const oldObject = annotated(before === undefined ? undefined : { [name]: before });
        const object = annotated({ [name]: given });
        const request = { uid: '1', operation: 'UPDATE', object, oldObject } as unknown as AdmissionRequest;
        const answer = await handler?.(request, new AbortController().signal);
        expect(answer?.allowed).toBe(true);
        return answer?.warnings ?? [];
      };
      const warning = `the annotation ${name} is ${JSON.stringify(value)}, which counts as ${meaning}`;
      expect(await warnings(value)).toEqual([warning]);
      expect(await warnings(value, value)).toEqual([]);
      expect(await warnings('')).toEqual([]);
      const [, first = '', second = ''] = /it can be (\S+) or (\S+)$/.exec(meaning) ?? [];
      expect(await warnings(first)).toEqual([]);
      expect(await warnings(second, value)).toEqual([]);
    });

    it(`are asked where ${name} alone gets a value that it cannot have`, () => {
      const { webhooks } = validatingWebhookConfiguration({ namespace: 'system' }, registeredKinds(kinds));
      const conditions = webhooks?.[0]?.matchConditions?.map(({ expression }) => expression).join();
      const now = `object.metadata.?annotations[?'${name}'].orValue('')`;
      const [, first = '', second = ''] = /it can be (\S+) or (\S+)$/.exec(meaning) ?? [];
      expect(conditions).toContain(
        `(!(${now} in ['', '${first}', '${second}']) && ${now} != ${now.replace('object', 'oldObject')})`,
      );
    });
  });

  it.each([
    [undefined, 'edge', false],
    [['edge'], 'edge', false],
    [['edge'], 'elsewhere', true],
    [['edge'], '', false],
  ])(
    'of an operator that is limited to %j leave an object of the namespace "%s" alone: %s',
    async (limitedTo, namespace, isLeft) => {
      let asked = 0;
      const validate = () => async () => {
        asked += 1;
        return Promise.resolve({ allowed: true } as const);
      };
      const kind = { resource: unitedDeployments, webhooks: { reads: [], validate } };
      const handlers = admissionHandlers([kind], context(), limitedTo);
      const [handler] = Object.values(handlers);
      const request = { uid: '1', operation: 'CREATE', namespace } as unknown as AdmissionRequest;
      const answer = await handler?.(request, new AbortController().signal);
      expect([answer?.allowed, asked === 0]).toEqual([true, isLeft]);
    },
  );
});
