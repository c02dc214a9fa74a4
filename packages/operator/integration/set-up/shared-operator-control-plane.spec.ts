import { nodePools, yurtAppDaemons } from '@atoll/api';
import { clusterRoles, configMaps, deployments, namespaces, nodes, pods } from '@atoll/kube';
import { expect, it } from 'vitest';
import { apply, daemon, pool } from './objects.ts';
import { withoutElection } from './operator-control-plane.ts';
import { sharedOperatorControlPlane } from './shared-operator-control-plane.ts';
import { eventually } from './standing.ts';

const finalizers = ['example.com/never'];

/** What a spec leaves when it ends in the middle. Yields the URL of the control plane. */
async function leaveThingsBehind(): Promise<string> {
  await using world = await sharedOperatorControlPlane({ fleet: { nodes: 2 } });
  const { client } = world;
  await world.start({ args: withoutElection });
  await apply(client, nodePools, pool('left', {}));
  await apply(client, yurtAppDaemons, daemon({ name: 'left', pools: { tier: 'none' }, replicas: 1 }));
  await client.create(namespaces, { metadata: { name: 'left' } });
  await client.create(configMaps, { metadata: { namespace: 'left', name: 'held', finalizers } });
  const app = { app: 'left' };
  const template = { metadata: { labels: app }, spec: { containers: [{ name: 'c', image: 'nginx:1' }] } };
  const spec = { replicas: 3, selector: { matchLabels: app }, template };
  await client.create(deployments, { metadata: { namespace: 'default', name: 'left', finalizers }, spec });
  await eventually(async () =>
    expect((await client.list(pods, { namespace: 'default' })).items).toHaveLength(3),
  );
  return world.controlPlane.url;
}

it('what a file leaves behind is gone when the next one begins', async () => {
  const url = await leaveThingsBehind();
  await using world = await sharedOperatorControlPlane({ fleet: { nodes: 1 } });
  const { client, controlPlane } = world;
  expect(controlPlane.url).toBe(url);
  expect((await client.list(nodes)).items.map(({ metadata }) => metadata.name)).toEqual(['node-1']);
  for (const list of [
    client.list(nodePools),
    client.list(yurtAppDaemons),
    client.list(deployments),
    client.list(pods),
  ]) {
    expect((await list).items).toEqual([]);
  }
  const names = (await client.list(namespaces)).items.map(({ metadata }) => metadata.name);
  expect(names).toContain('atoll-system');
  expect(names).not.toContain('left');
  const writes = (await world.recording.history()).entries.length;
  expect(writes).toBeLessThan(20);
  await world.start({ args: withoutElection });
});

it('a control plane in which somebody changed what is installed is not used again', async () => {
  const change = async (): Promise<string> => {
    await using world = await sharedOperatorControlPlane({});
    await world.client.delete(clusterRoles, { name: 'atoll-view' });
    return world.controlPlane.url;
  };
  const url = await change();
  await using world = await sharedOperatorControlPlane({});
  expect(world.controlPlane.url).not.toBe(url);
});
