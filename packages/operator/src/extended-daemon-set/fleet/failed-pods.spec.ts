import { extendedDaemonSetAnnotations as annotations } from '@atoll/api';
import type { Pod, Stored } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import { ago, now, podOn, replicaSet } from '../extended-daemon-set.fixture.ts';
import { failuresWith, replaceAt } from './failed-pods.ts';

interface Failed {
  /** What its maker wrote on it. */
  readonly before?: string;
  readonly livedSeconds?: number;
  /** The end by its containers; by its conditions it ended as long ago, where that is not given. */
  readonly finishedAt?: string;
  readonly conditions?: NonNullable<NonNullable<Pod['status']>['conditions']>;
}

/** A pod that failed a minute ago. */
function failed({ before, livedSeconds = 30, finishedAt, conditions }: Failed): Stored<Pod> {
  const pod = podOn('a', replicaSet(1), {
    phase: 'Failed',
    created: ago(60 + livedSeconds),
    annotations: before === undefined ? {} : { [annotations.failedPods]: before },
  });
  const terminated = { exitCode: 1, reason: 'Error', finishedAt: finishedAt ?? ago(60) };
  const containerStatuses = [
    { name: 'agent', image: 'x', imageID: 'x', ready: false, restartCount: 0, state: { terminated } },
  ];
  const found = conditions ?? [{ type: 'Ready', status: 'False', lastTransitionTime: ago(60) }];
  return { ...pod, status: { phase: 'Failed', containerStatuses, conditions: found } };
}

const endedAt = now - 60_000;

describe('a pod that has failed is replaced', () => {
  it.each<[string, string | undefined, number]>([
    ['at once where it is the first', undefined, 0],
    ['after 10 s where one failed before it', '1', 10],
    ['after 20 s where two did', '2', 20],
    ['after 640 s where seven did', '7', 640],
    ['after 15 minutes where eight did', '8', 900],
    ['after 15 minutes however many did', '9999', 900],
    ['at once where its count is no number', '-1', 0],
    ['at once where its count is none that is ever written', '12345', 0],
  ])('%s', (_, before, seconds) => {
    const pod = failed(before === undefined ? {} : { before });
    expect(replaceAt(pod, now) - endedAt).toBe(seconds * 1_000);
  });

  it('at once where it lived for more than 15 minutes, and the count begins anew', () => {
    const long = failed({ before: '5', livedSeconds: 901 });
    expect([failuresWith(long, now), replaceAt(long, now)]).toEqual([1, endedAt]);
    expect(failuresWith(failed({ before: '5', livedSeconds: 900 }), now)).toBe(6);
  });

  it('by the time when it was made where its end lies ahead: the clock of the kubelet is', () => {
    const pod = failed({ before: '1', finishedAt: ago(-86_400) });
    // How long it lived is not known, so it counts as the second, and the waits grow.
    expect(failuresWith(pod, now)).toBe(2);
    expect(replaceAt(pod, now)).toBe(now - 90_000 + 10_000);
  });

  it('after its wait where it was made later than now: where the clock of the operator is behind, all pods are', () => {
    const pod = failed({ before: '5', livedSeconds: -120 });
    expect(replaceAt(pod, now)).toBe(now + 60_000 + 160_000);
  });

  it('by the time when it ceased to be ready where no container has an end, as an evicted one', () => {
    const evicted = failed({ before: '1', finishedAt: '' });
    expect(replaceAt(evicted, now)).toBe(endedAt + 10_000);
    const [other] = [{ type: 'PodScheduled', status: 'True', lastTransitionTime: ago(5) }];
    const unknown = failed({ before: '1', finishedAt: '', conditions: [other] });
    expect(replaceAt(unknown, now)).toBe(now - 90_000 + 10_000);
  });

  it('by the end of its last container where that came after', () => {
    const pod = failed({ before: '1', finishedAt: ago(50) });
    expect(replaceAt(pod, now)).toBe(now - 50_000 + 10_000);
  });
});
