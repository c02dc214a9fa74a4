import { describe, expect, it } from 'vitest';
import {
  mutatingWebhookConfiguration,
  nodePools,
  unitedDeployments,
  validatingWebhookConfiguration,
  webhookKinds,
} from '@atoll/api';
import { FakeClock } from '@atoll/kube';
import { controllerDefinitions } from '../controllers.ts';
import { readers } from './admission.fixture.ts';
import { admissionHandlers, admissionReads, admittedKinds } from './admission-handlers.ts';
import { Judge } from './trials/judge.fixture.ts';
import { TryChildren } from './trials/try-children.ts';
import { unitedReaders } from './united-deployment/united-deployment.fixture.ts';

const names = controllerDefinitions.map(({ name }) => name);

describe('the webhooks', () => {
  it('are those of every kind that a controller looks after', () => {
    expect(new Set(admittedKinds(names))).toEqual(new Set(webhookKinds));
  });

  it('of a kind are silent where its controller does not run', () => {
    const kinds = admittedKinds(names.filter((name) => name !== 'united-deployment'));
    expect(kinds).not.toContain(unitedDeployments);
    expect(kinds).toHaveLength(webhookKinds.length - 1);
    expect(admissionReads(kinds)).not.toContain('cloneSets');
    expect(admissionReads([nodePools])).toEqual([]);
  });

  it('are answered under every path that is registered', () => {
    const clock = new FakeClock();
    const handlers = admissionHandlers({
      readers: { ...readers({}), ...unitedReaders() },
      tries: new TryChildren({ client: new Judge(), clock }),
      clock,
    });
    const address = { namespace: 'system' };
    const webhooks = [
      ...(mutatingWebhookConfiguration(address).webhooks ?? []),
      ...(validatingWebhookConfiguration(address).webhooks ?? []),
    ];
    const paths = webhooks.map(({ clientConfig }) => clientConfig.service?.path);
    expect(new Set(paths)).toEqual(new Set(Object.keys(handlers)));
  });
});
