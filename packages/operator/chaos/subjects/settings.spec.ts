import { extendedDaemonSetLabels as labels } from '@atoll/api';
import type { StreamingClient } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import { daemonNodeLabel } from './daemons.ts';
import { settingSubject } from './settings.ts';

const fleet = { pools: [], zones: ['a', 'b'] };
const zoneLabel = 'topology.kubernetes.io/zone';

interface Given {
  readonly name: string;
  /** undefined: all. */
  readonly zone?: string;
  readonly cpu: string;
  readonly minute: number;
  readonly status?: string;
}

function setting({ name, zone, cpu, minute, status = 'valid' }: Given): object {
  return {
    metadata: { name, generation: 1, creationTimestamp: `2026-01-01T00:0${minute}:00Z` },
    spec: {
      reference: { kind: 'ExtendedDaemonSet', name: 'eds-1' },
      nodeSelector: zone === undefined ? {} : { matchLabels: { [zoneLabel]: zone } },
      containers: [{ name: 'agent', resources: { requests: { cpu } } }],
    },
    status: { status, observedGeneration: 1 },
  };
}

function pod(zone: string, cpu?: string, madeWith?: string): object {
  return {
    metadata: {
      name: `pod-${zone}`,
      labels: { app: 'eds-1', ...(madeWith === undefined ? {} : { [labels.settingName]: madeWith }) },
    },
    spec: {
      nodeName: `node-${zone}`,
      containers: [{ name: 'agent', resources: cpu === undefined ? {} : { requests: { cpu } } }],
    },
  };
}

const nodes = fleet.zones.map((zone) => ({
  metadata: { name: `node-${zone}`, labels: { [zoneLabel]: zone, [daemonNodeLabel(0)]: 'yes' } },
}));

/** Writes are carried out, or their answer is lost; lists are as given. */
function clientOf(
  settings: readonly object[],
  pods: readonly object[],
  write = async () => Promise.resolve({}),
): StreamingClient {
  const lists: Readonly<Record<string, readonly object[]>> = {
    ExtendedDaemonsetSetting: settings,
    Node: nodes,
    Pod: pods,
  };
  return {
    list: async ({ kind }: { readonly kind: string }) => Promise.resolve({ items: lists[kind] ?? [] }),
    apply: write,
    delete: write,
  } as unknown as StreamingClient;
}

const unsettled = async (settings: readonly Given[], ...pods: readonly object[]) =>
  settingSubject(1, fleet).unsettled(clientOf(settings.map(setting), pods));

const one = { name: 'eds-1-one', cpu: '1m', minute: 1 };
const two = { name: 'eds-1-two', cpu: '2m', minute: 2 };

describe('a pod is as wanted', () => {
  it('with the resources of the setting of its node, and of the template elsewhere', async () => {
    const settings = [{ ...one, zone: 'a' }];
    expect(await unsettled(settings, pod('a', '1m', one.name), pod('b'))).toEqual([]);
    expect(await unsettled(settings, pod('a', '3m', one.name), pod('b', '1m', one.name))).toEqual([
      'eds-1: 2 pods without the resources of their setting, first pod-a with 3m',
    ]);
    expect(await unsettled(settings, pod('a'))).toHaveLength(1);
  });

  it('with those of the newer one of two in conflict, and of the older one where it was made with that', async () => {
    const settings = [
      { ...one, status: 'error' },
      { ...two, zone: 'b' },
    ];
    expect(await unsettled(settings, pod('a', '1m', one.name), pod('b', '2m', two.name))).toEqual([]);
    expect(await unsettled(settings, pod('a'), pod('b', '2m', two.name))).toEqual([]);
    expect(await unsettled(settings, pod('b', '1m', one.name))).toHaveLength(1);
    expect(await unsettled(settings, pod('a', '2m', two.name))).toHaveLength(1);
  });

  it('with those of two settings that share no node', async () => {
    const settings = [
      { ...one, zone: 'a' },
      { ...two, zone: 'b' },
    ];
    expect(await unsettled(settings, pod('a', '1m', one.name), pod('b', '2m', two.name))).toEqual([]);
    expect(await unsettled(settings, pod('a', '2m', two.name))).toHaveLength(1);
  });
});

it('a setting in conflict has an error, and no other has', async () => {
  expect(await unsettled([one, { ...two, zone: 'b' }])).toEqual(['eds-1-one: valid is not error ']);
  expect(await unsettled([{ ...one, status: 'error' }])).toEqual(['eds-1-one: error is not valid ']);
});

describe('a setting', () => {
  it('that was made and is gone is not as wanted', async () => {
    const subject = settingSubject(1, fleet);
    await subject.create(clientOf([], []));
    expect(await subject.unsettled(clientOf([], []))).toEqual(['eds-1-one is gone']);
    expect(await subject.unsettled(clientOf([setting(one)], []))).toEqual([]);
  });

  it('that was deleted and is there again is not as wanted', async () => {
    const subject = settingSubject(1, fleet);
    const client = clientOf([setting(one)], []);
    await subject.create(client);
    expect(await subject.change(client, () => 0)).toBe('eds-1-one deleted');
    expect(await subject.unsettled(client)).toEqual(['eds-1-one is there again']);
  });

  it('whose change had no answer is wanted as it is found', async () => {
    const lost = clientOf([], [], async () => Promise.reject(new Error('connection lost')));
    const subject = settingSubject(1, fleet);
    await subject.change(lost, () => 0).catch(() => undefined);
    expect(await subject.unsettled(lost)).toEqual([]);
    const found = settingSubject(1, fleet);
    await found.change(lost, () => 0).catch(() => undefined);
    expect(await found.unsettled(clientOf([setting(one)], []))).toEqual([]);
  });
});
