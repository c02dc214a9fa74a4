// A UnitedDeployment whose children differ from its template, and Kruise left them so: what becomes of them on a real API server.
import { annotations, unitedDeployments, type UnitedDeployment } from '@atoll/api';
import { deployments, pods, type KubeObject, type Resource, type StreamingClient } from '@atoll/kube';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { PodTemplate } from '../../src/united-deployment/kruise/kruise.fixture.ts';
import { withoutElection, type OperatorControlPlane } from '../set-up/operator-control-plane.ts';
import { sharedOperatorControlPlane } from '../set-up/shared-operator-control-plane.ts';
import { conditionsOf } from '../set-up/standing.ts';
import { eventually, isReady } from '../united-deployment/standing.ts';
import { createByKruise, suffix, writeKruiseStatus } from './left-by-kruise.ts';

const key = { namespace: 'default', name: 'kruise-kept' };
const filledIn = { name: 'FILLED_IN', value: 'yes' };
const app = { app: key.name };
const subsets = ['a', 'b', 'c', 'd'] as const;
/** Which Kruise takes no notice of: the pods of subset d run wherever there is room. */
const matchFields = [{ key: 'metadata.name', operator: 'In', values: ['hz-node-1'] }] as const;

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
      replicas: 8,
      selector: { matchLabels: app },
      template: { deploymentTemplate: template },
      topology: {
        subsets: subsets.map((name) => ({
          name,
          replicas: 2,
          ...(name === 'd' ? { nodeSelectorTerm: { matchFields } } : {}),
        })),
      },
    },
  } as UnitedDeployment;
}

let world: OperatorControlPlane;
let client: StreamingClient;
let before: unknown;

const nameOf = (subset: string): string => `${key.name}-${subset}-${suffix}`;
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

/** As `kubectl rollout restart` writes it. */
async function restart(subset: string): Promise<void> {
  const noted = { 'kubectl.kubernetes.io/restartedAt': '2026-11-01T08:00:00Z' };
  const patch = {
    type: 'strategic',
    body: { spec: { template: { metadata: { annotations: noted } } } },
  } as const;
  await client.patch(deployments, { ...key, name: nameOf(subset) }, patch, {
    fieldManager: 'kubectl-rollout',
  });
}

async function allAvailable(): Promise<void> {
  await eventually(async () => {
    for (const subset of subsets) {
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
  // A webhook that changes a request has its changes among the fields of the one who sent it.
  const patched = ({ spec, ...template }: PodTemplate): PodTemplate => {
    const containers = spec.containers?.map((each) => ({ ...each, env: [filledIn] })) ?? [];
    return { ...template, spec: { ...spec, containers } };
  };
  const { owner, revision } = await createByKruise(
    client,
    united('web:1'),
    deployments as Resource<KubeObject>,
    [
      { subset: 'a', replicas: 2, patched },
      { subset: 'b', replicas: 2 },
      { subset: 'c', replicas: 2, patched },
      { subset: 'd', replicas: 2, patched },
    ],
  );
  await allAvailable();
  await setImageOf('b', 'web:of-a-person');
  await restart('c');
  await allAvailable();
  const { name } = revision.metadata;
  const standing = subsets.map((subset) => ({ name: subset, replicas: 2 }));
  const revisions = { currentRevision: name, updatedRevision: name, updatedReplicas: 8 };
  await writeKruiseStatus(client, { owner, subsets: standing, ...revisions });
  before = await podUids();
  await world.start({ args: withoutElection });
}, 180_000);

afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
});

it('all pods stay, and the condition names the child that a person changed', async () => {
  await eventually(async () => {
    for (const subset of subsets)
      expect((await childIn(subset)).metadata.annotations).toHaveProperty([annotations.appliedHash]);
    expect(await conditionsOf(client, unitedDeployments, key.name, key.namespace)).toMatchObject({
      Ready: {
        status: 'False',
        reason: 'OldTemplateKept',
        message: expect.stringMatching(/^b: .*web:of-a-person/) as string,
      },
    });
  });
  for (const subset of ['a', 'c', 'd'])
    expect(await containerIn(subset)).toEqual({ image: 'web:1', env: [filledIn] });
  expect(await containerIn('b')).toEqual({ image: 'web:of-a-person', env: undefined });
  expect(await podUids()).toEqual(before);
});

it('what others take out that is not in the template stays out, and what a webhook filled in stays', async () => {
  const body = {
    spec: { template: { metadata: { annotations: { 'kubectl.kubernetes.io/restartedAt': null } } } },
  };
  const target = { ...key, name: nameOf('c') };
  const edited = await client.patch(deployments, target, { type: 'merge', body });
  await eventually(async () => {
    const noted = (await childIn('c')).metadata.annotations ?? {};
    expect(noted[annotations.keptTemplate]).not.toContain('restartedAt');
  });
  expect((await childIn('c')).spec?.template).toEqual(edited.spec?.template);
  expect(await containerIn('c')).toEqual({ image: 'web:1', env: [filledIn] });
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
    for (const subset of subsets)
      expect(await containerIn(subset)).toEqual({ image: 'web:2', env: undefined });
  });
  await isReady(client, key.name);
});
