// A cluster of the old operator: its definitions, objects that these accepted, and then ours.
import {
  customResourceDefinitions,
  groupResourceOf,
  untilServed,
  type KubeObject,
  type StreamingClient,
} from '@atoll/kube';
import { originalDefinition, originals, startControlPlane, type ControlPlane } from '@atoll/testbed';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { extendedDaemonSets, extendedDaemonsetSettings } from '../src/index.ts';
import { install } from '../src/install/index.ts';
import { customResourceDefinition, extendedDaemonSetKinds } from '../src/schema/index.ts';
import { connect, refusalOf } from './connect.ts';
import { canary, extended, refusedStrategies } from './extended-samples.ts';
import type { Loose } from './samples.ts';
import { statusBesideWrongSpec } from './status-beside-wrong-spec.ts';

/** A control plane of its own: the CRDs are the cluster's. */
let controlPlane: ControlPlane;
let client: StreamingClient;
const namespace = 'default';
const merge = (body: Loose) => ({ type: 'merge', body }) as const;

/** As the old operator leaves them, and as nothing but its schema judged them. */
const stored: readonly (readonly [string, Loose])[] = [
  ['a good one', canary({ duration: '10m0s' })],
  ...refusedStrategies.map(([what, fields]) => [what, fields] as const),
  [
    'the mode manual with durations',
    canary({ validationMode: 'manual', duration: '7m0s', noRestartsDuration: '5m0s' }),
  ],
  ['a bad selector', { selector: { matchExpressions: [{ key: 'a b', operator: 'Is', values: ['?'] }] } }],
  ['a bad nodeSelector', canary({ nodeSelector: { matchLabels: { 'a b': '?' } } })],
  ['bad labels', { template: { metadata: { labels: { 'a b': '?' } }, spec: { containers: [] } } }],
];
const named = stored.map(([what, fields], index) => [what, `old-${index}`, fields] as const);

const oldStatus = {
  desired: 3,
  current: 3,
  ready: 3,
  available: 3,
  upToDate: 1,
  ignoredUnresponsiveNodes: 0,
  state: 'Canary',
  activeReplicaSet: 'foo-8z7lr',
  canary: { replicaSet: 'foo-xdj4b', nodes: ['node-1'] },
  conditions: [
    {
      type: 'Canary-Paused',
      status: 'False',
      lastTransitionTime: '2026-01-01T00:00:00Z',
      lastUpdateTime: '2026-01-01T00:00:00Z',
    },
  ],
};

beforeAll(async () => {
  controlPlane = await startControlPlane({ components: [] });
  client = await connect(controlPlane.kubeconfig);
  for (const { resource } of extendedDaemonSetKinds) {
    const crd = await originalDefinition(originals.extendedDaemonSet, groupResourceOf(resource));
    await client.create(customResourceDefinitions, crd, { fieldManager: 'helm' });
    await untilServed(client, [crd.metadata.name], { timeoutMs: 60_000 });
  }
  for (const [, name, fields] of named) {
    await client.create(extendedDaemonSets, extended(namespace, name, withStrategy(fields)));
    const body = { status: oldStatus };
    await client.patch(extendedDaemonSets, { namespace, name }, merge(body), { subresource: 'status' });
  }
  await client.apply(extendedDaemonSets, gitOps('agent:7'), { fieldManager: 'argocd', force: true });
  await install(client, { installation: { kinds: extendedDaemonSetKinds } });
});

afterAll(async () => {
  await client?.close();
  await controlPlane?.stop();
});

function withStrategy(fields: Loose): Loose {
  return { strategy: {}, ...fields };
}

function gitOps(image: string) {
  const containers = [
    { name: 'agent', image, ports: [{ containerPort: 8125, protocol: 'UDP' }] },
    { name: 'trace', image: 'trace:7' },
  ];
  return {
    apiVersion: 'datadoghq.com/v1alpha1',
    kind: 'ExtendedDaemonSet',
    ...extended(namespace, 'git-ops', {
      strategy: { canary: { replicas: 1, nodeSelector: { matchLabels: { a: 'b' } } } },
      template: { metadata: { labels: { app: 'agent' } }, spec: { containers } },
    }),
  };
}

describe('of what the old operator left', () => {
  it.each(named)('an object with %s keeps spec and status', async (_, name, fields) => {
    const { spec, status } = await client.get(extendedDaemonSets, { namespace, name });
    expect(spec).toEqual(extended(namespace, name, withStrategy(fields)).spec);
    expect(status).toEqual(oldStatus);
  });

  it.each(named)('an object with %s can be labelled, reported on and rolled out', async (_, name) => {
    const key = { namespace, name };
    await client.patch(extendedDaemonSets, key, merge({ metadata: { annotations: { a: 'b' } } }));
    const status = { ...oldStatus, observedGeneration: 1, state: 'Running' };
    const reported = await statusBesideWrongSpec(
      client.patch(extendedDaemonSets, key, merge({ status }), { subresource: 'status' }),
    );
    expect(reported?.status ?? status).toEqual(status);
    const template = { spec: { containers: [{ name: 'agent', image: 'agent:8' }] } };
    const rolledOut = await client.patch(extendedDaemonSets, key, merge({ spec: { template } }));
    expect(rolledOut.spec.template).toMatchObject(template);
  });

  it('what is changed must be right, and the rest may stay as it was', async () => {
    const [, name = ''] = named.find(([what]) => what === 'a failure before the pause') ?? [];
    const key = { namespace, name };
    const change = (fields: Loose) =>
      client.patch(extendedDaemonSets, key, merge({ spec: canary(fields) }), { dryRun: true });
    const { spec } = await change({ replicas: 3, duration: '1h' });
    expect(spec.strategy.canary).toMatchObject({ replicas: 3, autoFail: { maxRestarts: 1 } });
    expect(await refusalOf(change({ duration: '1 hour' }))).toContain('such as 1h30m');
    expect(await refusalOf(change({ autoFail: { maxRestarts: -1 } }))).toContain(
      'greater than or equal to 0',
    );
  });

  it('a manifest that was applied server-side is applied again, where ports are merged as a whole now', async () => {
    const write = { fieldManager: 'argocd', force: false };
    const again = await client.apply(extendedDaemonSets, gitOps('agent:7'), write);
    expect(again.metadata.generation).toBe(1);
    const { spec } = await client.apply(extendedDaemonSets, gitOps('agent:8'), write);
    expect(spec.template).toEqual(gitOps('agent:8').spec.template);
  });

  it('the definitions name ours and keep what was stored', async () => {
    for (const kind of extendedDaemonSetKinds) {
      const ours = customResourceDefinition(kind);
      const { spec, status } = await client.get(customResourceDefinitions, ours.metadata);
      expect(spec.versions[0]?.additionalPrinterColumns).toEqual(
        ours.spec.versions[0]?.additionalPrinterColumns,
      );
      expect(status?.storedVersions).toEqual(['v1alpha1']);
    }
  });
});

describe('the old operator beside our definitions', () => {
  it('writes its defaults, its status and its conditions as before', async () => {
    const key = { namespace, name: 'beside' };
    const created = await client.create(extendedDaemonSets, extended(namespace, 'beside', canary({})));
    // Go writes an empty time as null, and all that it does not know of is gone.
    const [ready] = created.status?.conditions ?? [];
    const { status: _, ...object } = created as KubeObject & { readonly status?: unknown };
    const defaulted = {
      ...object,
      spec: {
        strategy: {
          reconcileFrequency: '10s',
          rollingUpdate: {
            maxUnavailable: 1,
            maxParallelPodCreation: 250,
            slowStartIntervalDuration: '1m0s',
          },
          canary: { validationMode: 'auto', duration: '10m0s', replicas: 1, nodeSelector: {} },
        },
        template: {
          metadata: { creationTimestamp: null },
          spec: { containers: [{ name: 'a', resources: {} }] },
        },
      },
    };
    const { metadata } = await client.update(extendedDaemonSets, defaulted as unknown as typeof created);
    const conditions = [{ ...ready, lastUpdateTime: null }, ...oldStatus.conditions];
    const whole = {
      ...defaulted,
      metadata,
      status: { ...oldStatus, conditions },
    } as unknown as typeof created;
    const { status } = await client.update(extendedDaemonSets, whole, { subresource: 'status' });
    expect(status?.conditions).toEqual([ready, ...oldStatus.conditions]);
    await client.delete(extendedDaemonSets, key);
  });

  it('keeps a setting that names nothing changeable', async () => {
    const object = {
      metadata: { namespace, name: 'nameless' },
      spec: { reference: { kind: '', name: '' }, nodeSelector: {} },
    };
    const created = await client.create(extendedDaemonsetSettings, object);
    expect(created.spec).toEqual(object.spec);
  });
});
