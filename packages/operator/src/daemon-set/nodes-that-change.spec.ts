import { daemonSetUpdate } from '@atoll/api';
import type { Node, Stored } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import { isStillSent } from '../engine/executor/still-sent.fixture.ts';
import { node, now, podOn, snapshotOf } from './daemon-set.fixture.ts';
import { decide } from './decide.ts';
import { plan } from './plan.ts';

const away = new Date(now).toISOString();

/** Whether the deletion that is planned for node a is still sent, where the node is like that by then. */
function isSent(found: Stored<Node> | undefined): boolean {
  const snapshot = snapshotOf({ nodes: [node('a', { labels: { zone: 'x' } })], pods: [podOn('a')] });
  return isStillSent(plan(snapshot, decide(snapshot, now), now), 'PodOutdated', found, now);
}

describe('a deletion that waits for its turn', () => {
  it('is sent where the node is as it was', () => {
    expect(isSent(node('a', { labels: { zone: 'x' } }))).toBe(true);
  });

  it.each<[string, Stored<Node> | undefined]>([
    ['gone', undefined],
    ['not Ready', node('a', { labels: { zone: 'x' }, awaySince: away })],
    ['excluded', node('a', { labels: { zone: 'x', [daemonSetUpdate.nodeLabels.excluded]: 'true' } })],
    [
      'one for which the DaemonSet controller makes no pod',
      node('a', { labels: { zone: 'x' }, taints: [{ key: 'maintenance', effect: 'NoSchedule' }] }),
    ],
  ])('is not sent where the node is %s by then', (_, found) => {
    expect(isSent(found)).toBe(false);
  });
});
