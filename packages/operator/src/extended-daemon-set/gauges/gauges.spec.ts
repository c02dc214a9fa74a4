import type { CanaryStrategy, ExtendedDaemonSet, ExtendedDaemonSetReplicaSet } from '@atoll/api';
import { gaugesText, type KubeObject, type ObjectKey, type Reader, type Stored } from '@atoll/kube';
import { expect, test } from 'vitest';
import type { GaugeSources } from '../../definitions/kind-definition.ts';
import { kindDefinitions } from '../../definitions/kind-definitions.ts';
import { kindGauges } from '../../definitions/kind-gauges.ts';
import { agent, ago, replicaSet } from '../extended-daemon-set.fixture.ts';
import { gaugesOf } from './gauges.ts';
import { labelsOf } from './label-gauges.ts';

type ReplicaSet = Stored<ExtendedDaemonSetReplicaSet>;

function readerOf<T extends KubeObject>(objects: readonly Stored<T>[], synced: boolean): Reader<T> {
  const get = ({ name }: ObjectKey) => objects.find(({ metadata }) => metadata.name === name);
  return { synced, list: () => objects, get } as unknown as Reader<T>;
}

function pages(
  world: {
    readonly objects?: readonly Stored<ExtendedDaemonSet>[];
    readonly replicaSets?: readonly ReplicaSet[];
  },
  sources: Partial<GaugeSources> & { readonly synced?: boolean } = {},
): { readonly metrics: string; readonly ksmetrics: string } {
  const { synced = true, isLeader = () => true, objectDefaults = { canaryValidationMode: 'auto' } } = sources;
  const readers = {
    extendedDaemonSets: readerOf<ExtendedDaemonSet>(world.objects ?? [], synced),
    extendedDaemonSetReplicaSets: readerOf<ExtendedDaemonSetReplicaSet>(world.replicaSets ?? [], synced),
  };
  const of = gaugesOf(readers, { isLeader, objectDefaults });
  const [metrics = '', ksmetrics = ''] = ['metrics', 'ksmetrics'].map((page) =>
    gaugesText(of.get(page)?.() ?? []),
  );
  return { metrics, ksmetrics };
}

/** Without the lines that describe a gauge. */
function samples(text: string): readonly string[] {
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

const created = Date.parse('2026-01-01T00:00:00Z') / 1000;

test('an object and its replica sets in mid canary, with the values of all labels (BUG-22)', () => {
  const status = {
    desired: 10,
    current: 9,
    ready: 8,
    available: 7,
    upToDate: 2,
    ignoredUnresponsiveNodes: 1,
    state: 'Canary',
    canary: { replicaSet: 'agent-2', nodes: ['n1', 'n2'] },
  };
  const found = agent('agent:2', { status });
  const object = {
    ...found,
    metadata: { ...found.metadata, labels: { 'app.kubernetes.io/name': 'agent', team: 'edge' } },
  };
  const counts = { desired: 2, current: 2, ready: 1, available: 1, ignoredUnresponsiveNodes: 1 };
  const tried: ReplicaSet = { ...replicaSet(2), status: { ...counts, status: 'canary' } };
  expect(samples(pages({ objects: [object], replicaSets: [tried] }).ksmetrics)).toEqual([
    'eds_labels{namespace="edge",name="agent",app_kubernetes_io_name="agent",team="edge"} 1',
    `eds_created{namespace="edge",name="agent"} ${created}`,
    'eds_status_desired{namespace="edge",name="agent"} 10',
    'eds_status_current{namespace="edge",name="agent"} 9',
    'eds_status_ready{namespace="edge",name="agent"} 8',
    'eds_status_available{namespace="edge",name="agent"} 7',
    'eds_status_uptodate{namespace="edge",name="agent"} 2',
    'eds_status_ignored_unresponsive_nodes{namespace="edge",name="agent"} 1',
    'eds_status_canary_activated{namespace="edge",name="agent",replicaset="agent-2"} 1',
    'eds_status_canary_paused{namespace="edge",name="agent",replicaset="agent-2"} 0',
    'eds_status_canary_node_number{namespace="edge",name="agent"} 2',
    'eds_status_rolling_update_paused{namespace="edge",name="agent"} 0',
    'eds_status_rollout_frozen{namespace="edge",name="agent"} 0',
    'ers_labels{namespace="edge",name="agent-2"} 1',
    `ers_created{namespace="edge",name="agent-2"} ${created}`,
    'ers_status_desired{namespace="edge",name="agent-2"} 2',
    'ers_status_current{namespace="edge",name="agent-2",status="canary"} 2',
    'ers_status_ready{namespace="edge",name="agent-2"} 1',
    'ers_status_available{namespace="edge",name="agent-2"} 1',
    'ers_status_ignored_unresponsive_nodes{namespace="edge",name="agent-2"} 1',
    'ers_status_canary_failed{namespace="edge",name="agent-2"} 0',
    'eds_controller_leader{leader="true"} 1',
  ]);
});

const paused = (status: string, reason: string) => ({
  conditions: [{ type: 'Canary-Paused', status, reason }],
});
const canary = { replicaSet: 'agent-2', nodes: [] };

test.each<[string, Parameters<typeof agent>[1], readonly string[]]>([
  [
    'a paused canary, with a reason of any text',
    { status: { canary, ...paused('True', 'said "no"\n') } },
    [
      'eds_status_canary_activated{namespace="edge",name="agent",replicaset="agent-2"} 1',
      'eds_status_canary_paused{namespace="edge",name="agent",replicaset="agent-2",paused_reason="said \\"no\\"\\n"} 1',
      'eds_status_canary_node_number{namespace="edge",name="agent"} 0',
    ],
  ],
  [
    'a canary that goes on: its condition keeps the reason',
    { status: { canary, ...paused('False', 'OOMKilled') } },
    ['eds_status_canary_paused{namespace="edge",name="agent",replicaset="agent-2"} 0'],
  ],
  [
    'no canary, and a condition that was left behind',
    { status: { ...paused('True', 'OOMKilled') } },
    [
      'eds_status_canary_activated{namespace="edge",name="agent",replicaset=""} 0',
      'eds_status_canary_paused{namespace="edge",name="agent"} 0',
    ],
  ],
  [
    'a rolling update that is paused',
    { status: { state: 'RollingUpdate Paused' } },
    ['eds_status_rolling_update_paused{namespace="edge",name="agent"} 1'],
  ],
  [
    'a rollout that is frozen',
    { status: { state: 'Rollout frozen' } },
    ['eds_status_rollout_frozen{namespace="edge",name="agent"} 1'],
  ],
])('%s', (_, over, expected) => {
  const found = samples(pages({ objects: [agent('agent:2', over)] }).ksmetrics);
  expect(found).toEqual(expect.arrayContaining([...expected]));
});

test('an object without a status counts nothing', () => {
  const { status: _, ...object } = agent('agent:1');
  const found = samples(pages({ objects: [object] }).ksmetrics);
  expect(found).toHaveLength(14);
  expect(found.slice(2, -1).every((line) => line.endsWith(' 0'))).toBe(true);
});

test.each<[string, object]>([
  ['conditions that are a text', { canary, conditions: 'abc' }],
  [
    'a reason that is a number',
    { canary, conditions: [{ type: 'Canary-Paused', status: 'True', reason: 3 }] },
  ],
  ['counts that are texts', { desired: 'abc', current: {}, activeReplicaSet: 'agent-2' }],
  ['names that are none', { activeReplicaSet: 3, canary: { replicaSet: 3, nodes: 3 } }],
  ['a role that is a number', { status: 3 }],
])('an object with %s in its status hides those of no other', (_, status) => {
  const strange = agent('agent:2', { status });
  const tried = { ...replicaSet(2), status: status as never };
  const well = {
    ...agent('agent:2', { status: { desired: 10 } }),
    metadata: { ...strange.metadata, name: 'well' },
  };
  const found = pages({ objects: [strange, well], replicaSets: [tried] });
  expect(samples(found.ksmetrics)).toContain('eds_status_desired{namespace="edge",name="well"} 10');
  const text = samples(found.metrics + found.ksmetrics);
  expect(text.filter((line) => !/^[a-z_]+{[^}]*} \d+$/.test(line))).toEqual([]);
});

test('a replica set that failed as a canary', () => {
  const failed = { type: 'Canary-Failed', status: 'True', lastTransitionTime: ago(0) };
  const found = samples(pages({ replicaSets: [replicaSet(2, { conditions: [failed] })] }).ksmetrics);
  expect(found).toContain('ers_status_canary_failed{namespace="edge",name="agent-2"} 1');
});

/**
 * An object whose ten nodes run pods: of the template before, of the active one, and of the canary. Of those of the template before `olderDown` are
 * not available, and of the active one as many as are left.
 */
function rolling(
  counts: {
    readonly older: number;
    readonly active: number;
    readonly available: number;
    readonly tried?: number;
    readonly triedAvailable?: number;
    readonly ignored?: number;
    readonly olderDown?: number;
  },
  over: {
    readonly maxUnavailable?: number | string;
    readonly maxPodSchedulerFailure?: number | string;
    readonly canary?: CanaryStrategy;
    readonly state?: string;
  } = {},
) {
  const { older, active, available, tried = 0, triedAvailable = 0, ignored = 0, olderDown = 0 } = counts;
  const { maxUnavailable = 2, maxPodSchedulerFailure = 0, state = 'Running', canary: trying } = over;
  const sums = { desired: 10, current: older + active + tried, ready: available, available };
  const canary = tried === 0 ? {} : { canary: { replicaSet: 'agent-3', nodes: [] } };
  const status = { ...sums, state, activeReplicaSet: 'agent-2', ...canary };
  const strategy = {
    rollingUpdate: { maxUnavailable, maxPodSchedulerFailure },
    ...(trying === undefined ? {} : { canary: trying }),
  };
  const of = (revision: number, found: object): ReplicaSet => {
    const made = replicaSet(revision, {});
    return { ...made, status: { ...made.status, ignoredUnresponsiveNodes: 0, ready: 0, ...found } as never };
  };
  const replicaSets = [
    of(2, {
      desired: 10 - tried,
      current: active,
      available: available - triedAvailable - (older - olderDown),
      ignoredUnresponsiveNodes: ignored,
    }),
    of(3, { desired: tried, current: tried, available: triedAvailable }),
  ];
  return { objects: [agent('agent:2', { strategy, status })], replicaSets };
}

test.each<[string, Parameters<typeof rolling>, number]>([
  ['as many are down as may be, and older ones are left', [{ older: 7, active: 3, available: 8 }], 1],
  ['one more may be taken down', [{ older: 7, active: 3, available: 9 }], 0],
  ['none is left', [{ older: 0, active: 10, available: 8 }], 0],
  ['nodes without a pod are down', [{ older: 7, active: 1, available: 8 }], 1],
  ['a percentage, rounded up', [{ older: 7, active: 3, available: 8 }, { maxUnavailable: '15%' }], 1],
  ['a percentage, and one more', [{ older: 7, active: 3, available: 8 }, { maxUnavailable: '21%' }], 0],
  [
    'one of them is tolerated',
    [{ older: 7, active: 3, available: 8, ignored: 1 }, { maxPodSchedulerFailure: 1 }],
    0,
  ],
  ['one of them is not tolerated', [{ older: 7, active: 3, available: 8, ignored: 1 }], 1],
  [
    'one is tolerated, and as many others are down as may be',
    [{ older: 7, active: 3, available: 7, ignored: 2 }, { maxPodSchedulerFailure: '10%' }],
    1,
  ],
  ['only the canary is down', [{ older: 6, active: 2, available: 8, tried: 2 }], 0],
  ['besides the canary', [{ older: 6, active: 2, available: 8, tried: 2, triedAvailable: 2 }], 1],
  [
    'older ones are down, as on nodes that are away',
    [{ older: 7, active: 3, available: 8, olderDown: 2 }],
    0,
  ],
  ['all older ones that are left are down', [{ older: 2, active: 8, available: 8, olderDown: 2 }], 0],
  [
    'as many others are down as may be, and older ones besides',
    [{ older: 7, active: 3, available: 6, olderDown: 2 }],
    1,
  ],
  ['paused', [{ older: 7, active: 3, available: 8 }, { state: 'RollingUpdate Paused' }], 0],
  ['frozen', [{ older: 7, active: 3, available: 8 }, { state: 'Rollout frozen' }], 0],
])('whether a rolling update is stuck: %s', (_, given, expected) => {
  expect(samples(pages(rolling(...given)).metrics)).toContain(
    `ers_rolling_update_stuck{name="agent-2",namespace="edge"} ${expected}`,
  );
});

test('a strategy that holds in the mode of the operator alone is read with it', () => {
  const canary = { autoFail: { canaryTimeout: '5m' } };
  const world = rolling({ older: 7, active: 3, available: 9 }, { canary });
  const { metrics } = pages(world, { objectDefaults: { canaryValidationMode: 'manual' } });
  expect(samples(metrics)).toContain('ers_rolling_update_stuck{name="agent-2",namespace="edge"} 0');
});

test('an object without an active replica set is not stuck, and a replica that does not lead reports it', () => {
  const objects = [agent('agent:1', { status: { activeReplicaSet: '' } })];
  const standby = pages({ objects }, { isLeader: () => false });
  expect(samples(standby.metrics)).toEqual(['eds_controller_leader{leader="false"} 1']);
  expect(samples(standby.ksmetrics)).toContain('eds_status_desired{namespace="edge",name="agent"} 0');
});

test('nothing is shown of caches that are not filled yet', () => {
  const { metrics, ksmetrics } = pages({ objects: [agent('agent:1')] }, { synced: false });
  expect(samples(metrics)).toEqual(['eds_controller_leader{leader="true"} 1']);
  expect(samples(ksmetrics)).toEqual(['eds_controller_leader{leader="true"} 1']);
});

test('labels that become the same name, that of the subject, or none that Prometheus reads, are distinguished', () => {
  const labels = { 'a.b': '1', a_b: '2', 'a/b': '3', a_b_conflict1: '4', name: '5', '0x': '6' };
  const object = { ...agent('agent:1'), metadata: { ...agent('agent:1').metadata, labels } };
  expect(labelsOf(object)).toEqual({
    namespace: 'edge',
    name: 'agent',
    _0x: '6',
    a_b: '1',
    a_b_conflict1: '3',
    a_b_conflict2: '2',
    a_b_conflict1_conflict1: '4',
    name_conflict1: '5',
  });
});

test('a kind that is switched off has no metrics', () => {
  const off = kindDefinitions.filter(({ name }) => name !== 'extended-daemon-set');
  const sources: GaugeSources = {
    isLeader: () => true,
    objectDefaults: { canaryValidationMode: 'auto' },
  };
  expect([...kindGauges(off, {} as never, sources).keys()]).toEqual(['metrics']);
  expect([...kindGauges(kindDefinitions, {} as never, sources).keys()]).toEqual(['metrics', 'ksmetrics']);
});
