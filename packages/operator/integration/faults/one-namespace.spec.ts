// A namespace in which every write fails, or takes seconds, holds up no other: neither children nor events nor statuses.
import { unitedDeployments } from '@atoll/api';
import { namespaces } from '@atoll/kube';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { apply } from '../set-up/objects.ts';
import { withoutElection } from '../set-up/operator-control-plane.ts';
import { sharedProxiedControlPlane, type ProxiedControlPlane } from '../set-up/proxied-control-plane.ts';
import { conditionsOf, eventsAbout, eventually } from '../set-up/standing.ts';
import { united } from '../united-deployment/objects.ts';

let world: ProxiedControlPlane;
const [bad, good] = ['every-write-fails', 'all-is-well'];

beforeAll(async () => {
  world = await sharedProxiedControlPlane({ fleet: { nodes: 2 } });
  for (const name of [bad, good]) await world.client.create(namespaces, { metadata: { name } });
  await world.start({ kubeconfig: world.kubeconfig, args: withoutElection });
});

afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
});

async function spread(namespace: string, name: string): Promise<void> {
  const object = united({ name, replicas: 2, subsets: [{ name: 'a' }, { name: 'b' }] });
  await apply(world.client, unitedDeployments, { ...object, metadata: { namespace, name } });
}

const atOnceMs = 15_000;

/** By the times that the objects carry, so that it does not count how long the test took to look. */
async function msFromCreation(name: string, until = ''): Promise<number> {
  const { metadata } = await world.client.get(unitedDeployments, { namespace: good, name });
  return Date.parse(until) - Date.parse(metadata.creationTimestamp);
}

async function msUntilReady(name: string): Promise<number> {
  const { status } = await world.client.get(unitedDeployments, { namespace: good, name });
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return msFromCreation(name, ready?.lastTransitionTime);
}

it('events and statuses of others are written at once', async () => {
  const refused = world.proxy.inject({ verb: 'write', namespace: bad }, { do: 'refuse', code: 500 });
  // More objects than there are workers, and requests under way at once.
  for (let number = 0; number < 40; number += 1) await spread(bad, `bad-${number}`);
  await refused.whenTaken(200);
  const isEvent = ({ resource }: { readonly resource: string }): boolean => resource.startsWith('events');
  await eventually(async () => expect(refused.taken.filter(isEvent).length).toBeGreaterThan(5));

  await spread(good, 'web');
  await eventually(async () => {
    const conditions = await conditionsOf(world.client, unitedDeployments, 'web', good);
    expect(conditions['Ready']?.status).toBe('True');
    expect(await eventsAbout(world.client, 'web', good)).not.toEqual([]);
  });
  expect(await msUntilReady('web')).toBeLessThan(atOnceMs);
  const [first] = await eventsAbout(world.client, 'web', good);
  expect(await msFromCreation('web', first?.metadata.creationTimestamp)).toBeLessThan(atOnceMs);
  refused.remove();
  await eventually(async () => {
    const conditions = await conditionsOf(world.client, unitedDeployments, 'bad-39', bad);
    expect(conditions['Ready']?.status).toBe('True');
  });
});

it('an object elsewhere is rolled out while every write in one namespace fails after seconds', async () => {
  const slow = world.proxy.inject({ verb: 'write', namespace: bad }, { do: 'slow', latencyMs: 6_000 });
  const refused = world.proxy.inject({ verb: 'write', namespace: bad }, { do: 'refuse', code: 500 });
  for (let number = 0; number < 40; number += 1) await spread(bad, `slow-${number}`);
  await refused.whenTaken(30);

  await spread(good, 'other');
  await eventually(async () => {
    const conditions = await conditionsOf(world.client, unitedDeployments, 'other', good);
    expect(conditions['Ready']?.status).toBe('True');
  });
  expect(await msUntilReady('other')).toBeLessThan(atOnceMs);
  slow.remove();
  refused.remove();
});
