// Settings that another definition has stored, on a real control plane: the API server serves them whatever their schema is today.
import {
  customResourceDefinitions,
  nodes,
  type KubeObject,
  type Stored,
  type StreamingClient,
} from '@atoll/kube';
import {
  datadogGroup,
  extendedDaemonSetLabels as labels,
  extendedDaemonsetSettings,
  type ExtendedDaemonsetSetting,
} from '@atoll/api';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  startOperatorControlPlane,
  withoutElection,
  type OperatorControlPlane,
} from '../set-up/operator-control-plane.ts';
import { eventually } from '../set-up/standing.ts';
import { observedObject, unlimited } from './observed-object.ts';

const nodeCount = 3;
const namespace = 'default';
const definition = { name: `extendeddaemonsetsettings.${datadogGroup}` };

let world: OperatorControlPlane;
let client: StreamingClient;

beforeAll(async () => {
  world = await startOperatorControlPlane({ fleet: { pools: ['a'], nodesPerPool: nodeCount } });
  ({ client } = world);
  await world.controlPlane.nodesReady();
}, 120_000);

afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
});

const spec = {
  reference: { kind: 'ExtendedDaemonSet', name: 'agent' },
  nodeSelector: { matchLabels: { size: 'large' } },
  containers: [{ name: 'agent', resources: { requests: { cpu: '10m' } } }],
};

type Definition = Stored<KubeObject> & {
  readonly spec: { readonly versions: readonly { readonly schema: unknown }[] };
};

/** What is written while every form is taken. */
async function asStoredBefore(write: () => Promise<unknown>): Promise<void> {
  const found = (await client.get(customResourceDefinitions, definition)) as unknown as Definition;
  const { versions } = found.spec;
  const open = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const set = async (schemas: readonly unknown[]): Promise<void> => {
    const body = {
      spec: { versions: versions.map((each, index) => ({ ...each, schema: schemas[index] })) },
    };
    await client.patch(customResourceDefinitions, definition, { type: 'merge', body });
  };
  await set(versions.map(() => open));
  await eventually(write);
  await set(versions.map(({ schema }) => schema));
  // It is in effect when the form is refused that was taken.
  await eventually(async () => {
    const metadata = { namespace, name: 'tried' };
    const tried = { metadata, spec: { ...spec, containers: 'x' } } as unknown as ExtendedDaemonsetSetting;
    await expect(client.create(extendedDaemonsetSettings, tried, { dryRun: true })).rejects.toThrow(
      /Invalid value/,
    );
  });
}

it('an operator that starts keeps the pods of settings that it cannot read, names them, and serves all other nodes', async () => {
  const object = observedObject(client, 'agent');
  const first = await world.start({ args: [...withoutElection, '--controllers=extended-daemon-set'] });
  const names = (await client.list(nodes)).items.map(({ metadata }) => metadata.name).sort();
  const [large = '', other = ''] = names;
  const body = { metadata: { labels: { size: 'large' } } };
  await client.patch(nodes, { name: large }, { type: 'merge', body });
  await client.create(extendedDaemonsetSettings, { metadata: { namespace, name: 'large' }, spec });
  const ofOther = { ...spec, nodeSelector: { matchLabels: { 'kubernetes.io/hostname': other } } };
  await client.create(extendedDaemonsetSettings, { metadata: { namespace, name: 'other' }, spec: ofOther });
  await object.create({}, unlimited);
  await object.untilAll('agent:1', nodeCount);
  await eventually(async () => {
    const made = (await object.pods()).map(({ metadata }) => metadata.labels?.[labels.settingName] ?? '');
    expect(made.sort()).toEqual(['', 'large', 'other']);
  });
  await first.kill();

  await asStoredBefore(async () => {
    const broken = { spec: { containers: { agent: { cpu: '10m' } } } };
    await client.patch(
      extendedDaemonsetSettings,
      { namespace, name: 'large' },
      { type: 'merge', body: broken },
    );
    const none = { spec: null };
    await client.patch(
      extendedDaemonsetSettings,
      { namespace, name: 'other' },
      { type: 'merge', body: none },
    );
  });
  const before = (await object.pods()).map(({ metadata }) => metadata.uid).sort();
  await world.start({ name: 'restarted', args: [...withoutElection, '--controllers=extended-daemon-set'] });
  await object.untilCondition('Ready', { status: 'False', reason: 'SettingUnreadable' });
  expect((await object.pods()).map(({ metadata }) => metadata.uid).sort()).toEqual(before);

  await object.setImage('agent:2');
  await eventually(async () => expect(await object.images()).toEqual({ 'agent:1': 2, 'agent:2': 1 }));
  await object.untilCondition('Ready', {
    reason: 'SettingUnreadable',
    message: expect.stringMatching(
      /^a-node-\d: the ExtendedDaemonsetSetting (large|other) cannot be read: spec/,
    ),
  });
  for (const [name, error] of [
    ['large', 'spec.containers is {}; it must be a list'],
    ['other', 'spec is missing; it must be an object'],
  ] as const) {
    await eventually(async () => {
      const { status } = await client.get(extendedDaemonsetSettings, { namespace, name });
      expect(status).toMatchObject({ status: 'error', error });
    });
  }

  await client.delete(extendedDaemonsetSettings, { namespace, name: 'other' });
  await client.patch(
    extendedDaemonsetSettings,
    { namespace, name: 'large' },
    { type: 'merge', body: { spec } },
  );
  await object.untilAll('agent:2', nodeCount);
  await object.untilCondition('Ready', { status: 'True' });
}, 180_000);
