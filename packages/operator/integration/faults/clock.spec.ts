// A machine whose clock jumps ahead by an hour while a rollout waits for a pod that is not scheduled.
import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { extendedDaemonSets, type ExtendedDaemonSet } from '@atoll/api';
import { pods, type Pod, type Stored } from '@atoll/kube';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { withoutElection, type OperatorControlPlane } from '../set-up/operator-control-plane.ts';
import { sharedOperatorControlPlane } from '../set-up/shared-operator-control-plane.ts';
import { eventually } from '../set-up/standing.ts';

const nodeCount = 4;
const key = { namespace: 'default', name: 'agent' };
const hourMs = 3_600_000;

let world: OperatorControlPlane;
let clockFile: string;
let logFile: string;

function agent(): ExtendedDaemonSet {
  const rollingUpdate = {
    maxUnavailable: 1,
    slowStartIntervalDuration: '1ms',
    slowStartAdditiveIncrease: 250,
  };
  const template = {
    metadata: { labels: { app: key.name } },
    spec: { containers: [{ name: 'agent', image: 'agent:1' }] },
  };
  return { metadata: key, spec: { strategy: { reconcileFrequency: '100ms', rollingUpdate }, template } };
}

/** Of pods that no node has room for. */
async function changeTo(image: string): Promise<void> {
  const container = { name: 'agent', image, resources: { requests: { cpu: '1000' } } };
  const body = { spec: { template: { spec: { containers: [container] } } } };
  const { metadata } = await world.client.patch(extendedDaemonSets, key, { type: 'merge', body });
  await eventually(async () => {
    const { status } = await world.client.get(extendedDaemonSets, key);
    expect(status?.observedGeneration).toBe(metadata.generation);
  });
}

async function podsWith(image: string): Promise<readonly Stored<Pod>[]> {
  const { items } = await world.client.list(pods, { namespace: key.namespace });
  return items.filter(({ spec }) => spec?.containers[0]?.image === image);
}

beforeAll(async () => {
  world = await sharedOperatorControlPlane({ fleet: { pools: ['a'], nodesPerPool: nodeCount } });
  await world.controlPlane.nodesReady();
  clockFile = join(world.controlPlane.directory, 'operator.clock');
  writeFileSync(clockFile, '0');
  const operator = await world.start({
    script: join(import.meta.dirname, '../../chaos/operator-with-clock.ts'),
    args: [...withoutElection, '--controllers=extended-daemon-set', '--clock-file', clockFile],
  });
  ({ logFile } = operator);
}, 120_000);

afterAll(async () => world?.[Symbol.asyncDispose]());

it('a clock that jumps ahead makes no pod count as stuck, so that no more pods are deleted', async () => {
  await world.client.create(extendedDaemonSets, agent());
  await eventually(async () => {
    const { status } = await world.client.get(extendedDaemonSets, key);
    expect(status).toMatchObject({ ready: nodeCount, upToDate: nodeCount });
  });
  await changeTo('agent:2');
  await eventually(async () => expect(await podsWith('agent:2')).toHaveLength(1));

  writeFileSync(clockFile, String(hourMs));
  await eventually(async () =>
    expect(await readFile(logFile, 'utf8')).toContain(`the clock is ${hourMs} ms ahead`),
  );
  await changeTo('agent:3');
  await eventually(async () =>
    expect(await readFile(logFile, 'utf8')).toMatch(
      /"level":"warn".*the clock of this machine is not the API server's/,
    ),
  );
  await eventually(async () => expect(await podsWith('agent:3')).toHaveLength(1));
  expect(await podsWith('agent:1')).toHaveLength(nodeCount - 1);
});
