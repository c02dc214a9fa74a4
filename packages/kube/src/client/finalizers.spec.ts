import { expect, it } from 'vitest';
import { project, projection } from '../decoder/projection.ts';
import { configMaps } from '../objects/resources.ts';
import type { Stored } from '../objects/object.ts';
import type { ConfigMap } from '../types/index.ts';
import { answerJson, answerStatus, TestServer } from '../testing/test-server.ts';
import { addFinalizer, removeFinalizer } from './finalizers.ts';

function object(finalizers?: readonly string[]): Stored<ConfigMap> {
  const metadata = { namespace: 'a', name: 'x', uid: 'u', resourceVersion: '7', creationTimestamp: '' };
  return { metadata: { ...metadata, ...(finalizers === undefined ? {} : { finalizers }) } };
}

it('writes the list beside those of others, and nothing where it is as wanted', async () => {
  await using server = await TestServer.start((_, response) => answerJson(response, 200, object()));
  const client = server.client();
  await addFinalizer(client, configMaps, object(['others']), 'mine');
  await removeFinalizer(client, configMaps, object(['mine', 'others']), 'mine');
  await addFinalizer(client, configMaps, object(['mine']), 'mine');
  await removeFinalizer(client, configMaps, object(), 'mine');
  expect(server.requests.map(({ body }) => JSON.parse(body) as unknown)).toEqual([
    { metadata: { resourceVersion: '7', finalizers: ['others', 'mine'] } },
    { metadata: { resourceVersion: '7', finalizers: ['others'] } },
  ]);
});

it('leaves those of others where it is, also of an object of which little is kept', async () => {
  await using server = await TestServer.start((_, response) => answerJson(response, 200, object()));
  const client = server.client();
  const fields = projection<ConfigMap>()('data');
  const kept = (finalizers: readonly string[]) => project(fields, object(finalizers));
  await addFinalizer(client, configMaps, kept(['others']), 'mine');
  await removeFinalizer(client, configMaps, kept(['mine', 'others']), 'mine');
  expect(server.requests.map(({ body }) => JSON.parse(body) as unknown)).toEqual([
    { metadata: { resourceVersion: '7', finalizers: ['others', 'mine'] } },
    { metadata: { resourceVersion: '7', finalizers: ['others'] } },
  ]);
});

it('is taken off an object that is gone, and not off one that changed', async () => {
  const refusals = [
    [404, 'NotFound'],
    [409, 'Conflict'],
  ] as const;
  await using server = await TestServer.start((_, response) => {
    const [code, reason] = refusals[server.requests.length - 1] ?? [500, 'InternalError'];
    answerStatus(response, code, reason, 'no');
  });
  const client = server.client();
  expect(await removeFinalizer(client, configMaps, object(['mine']), 'mine')).toBeUndefined();
  await expect(removeFinalizer(client, configMaps, object(['mine']), 'mine')).rejects.toThrow('no');
});
