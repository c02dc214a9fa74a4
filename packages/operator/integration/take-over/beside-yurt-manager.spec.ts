// What stands for yurt-manager here writes the status as its controller for YurtAppDaemons does (`reference/openyurt.md` 3.1.6), and a Deployment of its name.
import { setTimeout as delay } from 'node:timers/promises';
import { conditionTypes, nodePools, yurtAppDaemons, yurtManagers } from '@atoll/api';
import { deployments, isApiError, namespaces, type StreamingClient } from '@atoll/kube';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { apply, setImage } from '../set-up/objects.ts';
import {
  startOperatorControlPlane,
  withoutElection,
  type OperatorControlPlane,
} from '../set-up/operator-control-plane.ts';
import { eventsAbout, eventually } from '../set-up/standing.ts';
import { bj, childrenOf, hz, leave, namespace } from './old-workloads.ts';

const name = 'web';
const key = { namespace, name };
const oldManager = yurtManagers.manager;
const reason = 'ServedByYurtManager';

let world: OperatorControlPlane;
let client: StreamingClient;

/** Children are objects only: no controller makes pods of them. */
beforeAll(async () => {
  world = await startOperatorControlPlane({ components: [] });
  ({ client } = world);
  for (const pool of [hz, bj]) await apply(client, nodePools, pool);
  await leave(client, name, {}, oldManager);
}, 120_000);

afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
});

async function readyReason(): Promise<string | undefined> {
  const { status } = await client.get(yurtAppDaemons, key);
  return status?.conditions?.find(({ type }) => type === conditionTypes.ready)?.reason;
}

async function images(): Promise<readonly unknown[]> {
  const children = await childrenOf(client, name);
  return children.map(({ spec }) => spec?.template.spec?.containers[0]?.image);
}

/** It answers each change of the object, until the signal. Returns how often it wrote. */
async function answerAsOldController(signal: AbortSignal): Promise<number> {
  let seen = '';
  let writes = 0;
  while (!signal.aborted) {
    const live = await client.get(yurtAppDaemons, key);
    if (live.metadata.resourceVersion === seen) {
      await delay(20);
      continue;
    }
    seen = live.metadata.resourceVersion;
    const {
      collisionCount,
      currentRevision,
      templateType,
      nodepools,
      conditions = [],
      observedGeneration,
    } = live.status ?? {};
    const kept = conditions.filter(({ type }) => type !== conditionTypes.workLoadFailure);
    if (kept.length === conditions.length && observedGeneration === live.metadata.generation) continue;
    const known = kept.map(({ observedGeneration: _dropped, ...each }) => each);
    const status = { collisionCount, currentRevision, templateType, nodepools, conditions: known };
    const written = { ...live, status: { ...status, observedGeneration: live.metadata.generation } };
    try {
      await client.update(yurtAppDaemons, written as typeof live, {
        subresource: 'status',
        fieldManager: oldManager,
      });
      writes += 1;
    } catch (error) {
      if (!isApiError(error, 'Conflict')) throw error;
      seen = '';
    }
  }
  return writes;
}

it('a YurtAppDaemon beside a yurt-manager that was not stopped comes to rest, and is served as soon as that stands still', async () => {
  const ending = new AbortController();
  const answering = answerAsOldController(ending.signal);
  await world.start({ args: withoutElection });
  await eventually(async () => {
    expect(await readyReason()).toBe(reason);
    // Longer than a status waits for its turn.
    const before = await client.get(yurtAppDaemons, key);
    await delay(7_000);
    const after = await client.get(yurtAppDaemons, key);
    expect(after.metadata.resourceVersion).toBe(before.metadata.resourceVersion);
  });
  await setImage(client, yurtAppDaemons, name, 'nginx:1.28');
  await eventually(async () => {
    const { metadata, status } = await client.get(yurtAppDaemons, key);
    expect(status?.observedGeneration).toBe(metadata.generation);
  });
  expect(await images()).toEqual(['nginx:1.27', 'nginx:1.27']);
  const recorded = (await eventsAbout(client, name)).find((event) => event.reason === reason);
  expect(recorded?.note).toContain('add -yurt-app-daemon-controller');
  ending.abort();
  expect(await answering).toBeLessThan(6);

  await apply(client, namespaces, { metadata: { name: 'kube-system' } });
  const labels = { app: oldManager };
  await apply(client, deployments, {
    metadata: { namespace: 'kube-system', name: oldManager },
    spec: {
      replicas: 0,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'manager', image: 'manager' }] } },
    },
  });
  await eventually(async () => {
    expect(await images()).toEqual(['nginx:1.28', 'nginx:1.28']);
    expect(await readyReason()).not.toBe(reason);
  });
}, 300_000);
