import { namespaces, type KubeObject, type StreamingClient } from '@atoll/kube';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import {
  extendedDaemonSetReplicaSets,
  extendedDaemonSets,
  extendedDaemonsetSettings,
  strategyProblems,
  withDefaults,
  type ExtendedDaemonsetSetting,
} from '../src/index.ts';
import { install } from '../src/install/index.ts';
import { extendedDaemonSetKinds } from '../src/schema/index.ts';
import { connect, refusalOf } from './connect.ts';
import { canary, extended, refusedStrategies, rollingUpdate } from './extended-samples.ts';
import type { Loose } from './samples.ts';

let client: StreamingClient;
const namespace = 'api-extended-daemon-set';
const dryRun = { dryRun: true };
const resource = extendedDaemonSets;

beforeAll(async () => {
  client = await connect(inject('kubeconfig'));
  await install(client, { installation: { kinds: extendedDaemonSetKinds } });
  await client.apply(
    namespaces,
    { metadata: { name: namespace } },
    { fieldManager: 'api-specs', force: true },
  );
});

describe('an ExtendedDaemonSet', () => {
  it('keeps its spec as it was written, and is not Ready before the operator has looked', async () => {
    const written = extended(namespace, 'minimal', canary({}));
    const { spec, status } = await client.create(resource, written, dryRun);
    expect(spec).toEqual(written.spec);
    expect(status).toMatchObject({
      desired: 0,
      current: 0,
      ready: 0,
      available: 0,
      upToDate: 0,
      ignoredUnresponsiveNodes: 0,
      activeReplicaSet: '',
      conditions: [{ type: 'Ready', status: 'Unknown', reason: 'NotYetObserved' }],
    });
  });

  it.each<[string, Loose]>([
    [
      'percentages',
      rollingUpdate({
        maxUnavailable: '10%',
        maxPodSchedulerFailure: '0%',
        slowStartAdditiveIncrease: '150%',
      }),
    ],
    [
      'short durations',
      { strategy: { reconcileFrequency: '100ms', rollingUpdate: { slowStartIntervalDuration: '1us' } } },
    ],
    [
      'the forms of Go',
      canary({ duration: '1h2m3.5s', noRestartsDuration: '0', autoFail: { canaryTimeout: '+1.5h' } }),
    ],
    ['micro signs', { strategy: { reconcileFrequency: '1µs1μs.5ns' } }],
    ['as few restarts for both', canary({ autoFail: { maxRestarts: 2 } })],
    ['no automatic pause', canary({ autoPause: { enabled: false }, autoFail: { maxRestarts: 0 } })],
    [
      'a timeout without failures',
      canary({ duration: '1h', autoFail: { enabled: false, canaryTimeout: '1m' } }),
    ],
    ['a timeout in the mode manual', canary({ validationMode: 'manual', autoFail: { canaryTimeout: '1m' } })],
    ['a timeout after the duration', canary({ duration: '9m', autoFail: { canaryTimeout: '10m' } })],
    [
      'the durations that defaulting left in the mode manual',
      canary({ validationMode: 'manual', duration: '10m0s', noRestartsDuration: '5m0s' }),
    ],
  ])('with %s is accepted, and has no problem', async (_, fields) => {
    const written = extended(namespace, 'accepted', fields);
    const { spec } = await client.create(resource, written, dryRun);
    expect(spec).toEqual(written.spec);
    expect(strategyProblems(withDefaults(spec).strategy)).toEqual([]);
  });

  it.each(refusedStrategies)(
    'with %s is refused in words, and would be a problem',
    async (_, fields, words) => {
      const object = extended(namespace, 'refused', fields);
      expect(await refusalOf(client.create(resource, object, dryRun))).toContain(words);
      expect(strategyProblems(withDefaults(object.spec).strategy)).toHaveLength(1);
    },
  );

  it.each<[string, Loose, string]>([
    [
      'a duration in the mode manual',
      canary({ validationMode: 'manual', duration: '5m' }),
      'must be left out where validationMode is manual',
    ],
    [
      'a quiet time in the mode manual',
      canary({ validationMode: 'manual', noRestartsDuration: '1m' }),
      'must be left out where validationMode is manual',
    ],
    ['another mode', canary({ validationMode: 'Auto' }), 'supported values: "auto", "manual"'],
    ['no strategy', { strategy: undefined }, 'spec.strategy: Required value'],
    ['no template', { template: undefined }, 'spec.template: Required value'],
    ['a key twice', canary({ nodeAntiAffinityKeys: ['zone', 'zone'] }), 'Duplicate value: "zone"'],
  ])('with %s is refused', async (_, fields, words) => {
    expect(
      await refusalOf(client.create(resource, extended(namespace, 'refused', fields), dryRun)),
    ).toContain(words);
  });

  it('may change to the mode manual with the durations that defaulting wrote', async () => {
    const written = canary({ validationMode: 'auto', duration: '10m0s', noRestartsDuration: '5m0s' });
    await client.create(resource, extended(namespace, 'to-manual', written));
    const body = { spec: canary({ validationMode: 'manual' }) };
    const key = { namespace, name: 'to-manual' };
    const { spec } = await client.patch(resource, key, { type: 'merge', body });
    expect(spec.strategy.canary).toMatchObject({ validationMode: 'manual', duration: '10m0s' });
    expect(withDefaults(spec).strategy.canary).not.toHaveProperty('duration');
    await client.delete(resource, key);
  });

  it('keeps a pod template whole', async () => {
    const template = {
      metadata: {
        name: 'agent',
        creationTimestamp: null,
        finalizers: [],
        labels: { a: 'b' },
        annotations: { c: '' },
      },
      spec: { containers: null, unknown: { x: [1, null] } },
    };
    const { spec } = await client.create(resource, extended(namespace, 'whole', { template }), dryRun);
    expect(spec.template).toEqual(template);
  });
});

describe('a replica set', () => {
  it('counts as finished before the operator has looked, because its ExtendedDaemonSet shows it', async () => {
    const { spec } = extended(namespace, 'owner');
    const object = {
      metadata: { namespace, generateName: 'owner-', name: '' },
      spec: { template: spec.template, selector: {}, templateGeneration: 'a2bb34618483323482d9a56ae2515eed' },
    };
    const created = await client.create(extendedDaemonSetReplicaSets, object, dryRun);
    expect(created.spec).toEqual(object.spec);
    expect(created).not.toHaveProperty('status');
  });
});

describe('a setting', () => {
  function setting(spec: Loose): ExtendedDaemonsetSetting {
    const reference = { kind: 'ExtendedDaemonset', name: 'agent' };
    return {
      metadata: { namespace, name: 'large' },
      spec: { reference, nodeSelector: { matchLabels: { size: 'large' } }, ...spec },
    } as unknown as ExtendedDaemonsetSetting;
  }

  it('takes quantities as numbers and as text, and claims', async () => {
    const resources = {
      requests: { cpu: 1, memory: '300m', 'example.com/gpu': '2e3' },
      limits: { cpu: '0.5', memory: '1Gi' },
      claims: [{ name: 'gpu', request: 'one' }],
    };
    const object = setting({ containers: [{ name: 'agent', resources }] });
    const { spec, status } = await client.create(extendedDaemonsetSettings, object, dryRun);
    expect(spec).toEqual(object.spec);
    expect(status).toMatchObject({ status: '', conditions: [{ type: 'Ready', status: 'Unknown' }] });
  });

  it.each<[string, Loose, string]>([
    [
      'a malformed quantity',
      { containers: [{ name: 'agent', resources: { limits: { cpu: 'much' } } }] },
      'spec.containers[0].resources.limits.cpu',
    ],
    [
      'a container twice',
      {
        containers: [
          { name: 'a', resources: {} },
          { name: 'a', resources: {} },
        ],
      },
      'Duplicate value',
    ],
    ['no reference', { reference: undefined }, 'spec.reference: Required value'],
    ['no nodeSelector', { nodeSelector: undefined }, 'spec.nodeSelector: Required value'],
  ])('with %s is refused', async (_, fields, words) => {
    const object = setting(fields) as KubeObject as ExtendedDaemonsetSetting;
    expect(await refusalOf(client.create(extendedDaemonsetSettings, object, dryRun))).toContain(words);
  });
});
