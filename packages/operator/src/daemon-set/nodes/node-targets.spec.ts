import type { Node, Pod, Stored } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import { agent, latest, node, now, podOn, upgraded } from '../daemon-set.fixture.ts';
import { nodeTargets } from './node-targets.ts';

const earlier = '2026-01-01T00:00:00Z';

function targetsOf(
  pods: readonly Stored<Pod>[],
  nodes: readonly Stored<Node>[] = [node('a')],
  object = agent(),
) {
  return nodeTargets(object, pods, nodes, latest, now);
}

/** What runs on node `a`. */
function seenOn(pods: readonly Stored<Pod>[], nodes?: readonly Stored<Node>[]) {
  const [found] = targetsOf(pods, nodes);
  return { at: found?.target.at, health: found?.target.health, pod: found?.pod?.metadata.name };
}

const old = podOn('a');
const withPhase = (phase: string): Stored<Pod> => ({ ...old, status: { ...old.status, phase } });

describe('the nodes of a DaemonSet', () => {
  it('are in their order, with the zone where they have one', () => {
    const placed = { 'topology.kubernetes.io/zone': 'z' };
    const found = targetsOf([], [node('b', { labels: placed }), node('a')]);
    expect(found.map(({ target: { id, zone } }) => ({ id, zone }))).toEqual([
      { id: 'b', zone: 'z' },
      { id: 'a', zone: undefined },
    ]);
    expect(found.map(({ target }) => 'zone' in target)).toEqual([true, false]);
  });

  it('are none that are being deleted', () => {
    const b = node('b');
    const going = { ...b, metadata: { ...b.metadata, deletionTimestamp: earlier } };
    expect(targetsOf([], [going, node('c')]).map(({ target }) => target.id)).toEqual(['c']);
  });

  it('are those that their absence alone keeps pods off, and none with a taint of another kind', () => {
    const away = node('a', { awaySince: earlier });
    const tainted: Stored<Node> = {
      ...node('b'),
      spec: { taints: [{ key: 'example.com/gpu', effect: 'NoSchedule' }] },
    };
    expect(targetsOf([], [away, tainted]).map(({ target }) => target.id)).toEqual(['a']);
  });
});

describe('what runs on a node', () => {
  it.each<[string, readonly Stored<Pod>[], ReturnType<typeof seenOn>]>([
    ['is nothing without a pod', [], { at: 'nothing', health: 'gone', pod: undefined }],
    ['is its pod', [old], { at: { revision: 'old' }, health: 'healthy', pod: 'agent-a-old' }],
    [
      'is the pod that stays, beside one that is ending',
      [podOn('a', { ending: true }), podOn('a', upgraded)],
      { at: { revision: 'new' }, health: 'healthy', pod: 'agent-a-new' },
    ],
    [
      'is a pod that is ending, and none that may be deleted',
      [podOn('a', { ending: true })],
      { at: { revision: 'old' }, health: 'gone', pod: undefined },
    ],
    [
      'has ended where its pod succeeded',
      [withPhase('Succeeded')],
      { at: { revision: 'old' }, health: 'gone', pod: undefined },
    ],
    [
      'has ended where its pod failed',
      [withPhase('Failed')],
      { at: { revision: 'old' }, health: 'gone', pod: undefined },
    ],
    [
      'is left to the DaemonSet controller where there are two pods',
      [old, podOn('a', upgraded)],
      { at: { revision: 'new' }, health: 'starting', pod: undefined },
    ],
    [
      'has an unknown revision without the label',
      [{ ...old, metadata: { ...old.metadata, labels: {} } }],
      { at: { revision: 'unknown' }, health: 'healthy', pod: 'agent-a-old' },
    ],
  ])('%s', (_, pods, expected) => {
    expect(seenOn(pods)).toEqual(expected);
  });

  it('is available once it was Ready for minReadySeconds', () => {
    const since = new Date(now - 10_000).toISOString();
    const asks = agent({}, { minReadySeconds: 30 });
    const [found] = targetsOf([podOn('a', { ...upgraded, since })], undefined, asks);
    expect([found?.target.health, found?.availableAt]).toEqual(['starting', now + 20_000]);
    const [without] = targetsOf([podOn('a', { ...upgraded, since })]);
    expect([without?.target.health, without && 'availableAt' in without]).toEqual(['healthy', false]);
  });

  it('is healthy where it is old and its node went away, and stays what it was where it is of the new template', () => {
    const nodes = [node('a', { awaySince: new Date(now - 60_000).toISOString() })];
    const since = new Date(now - 60_000).toISOString();
    expect(seenOn([podOn('a', { ready: false, since })], nodes).health).toBe('healthy');
    const neverReady = podOn('a', { ...upgraded, ready: false });
    expect(seenOn([neverReady], nodes).health).toBe('starting');
  });
});
