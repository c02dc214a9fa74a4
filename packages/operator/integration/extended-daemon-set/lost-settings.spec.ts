// The definition of ExtendedDaemonsetSettings is deleted under the running operator, all settings with it, and comes back: no pod restarts.
import { extendedDaemonSetLabels as labels, extendedDaemonsetSettings } from '@atoll/api';
import { definitionName, untilServed, type StreamingClient } from '@atoll/kube';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { install } from '../../src/install/index.ts';
import {
  startOperatorControlPlane,
  withoutElection,
  type OperatorControlPlane,
} from '../set-up/operator-control-plane.ts';
import { eventually } from '../set-up/standing.ts';
import { takeDefinition } from '../set-up/take-definition.ts';
import { observedObject, unlimited, type ObservedObject } from './observed-object.ts';

const nodeCount = 3;
const namespace = 'default';

let world: OperatorControlPlane;
let client: StreamingClient;

beforeAll(async () => {
  world = await startOperatorControlPlane({ fleet: { pools: ['a'], nodesPerPool: nodeCount } });
  ({ client } = world);
  await world.controlPlane.nodesReady();
  await world.start({ args: [...withoutElection, '--controllers=extended-daemon-set'] });
}, 120_000);

afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
});

/** A setting of all nodes, under the name of its object. */
async function give(name: string): Promise<void> {
  const spec = {
    reference: { kind: 'ExtendedDaemonSet', name },
    nodeSelector: {},
    containers: [{ name: 'agent', resources: { requests: { cpu: '10m' } } }],
  };
  await eventually(async () =>
    client.create(extendedDaemonsetSettings, { metadata: { namespace, name }, spec }),
  );
}

/** With this setting, or with none, and Ready. */
async function runsWith(object: ObservedObject, setting: string): Promise<void> {
  await eventually(async () => {
    const made = (await object.pods()).map(({ metadata }) => metadata.labels?.[labels.settingName] ?? '');
    expect(made).toEqual(Array.from({ length: nodeCount }, () => setting));
  });
  await object.untilCondition('Ready', { status: 'True' });
}

async function uidsOf(object: ObservedObject): Promise<readonly string[]> {
  return (await object.pods()).map(({ metadata }) => metadata.uid).sort();
}

it('keeps pods that were made with settings until these are restored, and replaces those whose setting alone is deleted', async () => {
  const object = observedObject(client, 'agent');
  await give('agent');
  await object.create({}, unlimited);
  await runsWith(object, 'agent');
  const before = await uidsOf(object);

  await takeDefinition(client, extendedDaemonsetSettings);
  await object.untilCondition('Ready', {
    status: 'False',
    reason: 'SettingUnreadable',
    message: expect.stringContaining(
      'with the definition of ExtendedDaemonsetSettings, which was deleted. Restore it, or delete the pod',
    ),
  });
  await install(client);
  await untilServed(client, [definitionName(extendedDaemonsetSettings)]);
  await object.untilCondition('Ready', {
    message: expect.stringContaining('which was deleted and was installed again at 20'),
  });

  // What was made since then loses its setting after ten seconds; so long the others have lost theirs, too.
  const later = observedObject(client, 'later');
  await give('later');
  await later.create({}, unlimited);
  await runsWith(later, 'later');
  await client.delete(extendedDaemonsetSettings, { namespace, name: 'later' });
  await runsWith(later, '');
  expect(await uidsOf(object)).toEqual(before);

  await give('agent');
  await object.untilCondition('Ready', { status: 'True' });
  expect(await uidsOf(object)).toEqual(before);
}, 180_000);
