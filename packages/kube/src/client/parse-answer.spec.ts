import { describe, expect, it } from 'vitest';
import { configMaps, nodes } from '../objects/resources.ts';
import { TestServer } from '../testing/test-server.ts';
import { createInformer } from '../informer/informer.ts';
import { servesResource, serverVersion } from './discovery.ts';
import { mayI, requestToken } from './reviews.ts';
import type { StreamingClient } from './streaming-client.ts';

const key = { namespace: 'edge', name: 'a' };

const requests: readonly (readonly [string, (client: StreamingClient) => Promise<unknown>, string])[] = [
  ['get', (client) => client.get(configMaps, key), 'refused'],
  ['list', (client) => client.list(configMaps), 'refused'],
  ['create', (client) => client.create(configMaps, { metadata: key }), 'in-doubt'],
  ['delete', (client) => client.delete(configMaps, key), 'in-doubt'],
  ['server version', (client) => serverVersion(client), 'refused'],
  ['discovery', (client) => servesResource(client, configMaps), 'refused'],
  ['access review', (client) => mayI(client, { verb: 'get' }), 'refused'],
  ['token', (client) => requestToken(client, key), 'in-doubt'],
];

describe.for(['null', '<html>please log in</html>', '[]'])('the answer %s', (answer) => {
  it.for(requests)('to a %s is an ApiError', async ([, request, fate]) => {
    await using server = await TestServer.start((_, response) => response.end(answer));
    await expect(request(server.client())).rejects.toMatchObject({
      name: 'ApiError',
      reason: 'InvalidAnswer',
      code: 200,
      fate,
    });
  });
});

it('to a deletion may be an object without metadata', async () => {
  await using server = await TestServer.start((_, response) => response.end('{}'));
  expect(await server.client().delete(configMaps, key)).toBeUndefined();
});

it('an empty namespace reaches nothing, where all namespaces would be reached', async () => {
  await using server = await TestServer.start((_, response) => response.end('{}'));
  const client = server.client();
  const message = 'the namespace of configmaps is empty; leave it out to reach all namespaces';
  await expect(client.list(configMaps, { namespace: '' })).rejects.toThrow(message);
  await expect(client.get(configMaps, { namespace: '', name: 'a' })).rejects.toThrow(message);
  await expect(client.watch(configMaps, { namespace: '' })).rejects.toThrow(message);
  expect(() => createInformer({ client, resource: configMaps, namespace: '' })).toThrow(message);
  expect(() => createInformer({ client, resource: nodes, namespace: 'edge' })).toThrow('has no namespaces');
  expect(server.requests).toEqual([]);
});

it('a subresource cannot lead to another path', async () => {
  await using server = await TestServer.start((_, response) => response.end('{}'));
  await server.client().update(configMaps, { metadata: key }, { subresource: '../b?x=' });
  expect(server.requests[0]?.url).toMatch(/^\/api\/v1\/namespaces\/edge\/configmaps\/a\/..%2Fb%3Fx%3D\?/);
  await expect(server.client().update(configMaps, { metadata: key }, { subresource: '..' })).rejects.toThrow(
    '".." is not a name',
  );
});
