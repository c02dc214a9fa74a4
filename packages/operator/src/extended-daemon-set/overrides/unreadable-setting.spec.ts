// Settings as another definition may have stored them. The API server serves what is stored, whatever the schema is today.
import { extendedDaemonSetLabels, type ExtendedDaemonsetSetting } from '@atoll/api';
import { ObjectCache, type Pod, type Stored } from '@atoll/kube';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { caches } from '../../caches.ts';
import { decide, type ExtendedDaemonSetDecision } from '../decide.ts';
import {
  agent,
  node,
  now,
  podOn,
  replicaSet,
  setting,
  settingsGone,
  snapshotOf,
} from '../extended-daemon-set.fixture.ts';
import { renderPod } from '../fleet/render-pod.ts';
import type { ExtendedDaemonSetSnapshot } from '../observe.ts';
import { plan } from '../plan.ts';
import { report } from '../report.ts';
import { podOverrides } from './pod-overrides.ts';
import { unreadableSetting, type UnreadableSetting } from './unreadable-setting.ts';

type Setting = Stored<ExtendedDaemonsetSetting>;

/** On nodes of the size `large`. */
const readable = setting('s', { labels: { size: 'large' }, age: 50 });
const { spec } = readable;

function stored(written: unknown, of: Setting = readable): Setting {
  return { ...of, spec: written as Setting['spec'] };
}

function withContainer(more: object): unknown {
  return { ...spec, containers: [{ name: 'agent', ...more }] };
}

const shapes: Readonly<Record<string, readonly [unknown, UnreadableSetting['unknown'], string]>> = {
  'no spec': [undefined, 'object', 'spec is missing; it must be an object'],
  'a spec that is a text': ['x', 'object', 'spec is "x"; it must be an object'],
  'a reference that is a text': [
    { ...spec, reference: 'agent' },
    'object',
    'spec.reference is "agent"; it must be an object',
  ],
  'a name that is none': [
    { ...spec, reference: { name: 5 } },
    'object',
    'spec.reference.name is 5; it must be a string',
  ],
  'a selector that is a text': [
    { ...spec, nodeSelector: 'size=large' },
    'nodes',
    'spec.nodeSelector is "size=large"; it must be an object',
  ],
  'labels that are a text': [
    { ...spec, nodeSelector: { matchLabels: 'size=large' } },
    'nodes',
    'spec.nodeSelector.matchLabels is "size=large"; it must be an object',
  ],
  'a label that is a number': [
    { ...spec, nodeSelector: { matchLabels: { size: 5 } } },
    'nodes',
    'spec.nodeSelector.matchLabels[size] is 5; it must be a string',
  ],
  'an expression that is nothing': [
    { ...spec, nodeSelector: { matchExpressions: [null] } },
    'nodes',
    'spec.nodeSelector.matchExpressions[0] is null; it must be an object',
  ],
  'containers by name': [
    { ...spec, containers: { agent: {} } },
    'content',
    'spec.containers is {"agent":{}}; it must be a list',
  ],
  'containers that are names': [
    { ...spec, containers: ['agent'] },
    'content',
    'spec.containers[0] is "agent"; it must be an object',
  ],
  'a container without a name': [
    { ...spec, containers: [{}] },
    'content',
    'spec.containers[0].name is missing; it must be a string',
  ],
  'resources that are a text': [
    withContainer({ resources: 'much' }),
    'content',
    'spec.containers[0].resources is "much"; it must be an object',
  ],
  'variables by name': [
    withContainer({ env: { A: '1' } }),
    'content',
    'spec.containers[0].env is {"A":"1"}; it must be a list',
  ],
  'a variable that is a number': [
    withContainer({ env: [{ name: 'A', value: 5 }] }),
    'content',
    'spec.containers[0].env[0].value is 5; it must be a string',
  ],
  'init containers that are a text': [
    { ...spec, initContainers: 'x' },
    'content',
    'spec.initContainers is "x"; it must be a list',
  ],
};

// Where it is gone, that was a minute ago.
const [active, next] = [replicaSet(1, { conditions: [settingsGone(60)] }), replicaSet(2)];
const nodes = [
  node('l1', { labels: { size: 'large' } }),
  node('l2', { labels: { size: 'large' } }),
  node('m'),
];

/** The pod that the operator made on a node with the setting. */
function madeOn(name: string, by: Setting | undefined): Stored<Pod> {
  const of = nodes.find(({ metadata }) => metadata.name === name) ?? node(name);
  const overrides = podOverrides(active.spec.template, agent('agent:1').metadata, of, by);
  const { metadata } = renderPod({
    object: agent('agent:1'),
    replicaSet: active,
    node: name,
    overrides,
    isCanary: false,
    failures: 0,
  });
  const pod = podOn(name, active);
  const { labels = {}, annotations = {} } = metadata;
  return { ...pod, metadata: { ...pod.metadata, labels, annotations } };
}

const pods = [madeOn('l1', readable), madeOn('l2', readable), madeOn('m', undefined)];

/** As the cache files it: one that names no object is one of others. */
function fleet(
  found: Setting,
  more: Partial<ExtendedDaemonSetSnapshot> & { readonly object?: ReturnType<typeof agent> } = {},
): ExtendedDaemonSetSnapshot {
  const isOwn = unreadableSetting(found)?.unknown !== 'object';
  return snapshotOf({
    nodes,
    pods,
    replicaSets: [active],
    ...(isOwn ? { settings: [found] } : { settingsOfOthers: [found] }),
    ...more,
  });
}

/** The names of the nodes whose pod is deleted. */
function deletedIn(snapshot: ExtendedDaemonSetSnapshot): readonly string[] {
  const steps = plan(snapshot, decide(snapshot, now), now).stages.flatMap((stage) => stage.steps);
  return steps.flatMap((step) => (step.do === 'delete' ? (step.target ?? '') : []));
}

function readyOf(snapshot: ExtendedDaemonSetSnapshot): { readonly reason: string; readonly message: string } {
  const writes = report(snapshot, decide(snapshot, now), { results: [] }, now);
  const { status } = writes.find(({ object }) => object.metadata.name === 'agent') ?? {};
  const { conditions = [] } = status as unknown as {
    readonly conditions?: readonly {
      readonly type: string;
      readonly reason: string;
      readonly message: string;
    }[];
  };
  return conditions.find(({ type }) => type === 'Ready') ?? { reason: '', message: '' };
}

function holdOf({ holds }: ExtendedDaemonSetDecision) {
  return holds.find(({ reason }) => reason === 'SettingUnreadable');
}

it.each(Object.entries(shapes))('%s is unreadable, with the field and what is not known then', (_, row) => {
  const [written, unknown, problem] = row;
  expect(unreadableSetting(stored(written))).toEqual({ unknown, problem });
});

it.each([
  ['as it is applied today', spec],
  ['without what is optional', { reference: { kind: 'ExtendedDaemonset', name: 'agent' }, nodeSelector: {} }],
  ['with amounts that are numbers', setting('s', { cpu: 2 }).spec],
  [
    'with requests above limits, which is a mistake of another sort',
    withContainer({ resources: { requests: { cpu: '2' }, limits: { cpu: '1' } } }),
  ],
])('a setting %s is readable', (_, written) => {
  expect(unreadableSetting(stored(written))).toBeUndefined();
});

it.each([
  ['limits', withContainer({ resources: { limits: null, requests: { cpu: '1' } } })],
  ['requests', withContainer({ resources: { requests: null, limits: { cpu: 1 } } })],
  ['claims', withContainer({ resources: { requests: { cpu: '1' }, claims: null } })],
  ['the value of a variable', withContainer({ env: [{ name: 'A', value: null }] })],
  ['labels', { ...spec, nodeSelector: { matchLabels: null } }],
  ['expressions', { ...spec, nodeSelector: { matchLabels: { size: 'large' }, matchExpressions: null } }],
  ['the selector', { ...spec, nodeSelector: null }],
])('a setting of which null is nothing for Go is applied as in 0.4.0: %s', (_, written) => {
  const found = stored(written);
  expect(unreadableSetting(found)).toBeUndefined();
  const snapshot = fleet(found, { pods: nodes.map(({ metadata: { name } }) => madeOn(name, found)) });
  const { holds, settings } = decide(snapshot, now);
  expect(holds).toEqual([]);
  expect(settings.errors.get(found.metadata.uid)).toBeUndefined();
  expect(settings.byNode.get('l1')).toBe(found);
});

it.each([
  [
    'fields that are not known',
    {
      ...spec,
      more: { x: 1 },
      containers: [{ name: 'agent', image: 5, env: [{ name: 'A', valueFrom: { fieldRef: {} } }] }],
    },
  ],
  ['an empty selector', { ...spec, nodeSelector: {} }],
  ['no list', { ...spec, containers: undefined }],
  [
    'empty lists',
    { ...spec, containers: [], initContainers: [], nodeSelector: { matchLabels: {}, matchExpressions: [] } },
  ],
])('a setting with %s is applied as in 0.4.0', (_, written) => {
  const found = stored(written);
  expect(unreadableSetting(found)).toBeUndefined();
  expect(decide(fleet(found), now).settings.byNode.get('l1')).toBe(found);
});

describe.each(Object.entries(shapes))('a setting that became unreadable: %s', (_, [written, , problem]) => {
  const unreadable = stored(written);

  it('restarts no pod, and the object names it, the field and the nodes', () => {
    expect(deletedIn(fleet(unreadable))).toEqual([]);
    expect(holdOf(decide(fleet(unreadable), now))).toMatchObject({
      targets: ['l1', 'l2'],
      waitsFor: 'person',
      problem: `the ExtendedDaemonsetSetting s cannot be read: ${problem}. Pods stay as they are until that is corrected, or the setting is deleted`,
    });
    expect(readyOf(fleet(unreadable))).toMatchObject({
      reason: 'SettingUnreadable',
      message: expect.stringContaining(problem),
    });
  });

  it('keeps a new template off the pods that it may be for, and off no others', () => {
    const object = agent('agent:2', { status: { activeReplicaSet: 'agent-2' } });
    const snapshot = fleet(unreadable, { object, replicaSets: [active, next] });
    expect(deletedIn(snapshot)).toEqual(['m']);
    expect(holdOf(decide(snapshot, now))?.targets).toEqual(['l1', 'l2']);
  });

  it('is not chosen for a canary where another node can be', () => {
    const canary = { replicas: 1, validationMode: 'manual' } as const;
    const object = agent('agent:2', { strategy: { canary } });
    const snapshot = fleet(unreadable, { object, replicaSets: [active, next] });
    expect(decide(snapshot, now).fleet?.roles.canaryToRecord?.nodes).toEqual(['m']);
  });

  it('does not let an older setting have its nodes, nor those where they were in conflict', () => {
    const older = setting('older', { cpu: '3', age: 500 });
    const { settings, ...rest } = fleet(unreadable);
    expect(deletedIn({ ...rest, settings: [...settings, older] })).toEqual([]);
  });

  it('a newer setting has its nodes all the same', () => {
    const newer = setting('newer', { cpu: '3', age: 5, labels: { size: 'large' } });
    const { settings, ...rest } = fleet(unreadable);
    expect(deletedIn({ ...rest, settings: [...settings, newer] })).toHaveLength(1);
  });

  it('a node without a pod gets one', () => {
    const { fleet: decided } = decide(fleet(unreadable, { pods: pods.slice(1) }), now);
    expect(decided?.active?.created.map(({ target }) => target.id)).toEqual(['l1']);
  });

  it('costs the pods that were made with it when it is deleted', () => {
    const { settings: _own, settingsOfOthers: _others, ...rest } = fleet(unreadable);
    expect(deletedIn({ ...rest, settings: [], settingsOfOthers: [] })).toEqual(['l1']);
  });

  it('gets a status with the field, and is in the cache beside others', () => {
    const cache = new ObjectCache<ExtendedDaemonsetSetting>({ ...caches.extendedDaemonsetSettings });
    const other = setting('z');
    cache.replace([unreadable, other], '5');
    expect(cache.synced).toBe(true);
    expect(cache.by('reference', 'edge/agent')).toContain(other);
    const filed = [...cache.by('reference', 'edge/'), ...cache.by('reference', 'edge/agent')];
    expect(filed).toContainEqual(unreadable);
    const snapshot = { ...snapshotOf({ settings: [unreadable] }), owner: undefined };
    const [status] = report(snapshot, decide(snapshot, now), { results: [] }, now);
    expect(status?.status).toMatchObject({ status: 'error', error: problem });
  });
});

it('whatever a setting has anywhere, no decision fails, and no pod that was made with it is deleted because it cannot be read', () => {
  const places = [
    [],
    ['reference'],
    ['reference', 'name'],
    ['nodeSelector'],
    ['nodeSelector', 'matchLabels'],
    ['nodeSelector', 'matchExpressions'],
    ['containers'],
    ['containers', '0'],
    ['containers', '0', 'name'],
    ['containers', '0', 'resources'],
    ['containers', '0', 'resources', 'requests'],
    ['containers', '0', 'env'],
    ['initContainers'],
  ] as const;
  fc.assert(
    fc.property(fc.constantFrom(...places), fc.jsonValue({ maxDepth: 2 }), (path, value) => {
      const found = stored(put(spec, path, value));
      const snapshot = fleet(found);
      const decision = decide(snapshot, now);
      report(snapshot, decision, { results: [] }, now);
      const deleted = deletedIn(snapshot);
      expect(unreadableSetting(found) === undefined ? [] : deleted).toEqual([]);
    }),
    { numRuns: 500 },
  );
});

/** The value with another one in a place. */
function put(value: unknown, [name, ...rest]: readonly string[], given: unknown): unknown {
  if (name === undefined) return given;
  if (Array.isArray(value))
    return (value as readonly unknown[]).map((each, index) =>
      String(index) === name ? put(each, rest, given) : each,
    );
  return {
    ...(value as object),
    [name]: put((value as Readonly<Record<string, unknown>>)[name], rest, given),
  };
}

it('a pod of a setting that is unreadable for another object alone is no matter of this one', () => {
  const others = stored({ ...spec, reference: { name: 'other' }, containers: 'x' });
  const { settings: _, ...rest } = fleet(others);
  const snapshot = { ...rest, settings: [], settingsOfOthers: [others] };
  expect(holdOf(decide(snapshot, now))).toBeUndefined();
  expect(pods[0]?.metadata.labels?.[extendedDaemonSetLabels.settingName]).toBe('s');
});
