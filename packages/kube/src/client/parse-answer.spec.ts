import { describe, expect, it } from 'vitest';
import { configMaps, nodes, pods, subjectAccessReviews } from '../objects/resources.ts';
import { TestServer } from '../testing/test-server.ts';
import { createInformer } from '../informer/informer.ts';
import { servesResource, serverVersion } from './discovery.ts';
import { mayI, mayRequest, requestToken, rulesIn, userOfToken } from './reviews.ts';
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

describe.for([
  { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code: 503 },
  { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' },
  {},
])('the answer %j', (answer) => {
  const ofObjects: typeof requests = [
    ...requests.filter(([what]) => ['get', 'list', 'create'].includes(what)),
    ['update', (client) => client.update(configMaps, { metadata: key }), 'in-doubt'],
    ['patch', (client) => client.patch(configMaps, key, { type: 'merge', body: {} }), 'in-doubt'],
    ['apply', (client) => client.apply(configMaps, { metadata: key }, { fieldManager: 'a' }), 'in-doubt'],
  ];
  it.for(ofObjects)('is no object or list, and to a %s an ApiError', async ([, request, fate]) => {
    await using server = await TestServer.start((_, response) => response.end(JSON.stringify(answer)));
    await expect(request(server.client())).rejects.toMatchObject({ reason: 'InvalidAnswer', fate });
  });
});

it('to the question for the version of the API server has one', async () => {
  let answer: object = { gitVersion: 'v1.36.3', major: '1', minor: '36+' };
  await using server = await TestServer.start((_, response) => response.end(JSON.stringify(answer)));
  expect(await serverVersion(server.client())).toEqual({ gitVersion: 'v1.36.3', major: 1, minor: 36 });
  // One that was built without.
  answer = { gitVersion: 'v0.0.0-master', major: '', minor: '' };
  expect(await serverVersion(server.client())).toMatchObject({ gitVersion: 'v0.0.0-master' });
  answer = { message: 'please log in' };
  await expect(serverVersion(server.client())).rejects.toMatchObject({ reason: 'InvalidAnswer' });
});

const reviews: typeof requests = [
  ['access of our own', (client) => mayI(client, { verb: 'get' }), 'refused'],
  ['rules in a namespace', (client) => rulesIn(client, 'edge'), 'refused'],
  ['user of a token', (client) => userOfToken(client, 'token'), 'refused'],
  ['access of a user', (client) => mayRequest(client, {}, { path: '/metrics' }), 'refused'],
];

describe.for(['{"message":"please log in"}', '{"kind":"Status","apiVersion":"v1","status":"Failure"}'])(
  'the answer %s',
  (answer) => {
    it.for(reviews)('to a review of the %s is an ApiError, and no refusal', async ([, request, fate]) => {
      await using server = await TestServer.start((_, response) => response.end(answer));
      await expect(request(server.client())).rejects.toMatchObject({ reason: 'InvalidAnswer', fate });
    });
  },
);

it('to an access review, or to the dry run of an object with generateName, may have no name', async () => {
  const answer = { metadata: {}, status: { allowed: true } };
  await using server = await TestServer.start((_, response) => response.end(JSON.stringify(answer)));
  const spec = { user: 'a', resourceAttributes: { verb: 'get', resource: 'pods' } };
  const created = server.client().create(subjectAccessReviews, { metadata: { name: '' }, spec });
  expect(await created).toEqual(answer);
});

it('to an eviction may be a Status', async () => {
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' };
  await using server = await TestServer.start((_, response) => response.end(JSON.stringify(status)));
  const evicted = server.client().create(pods, { metadata: key }, { subresource: 'eviction' });
  expect(await evicted).toEqual(status);
});

it('to a list may have null for its items', async () => {
  const list = { kind: 'ConfigMapList', metadata: { resourceVersion: '5' }, items: null };
  await using server = await TestServer.start((_, response) => response.end(JSON.stringify(list)));
  expect(await server.client().list(configMaps)).toEqual({ resourceVersion: '5', items: [] });
});

it('to the question what is served may have null where that is nothing, and is none without a list', async () => {
  let answer: object = { kind: 'APIResourceList', groupVersion: 'v1', resources: null };
  await using server = await TestServer.start((_, response) => response.end(JSON.stringify(answer)));
  expect(await servesResource(server.client(), configMaps)).toBe(false);
  answer = { message: 'please log in' };
  await expect(servesResource(server.client(), configMaps)).rejects.toMatchObject({
    name: 'ApiError',
    reason: 'InvalidAnswer',
  });
});

it.for([
  { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details: { name: 'a' } },
  { kind: 'ConfigMap', apiVersion: 'v1', metadata: { ...key, uid: 'u' } },
])('to a deletion that is over at once may be %j', async (answer) => {
  await using server = await TestServer.start((_, response) => response.end(JSON.stringify(answer)));
  expect(await server.client().delete(configMaps, key)).toBeUndefined();
});

it.for([
  {},
  { message: 'please log in' },
  { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code: 503 },
])('to a deletion is in doubt where it is %j: the object may be there', async (answer) => {
  await using server = await TestServer.start((_, response) => response.end(JSON.stringify(answer)));
  await expect(server.client().delete(configMaps, key)).rejects.toMatchObject({
    reason: 'InvalidAnswer',
    fate: 'in-doubt',
  });
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
