import { daemonSetUpdate } from '@atoll/api';
import type { Stored, Pod } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import {
  agent,
  node,
  now,
  podOn,
  recorded,
  snapshotOf,
  upgraded,
  type PodShape,
} from '../daemon-set.fixture.ts';
import { decide } from '../decide.ts';

const { annotations } = daemonSetUpdate;
const hour = 3_600_000;

function ending(ago: number, shape: PodShape = {}, finalizers?: readonly string[]): Stored<Pod> {
  const pod = podOn('a', shape);
  const deletionTimestamp = new Date(now - ago).toISOString();
  const metadata = {
    ...pod.metadata,
    deletionTimestamp,
    ...(finalizers === undefined ? {} : { finalizers }),
  };
  return { ...pod, metadata };
}

function decided(
  pod: Stored<Pod>,
  { strategy = 'AdvancedRollingUpdate', nodes = [node('a'), node('b')] } = {},
) {
  const object = recorded(agent({ [annotations.updateStrategy]: strategy }));
  return decide(snapshotOf({ object, nodes, pods: [pod, podOn('b')] }), now);
}

describe('a pod that does not end on a node that is there', () => {
  it.each(['AdvancedRollingUpdate', 'OTA'])(
    'is named with why before all that only waits: %s',
    (strategy) => {
      const found = decided(ending(hour), { strategy }).holds.map(({ reason, targets, problem }) => [
        reason,
        targets,
        problem,
      ]);
      expect(found[0]).toEqual([
        'PodTerminating',
        ['a'],
        'pod agent-a-old: should be gone, but the kubelet of node a has not confirmed that it ended',
      ]);
    },
  );

  it('is named with the finalizers that keep it, also where it is of the current template', () => {
    const { holds } = decided(ending(hour, upgraded, ['example.com/backup']));
    expect(holds[0]).toMatchObject({
      reason: 'PodTerminating',
      problem: 'pod agent-a-new: should be gone, but the finalizers example.com/backup are still there',
    });
  });

  it('is only waited for before that, and looked at again then', () => {
    const { holds, requeueAt } = decided(ending(20_000));
    expect(holds.map(({ reason }) => reason)).not.toContain('PodTerminating');
    expect(requeueAt).toBe(now + 10_000);
  });

  it.each(['AdvancedRollingUpdate', 'OTA'])('waits for its node, where that is away: %s', (strategy) => {
    const awaySince = new Date(now - hour).toISOString();
    const nodes = [node('a', { awaySince }), node('b')];
    const { holds } = decided(ending(hour), { strategy, nodes });
    expect(holds.find(({ targets }) => targets.includes('a'))).toMatchObject({
      reason: 'NodeNotReady',
      waitingUntil: 'the node is Ready again',
    });
    expect(holds.map(({ reason }) => reason)).not.toContain('PodTerminating');
  });
});
