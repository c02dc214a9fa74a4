// What stands for Kruise's manager here is a Deployment of its name without pods, and writes that it would leave.
import { kruiseManager, labels, unitedDeployments } from '@atoll/api';
import { kruisePolicyObjects } from '@atoll/api/install';
import { deployments, namespaces, validatingWebhookConfigurations, type StreamingClient } from '@atoll/kube';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { apply } from '../set-up/objects.ts';
import {
  startOperatorControlPlane,
  withoutElection,
  type OperatorControlPlane,
} from '../set-up/operator-control-plane.ts';
import { eventsAbout, eventually } from '../set-up/standing.ts';

const name = 'web';
const namespace = 'default';
const manager = { namespace: 'kruise-system', name: kruiseManager.workload };
const app = { app: name };

let world: OperatorControlPlane;
let client: StreamingClient;

/** Children are objects only: no controller makes pods of them. OpenKruise's kinds are not installed. */
beforeAll(async () => {
  world = await startOperatorControlPlane({ components: [] });
  ({ client } = world);
  await client.create(namespaces, { metadata: { name: manager.namespace } });
  await runManagers(1);
  await world.start({ args: withoutElection });
}, 120_000);

afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
});

function pods(image: string) {
  return { metadata: { labels: app }, spec: { containers: [{ name: 'web', image }] } };
}

async function runManagers(replicas: number): Promise<void> {
  const selector = { matchLabels: app };
  await apply(client, deployments, {
    metadata: manager,
    spec: { replicas, selector, template: pods('manager') },
  });
}

/** Images of the children, by subset. */
async function images(): Promise<Readonly<Record<string, string | undefined>>> {
  const { items } = await client.list(deployments, { namespace });
  return Object.fromEntries(
    items.map(({ metadata, spec }) => [
      metadata.labels?.[labels.subsetName] ?? metadata.name,
      spec?.template.spec?.containers[0]?.image,
    ]),
  );
}

/** The UnitedDeployment as it is now was seen, and left to Kruise. */
async function standsAside(): Promise<void> {
  await eventually(async () => {
    const { metadata, status } = await client.get(unitedDeployments, { namespace, name });
    expect(status?.conditions?.find(({ type }) => type === 'Stalled')).toMatchObject({
      status: 'True',
      reason: 'ServedByKruise',
      observedGeneration: metadata.generation,
    });
  });
}

it('a UnitedDeployment is left to the manager of Kruise while it runs, and served when it is stopped or kept off', async () => {
  const subsets = ['a', 'b'].map((subset) => ({ name: subset }));
  const united = (image: string) => ({
    metadata: { namespace, name },
    spec: {
      replicas: 2,
      selector: { matchLabels: app },
      template: { deploymentTemplate: { metadata: { labels: app }, spec: { template: pods(image) } } },
      topology: { subsets },
    },
  });
  await apply(client, unitedDeployments, united('web:1'));
  await standsAside();
  expect(await images()).toEqual({});

  await runManagers(0);
  await eventually(async () => {
    expect(await images()).toEqual({ a: 'web:1', b: 'web:1' });
    // Else what is awaited next may be of the manager before.
    const { status } = await client.get(unitedDeployments, { namespace, name });
    expect(status?.conditions?.map(({ reason }) => reason)).not.toContain('ServedByKruise');
  });

  await runManagers(1);
  await standsAside();
  await apply(client, unitedDeployments, united('web:2'));
  await standsAside();
  expect(await images()).toEqual({ a: 'web:1', b: 'web:1' });

  for (const { resource, object } of kruisePolicyObjects()) await apply(client, resource, object);
  await eventually(async () => {
    expect(await images()).toEqual({ a: 'web:2', b: 'web:2' });
    const { status } = await client.get(unitedDeployments, { namespace, name });
    expect(status?.conditions?.map(({ reason }) => reason)).not.toContain('ServedByKruise');
  });
});

it('webhooks that Kruise left behind are an event of each UnitedDeployment whose writes they guard', async () => {
  await runManagers(0);
  await client.create(validatingWebhookConfigurations, {
    metadata: { name: kruiseManager.validatingWebhooks },
    webhooks: [
      {
        name: 'vuniteddeployment.kb.io',
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        failurePolicy: 'Fail',
        clientConfig: { service: { namespace: manager.namespace, name: 'kruise-webhook-service' } },
        rules: [
          {
            apiGroups: ['apps.kruise.io'],
            apiVersions: ['v1alpha1'],
            resources: ['uniteddeployments'],
            operations: ['UPDATE'],
          },
        ],
      },
    ],
  });
  await eventually(async () => {
    const recorded = (await eventsAbout(client, name)).find(({ reason }) => reason === 'KruiseWebhooksLeft');
    expect(recorded?.note).toContain('refuses writes of uniteddeployments');
  });
});
