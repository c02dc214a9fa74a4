// A UnitedDeployment whose children differ from its template, and Kruise left them so: what becomes of them on a real API server.
import { annotations, unitedDeployments, type UnitedDeployment } from '@atoll/api';
import {
  controllerRevisions,
  deployments,
  pods,
  type KubeObject,
  type Resource,
  type StreamingClient,
} from '@atoll/kube';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  kruiseChild,
  kruiseRevision,
  kruiseStatus,
  storedByKruise,
  type PodTemplate,
} from '../../src/united-deployment/kruise/kruise.fixture.ts';
import { withoutElection, type OperatorControlPlane } from '../set-up/operator-control-plane.ts';
import { sharedOperatorControlPlane } from '../set-up/shared-operator-control-plane.ts';
import { conditionsOf } from '../set-up/standing.ts';
import { eventually, isReady } from '../united-deployment/standing.ts';

const key = { namespace: 'default', name: 'kruise-kept' };
const manager = 'kruise-manager';
const filledIn = { name: 'FILLED_IN', value: 'yes' };
const app = { app: key.name };

function united(image: string): UnitedDeployment {
  const template = {
    metadata: { labels: app },
    spec: {
      selector: { matchLabels: app },
      template: { metadata: { labels: app }, spec: { containers: [{ name: 'web', image }] } },
    },
  };
  return {
    metadata: key,
    spec: {
      replicas: 4,
      selector: { matchLabels: app },
      template: { deploymentTemplate: template },
      topology: { subsets: [{ name: 'a', replicas: 2 }, { name: 'b' }] },
    },
  } as UnitedDeployment;
}

let world: OperatorControlPlane;
let client: StreamingClient;
let before: unknown;

const nameOf = (subset: string): string => `${key.name}-${subset}-x7k2p`;
const childIn = (subset: string) => client.get(deployments, { ...key, name: nameOf(subset) });

async function containerIn(subset: string): Promise<unknown> {
  const { spec } = await childIn(subset);
  const [container] = spec?.template.spec?.containers ?? [];
  return { image: container?.image, env: container?.env };
}

async function podUids(): Promise<readonly string[]> {
  const { items } = await client.list(pods, { namespace: key.namespace, labelSelector: `app=${key.name}` });
  return items.map(({ metadata }) => metadata.uid).toSorted();
}

/** As `kubectl set image` writes it. */
async function setImageOf(subset: string, image: string): Promise<void> {
  const template = { spec: { containers: [{ name: 'web', image }] } };
  const patch = { type: 'strategic', body: { spec: { template } } } as const;
  await client.patch(deployments, { ...key, name: nameOf(subset) }, patch, { fieldManager: 'kubectl-set' });
}

async function allAvailable(): Promise<void> {
  await eventually(async () => {
    for (const subset of ['a', 'b']) {
      const { status, metadata } = await childIn(subset);
      expect(status).toMatchObject({
        observedGeneration: metadata.generation,
        replicas: 2,
        updatedReplicas: 2,
        availableReplicas: 2,
      });
    }
  });
}

beforeAll(async () => {
  world = await sharedOperatorControlPlane({ fleet: { pools: ['hz'], nodesPerPool: 2 } });
  ({ client } = world);
  const options = { fieldManager: manager, fieldValidation: 'Ignore' } as const;
  const owner = await client.create(unitedDeployments, storedByKruise(united('web:1')), options);
  const { metadata } = await client.create(controllerRevisions, kruiseRevision(owner, 1), options);
  const revision = metadata.name;
  for (const subset of ['a', 'b']) {
    // A webhook that changes a request has its changes among the fields of the one who sent it.
    const patched = ({ spec, ...pods }: PodTemplate): PodTemplate => {
      return {
        ...pods,
        spec: { ...spec, containers: spec.containers?.map((each) => ({ ...each, env: [filledIn] })) ?? [] },
      };
    };
    const shape = { owner, subset, suffix: 'x7k2p', revision, replicas: 2 };
    const child = kruiseChild(subset === 'a' ? { ...shape, patched } : shape);
    await client.create(deployments as Resource<KubeObject>, child, options);
  }
  await allAvailable();
  await setImageOf('b', 'web:of-a-person');
  await allAvailable();
  const standing = [
    { name: 'a', replicas: 2 },
    { name: 'b', replicas: 2 },
  ];
  const revisions = { currentRevision: revision, updatedRevision: revision, updatedReplicas: 4 };
  const status = kruiseStatus({ owner, subsets: standing, ...revisions });
  const body = { type: 'merge', body: { status } } as const;
  await client.patch(unitedDeployments, key, body, { subresource: 'status', fieldManager: manager });
  before = await podUids();
  await world.start({ args: withoutElection });
}, 180_000);

afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
});

it('all pods stay, and the condition names the child that a person changed', async () => {
  await eventually(async () => {
    for (const subset of ['a', 'b'])
      expect((await childIn(subset)).metadata.annotations).toHaveProperty([annotations.appliedHash]);
    expect(await conditionsOf(client, unitedDeployments, key.name, key.namespace)).toMatchObject({
      Ready: {
        status: 'False',
        reason: 'OldTemplateKept',
        message: expect.stringMatching(/^b: .*web:of-a-person/) as string,
      },
    });
  });
  expect(await containerIn('a')).toEqual({ image: 'web:1', env: [filledIn] });
  expect(await containerIn('b')).toEqual({ image: 'web:of-a-person', env: undefined });
  expect(await podUids()).toEqual(before);
});

it('what a person changes in a child afterwards is put back', async () => {
  await setImageOf('b', 'web:of-another-person');
  await eventually(async () => {
    expect(await containerIn('b')).toMatchObject({ image: 'web:of-a-person' });
  });
});

it('another template ends it', async () => {
  const body = { spec: { template: united('web:2').spec.template } };
  await client.patch(unitedDeployments, key, { type: 'merge', body });
  await eventually(async () => {
    for (const subset of ['a', 'b'])
      expect(await containerIn(subset)).toEqual({ image: 'web:2', env: undefined });
  });
  await isReady(client, key.name);
});
