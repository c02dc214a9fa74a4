import { expect, it } from 'vitest';
import {
  configMaps,
  pods,
  systemClock,
  type KubeObject,
  type Resource,
  type WriteThroughCache,
  ObjectCache,
} from '../../../../kube/src/index.ts';
import { boundedWrites } from '../../../../kube/src/client/bounded-writes.ts';
import { TestServer, answerJson } from '../../../../kube/src/testing/test-server.ts';
import { Executor } from '../executor/execute.ts';
import { nothingToDo } from '../plan.ts';
import type { Step } from '../step.ts';

const why = { word: 'PodOutdated', message: 'x' } as const;
const remove = (resource: unknown, name: string, more: object = {}): Step =>
  ({
    do: 'delete',
    why,
    resource,
    key: { namespace: 'edge', name },
    uid: `uid-${name}`,
    propagation: 'Background',
    ...more,
  }) as Step;
const plan = (...steps: Step[]) =>
  ({ ...nothingToDo, stages: [{ name: 's', runs: 'always', steps }] }) as never;

it('makes an outcome of every answer, and loses neither an answer nor a place', async () => {
  const held: (() => void)[] = [];
  await using server = await TestServer.start(({ method, url }, response) => {
    const done = () => answerJson(response, 200, { kind: 'Status', status: 'Success' });
    // Something between answers a live read with JSON that is no object of Kubernetes.
    if (method === 'GET') answerJson(response, 200, { message: 'please wait' });
    else if (url.includes('slow')) held.push(done);
    else done();
  });
  const stored = (name: string) =>
    ({
      metadata: {
        namespace: 'edge',
        name,
        uid: `uid-${name}`,
        resourceVersion: '10',
        creationTimestamp: '2026-01-01T00:00:00Z',
      },
    }) as never;
  const cache = new ObjectCache({ resource: pods as Resource<KubeObject> });
  cache.replace([stored('slow'), stored('b')], '10', true);
  const executor = new Executor({
    client: boundedWrites(server.client(), { clock: systemClock, sendWithinMs: 4_000 }),
    cacheOf: (resource) =>
      (resource as unknown) === pods ? (cache as unknown as WriteThroughCache<KubeObject>) : undefined,
    undeclared: () => undefined,
    clock: systemClock,
    mayWrite: () => true,
    fieldManager: 'atoll',
    recordEvent: () => undefined,
  });
  const signal = new AbortController().signal;
  const restsOn = [{ resource: configMaps, key: { namespace: 'edge', name: 'r' }, uid: 'u', labels: {} }];
  const first = executor
    .execute(plan(remove(pods, 'slow'), remove(configMaps, 'x', { restsOn })), {
      controller: 'c',
      key: 'edge/a',
      signal,
    })
    .then(
      (outcome) => outcome.results.map(({ did }) => did),
      (error: Error) => `rejected: ${error.message}`,
    );
  const outcome = await Promise.race([
    first,
    new Promise((resolve) => setTimeout(() => resolve('waits for the slow one'), 300)),
  ]);
  for (const done of held) done();
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect({ outcome, slowIsCached: cache.get({ namespace: 'edge', name: 'slow' }) !== undefined }).toEqual({
    outcome: 'waits for the slow one',
    slowIsCached: false,
  });
});

it('gives a place back that came after its plan had failed', async () => {
  const held: (() => void)[] = [];
  await using server = await TestServer.start(({ method, url }, response) => {
    const done = () => answerJson(response, 200, { kind: 'Status', status: 'Success' });
    if (method === 'GET') answerJson(response, 200, { message: 'please wait' });
    else if (url.includes('slow')) held.push(done);
    else done();
  });
  const executor = new Executor({
    client: boundedWrites(server.client(), { clock: systemClock, sendWithinMs: 4_000 }),
    cacheOf: () => undefined,
    requestsInFlight: 1,
    undeclared: () => undefined,
    clock: systemClock,
    mayWrite: () => true,
    fieldManager: 'atoll',
    recordEvent: () => undefined,
  });
  const signal = new AbortController().signal;
  const restsOn = [{ resource: configMaps, key: { namespace: 'edge', name: 'r' }, uid: 'u', labels: {} }];
  const other = executor.execute(plan(remove(pods, 'slow')), { controller: 'd', key: 'edge/other', signal });
  await executor
    .execute(plan(remove(pods, 'b'), remove(configMaps, 'x', { restsOn })), {
      controller: 'c',
      key: 'edge/a',
      signal,
    })
    .catch(() => undefined);
  await new Promise((resolve) => setTimeout(resolve, 50));
  for (const done of held) done();
  await other;
  const later = executor
    .execute(plan(remove(pods, 'c')), { controller: 'c', key: 'edge/later', signal })
    .then(() => 'done');
  expect(
    await Promise.race([later, new Promise((resolve) => setTimeout(() => resolve('waits for ever'), 500))]),
  ).toBe('done');
});
