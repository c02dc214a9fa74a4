import { describe, expect, it } from 'vitest';
import { createInformer } from '../informer/informer.ts';
import { clusterRoles, configMaps, nodes } from '../objects/resources.ts';
import { TestServer } from '../testing/test-server.ts';
import { requestToken } from './reviews.ts';
import type { StreamingClient } from './streaming-client.ts';

type Send = (client: StreamingClient, name: string) => Promise<unknown>;

const key = { namespace: 'edge', name: 'a' };
const owned = { fieldManager: 'test' };

/** Everywhere where a name, a namespace or a subresource becomes a part of a path. */
const places: readonly (readonly [string, Send])[] = [
  ['get, by name', async (client, name) => client.get(configMaps, { ...key, name })],
  ['get, without namespace', async (client, name) => client.get(nodes, { name })],
  ['get, by namespace', async (client, namespace) => client.get(configMaps, { ...key, namespace })],
  ['list', async (client, namespace) => client.list(configMaps, { namespace })],
  ['watch', async (client, namespace) => client.watch(configMaps, { namespace })],
  [
    'create, by namespace',
    async (client, namespace) => client.create(configMaps, { metadata: { ...key, namespace } }),
  ],
  [
    'create, of a subresource',
    async (client, name) =>
      client.create(configMaps, { metadata: { ...key, name } }, { subresource: 'eviction' }),
  ],
  ['update', async (client, name) => client.update(configMaps, { metadata: { ...key, name } })],
  [
    'update, by subresource',
    async (client, subresource) => client.update(configMaps, { metadata: key }, { subresource }),
  ],
  ['patch', async (client, name) => client.patch(configMaps, { ...key, name }, { type: 'merge', body: {} })],
  ['apply', async (client, name) => client.apply(configMaps, { metadata: { ...key, name } }, owned)],
  [
    'create by apply',
    async (client, name) => client.createByApply(configMaps, { metadata: { ...key, name } }, owned),
  ],
  ['delete', async (client, name) => client.delete(configMaps, { ...key, name })],
  ['get scale', async (client, name) => client.getScale(configMaps, { ...key, name })],
  ['scale', async (client, name) => client.scale(configMaps, { ...key, name }, 1)],
  ['token', async (client, name) => requestToken(client, { ...key, name })],
  ['informer', async (client, namespace) => createInformer({ client, resource: configMaps, namespace })],
];

describe.for(places)('%s', ([, send]) => {
  // The API server reads `%2F` as `/`, and a proxy before it may read `%252F` so.
  it.for(['a/status', '../b', 'a%2Fstatus', '.', '..'])('refuses %s and sends nothing', async (name) => {
    await using server = await TestServer.start((_, response) => response.end('{}'));
    await expect(send(server.client(), name)).rejects.toThrow(`${JSON.stringify(name)} is not a name`);
    expect(server.requests).toEqual([]);
  });
});

it('a name is one part of the path whatever else is in it', async () => {
  const name = 'system:node?x=#1 ü';
  await using server = await TestServer.start((_, response) =>
    response.end(JSON.stringify({ metadata: { name } })),
  );
  await server.client().get(clusterRoles, { name });
  expect(server.requests.map(({ url }) => url)).toEqual([
    '/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Anode%3Fx%3D%231%20%C3%BC',
  ]);
});
