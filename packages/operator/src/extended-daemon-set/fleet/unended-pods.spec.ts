import { describe, expect, it } from 'vitest';
import { decide } from '../decide.ts';
import { ago, node, now, nodesNamed, podOn, replicaSet, snapshotOf } from '../extended-daemon-set.fixture.ts';

const active = replicaSet(1);

function ending(name: string, seconds: number, finalizers: readonly string[] = []) {
  const pod = podOn(name, active, { ending: true });
  const metadata = { ...pod.metadata, deletionTimestamp: ago(seconds) };
  return { ...pod, metadata: { ...metadata, ...(finalizers.length === 0 ? {} : { finalizers }) } };
}

function holdsWith(pod: ReturnType<typeof ending>, nodes = nodesNamed('a', 'b')) {
  const pods = [pod, podOn('b', active)];
  return decide(snapshotOf({ replicaSets: [active], nodes, pods }), now).holds.map(({ reason, problem }) => [
    reason,
    problem,
  ]);
}

describe('a pod that does not end', () => {
  it('is named with why, when that lasts for its grace period again', () => {
    expect(holdsWith(ending('a', 4 * 3600))[0]).toEqual([
      'PodTerminating',
      'pod agent-1-a: should be gone, but the kubelet of node a has not confirmed that it ended',
    ]);
    expect(holdsWith(ending('a', 4 * 3600, ['example.com/backup']))[0]).toEqual([
      'PodTerminating',
      'pod agent-1-a: should be gone, but the finalizers example.com/backup are still there',
    ]);
  });

  it('is only waited for before that, and on a node that is away', () => {
    expect(holdsWith(ending('a', 20)).map(([reason]) => reason)).toEqual(['BeingDeleted']);
    const away = [node('a', { awaySince: ago(4 * 3600) }), node('b')];
    expect(holdsWith(ending('a', 4 * 3600), away).map(([reason]) => reason)).not.toContain('PodTerminating');
  });
});
