import type { ExtendedDaemonsetSetting } from '@atoll/api';
import type { CacheEvent, KubeObject, Node, Reader, Stored } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import { agent, ago, node } from './extended-daemon-set.fixture.ts';
import { keysForNode, keysForSetting } from './keys-for-event.ts';

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

  it.each<readonly [string, CacheEvent<ExtendedDaemonsetSetting>, readonly string[]]>([
    ['when it comes', { type: 'added', object: one }, [key]],
    ['when it goes, so that pods lose what it gave them (BUG-11)', { type: 'deleted', object: one }, [key]],
    ['when it changes', changed(one, setting('agent', '2')), [key]],
    ['and the one that it named before', changed(setting('other', '1'), one), ['edge/other', key]],
    ['but not by its own status', changed(one, { ...one, status: { status: 'valid' } }), []],
  ])('%s', (_, event, keys) => {
    expect(keysForSetting(event)).toEqual(keys);
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
