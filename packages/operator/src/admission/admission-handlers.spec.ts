import { describe, expect, it } from 'vitest';
import { mutatingWebhookConfiguration, unitedDeployments, validatingWebhookConfiguration } from '@atoll/api';
import { FakeClock } from '@atoll/kube/testing';
import type { Readers } from '../caches.ts';
import { kindDefinitions } from '../definitions/kind-definitions.ts';
import { nodePoolDefinition } from '../node-pool/definition.ts';
import { readers } from './admission.fixture.ts';
import { admissionHandlers, admissionReads, admittedKinds } from './admission-handlers.ts';
import { Judge } from './trials/judge.fixture.ts';
import { TryChildren } from './trials/try-children.ts';
import { unitedReaders } from './united-deployment/united-deployment.fixture.ts';

/** Without Kubernetes' own kinds, for which Atoll serves no webhooks. */
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
    const clock = new FakeClock();
    const kinds = admittedKinds(kindDefinitions);
    const handlers = admissionHandlers(kinds, {
      readers: { ...readers({}), ...unitedReaders() } as unknown as Readers,
      tries: new TryChildren({ client: new Judge(), clock }),
      clock,
      objectDefaults: { canaryValidationMode: 'auto' },
    });
    const address = { namespace: 'system' };
    const registered = kinds.map(({ resource, webhooks: { defaults } }) => ({
      resource,
      lacks: defaults?.lacks,
    }));
    const webhooks = [
      ...(mutatingWebhookConfiguration(address, registered).webhooks ?? []),
      ...(validatingWebhookConfiguration(address, registered).webhooks ?? []),
    ];
    const paths = webhooks.map(({ clientConfig }) => clientConfig.service?.path);
    expect(new Set(paths)).toEqual(new Set(Object.keys(handlers)));
  });
});
