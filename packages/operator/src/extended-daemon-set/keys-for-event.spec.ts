import type { ExtendedDaemonsetSetting } from '@atoll/api';
import type { CacheEvent, KubeObject, Node, Pod, Reader, Stored } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import { caches } from '../caches.ts';
import { agent, ago, filledCache, node, podOn, replicaSet } from './extended-daemon-set.fixture.ts';
import { keysForNode, keysForPod, keysForSetting } from './keys-for-event.ts';

const objects = [agent('agent:1')];
const owners = { list: () => objects } as unknown as Reader<(typeof objects)[number]>;
const key = 'edge/agent';
const resources = 'resources.extendeddaemonset.datadoghq.com/edge.agent.agent';

function changed<T extends KubeObject>(old: Stored<T>, object: Stored<T>): CacheEvent<T> {
  return { type: 'updated', old, object };
}

describe('a node enqueues every object', () => {
  const [plain, away] = [node('a'), node('a', { awaySince: ago(60) })];

  it.each<readonly [string, CacheEvent<Node>]>([
    ['when it comes', { type: 'added', object: plain }],
    ['when it goes', { type: 'deleted', object: plain }],
    ['when it turns ready', changed(away, plain)],
    ['when its labels change, so that settings are judged anew (BUG-11)', changed(plain, labelled('size'))],
    ['when a taint comes', changed(plain, node('a', { taints: [{ key: 'x', effect: 'NoSchedule' }] }))],
    ['when its annotation with resources changes (BUG-11)', changed(plain, annotated(resources))],
  ])('%s', (_, event) => {
    expect(keysForNode(owners, event)).toEqual([key]);
  });

  it.each<readonly [string, Stored<Node>]>([
    ['a heartbeat', { ...plain }],
    ['an annotation that is about something else', annotated('example.com/seen')],
  ])('but not by %s', (_, now) => {
    expect(keysForNode(owners, changed(plain, now))).toEqual([]);
  });

  function labelled(name: string): Stored<Node> {
    return node('a', { labels: { [name]: 'large' } });
  }

  function annotated(name: string): Stored<Node> {
    return node('a', { annotations: { [name]: '{}' } });
  }
});

describe('a setting enqueues the object that it names', () => {
  const one = setting('agent', '1');
  const { spec: _, ...withoutSpec } = one;
  const bare = withoutSpec as typeof one;

  it.each<readonly [string, CacheEvent<ExtendedDaemonsetSetting>, readonly string[]]>([
    ['when it comes', { type: 'added', object: one }, [key]],
    ['when it goes, so that pods lose what it gave them (BUG-11)', { type: 'deleted', object: one }, [key]],
    ['when it changes', changed(one, setting('agent', '2')), [key]],
    ['and the one that it named before', changed(setting('other', '1'), one), ['edge/other', key]],
    [
      'where no object can be read in it, all of its namespace',
      { type: 'deleted', object: bare },
      ['edge/', key],
    ],
    ['and where one can be read now', changed(bare, setting('other', '1')), ['edge/', key, 'edge/other']],
    ['but not by its own status', changed(one, { ...one, status: { status: 'valid' } }), []],
  ])('%s', (_, event, keys) => {
    expect(keysForSetting(owners, event)).toEqual(keys);
  });

  function setting(name: string, cpu: string): Stored<ExtendedDaemonsetSetting> {
    return {
      metadata: {
        name: 's',
        namespace: 'edge',
        uid: 'uid-s',
        resourceVersion: '1',
        creationTimestamp: ago(100),
      },
      spec: {
        reference: { kind: 'ExtendedDaemonset', name },
        nodeSelector: {},
        containers: [{ name: 'agent', resources: { requests: { cpu } } }],
      },
    };
  }
});

describe('a pod that is not placed enqueues its object', () => {
  const active = replicaSet(1);
  const replicaSets = filledCache(caches.extendedDaemonSetReplicaSets, [active]);
  const extendedDaemonSets = filledCache(caches.extendedDaemonSets, objects);
  const unfit =
    '0/3 nodes are available: 1 Insufficient cpu, 2 node(s) did not match. preemption: 0/3 nodes are available: 3 No victims.';

  it.each<readonly [string, Stored<Pod>, Stored<Pod>]>([
    ['when its gates are taken off', gated(), unplaced(unfit)],
    ['when the scheduler names another cause', unplaced(unfit), unplaced(unfit.replace('cpu', 'memory'))],
    ['when the scheduler names one', unplaced(''), unplaced(unfit)],
  ])('%s', (_, old, pod) => {
    expect(keysForPod(extendedDaemonSets, replicaSets, changed(old, pod))).toEqual([key]);
  });

  it.each<readonly [string, string]>([
    ['the numbers of nodes alone', unfit.replaceAll('/3', '/5000').replace('2 node(s)', '4999 node(s)')],
    ['what is said of preemption', unfit.replace('No victims', 'Preemption is not helpful')],
  ])('but not by %s', (_, message) => {
    expect(keysForPod(extendedDaemonSets, replicaSets, changed(unplaced(unfit), unplaced(message)))).toEqual(
      [],
    );
  });

  function unplaced(message: string, reason = 'Unschedulable'): Stored<Pod> {
    const pod = podOn('a', active, { bound: false, ready: false, phase: 'Pending', created: ago(1200) });
    const scheduled = {
      type: 'PodScheduled',
      status: 'False',
      reason,
      message,
      lastTransitionTime: ago(1100),
    };
    return { ...pod, status: { phase: 'Pending', conditions: [scheduled] } };
  }

  function gated(): Stored<Pod> {
    const pod = unplaced('Scheduling is blocked', 'SchedulingGated');
    return {
      ...pod,
      spec: { containers: [], ...pod.spec, schedulingGates: [{ name: 'example.com/quota' }] },
    };
  }
});
