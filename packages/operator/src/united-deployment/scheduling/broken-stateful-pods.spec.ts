import { describe, expect, it } from 'vitest';
import { brokenStatefulPods, partitionOfOnDelete, type StatefulPods } from './broken-stateful-pods.ts';
import { after, now, podOf, type PodTraits } from './pods.fixture.ts';

const old = { revision: 'v1', state: 'unready', age: 60 } as const;

function broken(pods: readonly PodTraits[], given: Partial<StatefulPods> = {}) {
  const judged = pods.map((traits, i) => podOf({ name: `web-a-${i}`, ...traits }));
  const { pods: found, lookAgainAt } = brokenStatefulPods(
    { pods: judged, partition: 0, revision: 'v2', patienceMs: 30_000, ...given },
    now,
  );
  return { ordinals: found.map(({ metadata }) => Number(metadata.name.at(-1))), lookAgainAt };
}

describe('pods of a StatefulSet that hold up an update', () => {
  it('N8: with partition 4 and five old pods that are not ready, are the one with ordinal 4', () => {
    expect(broken([old, old, old, old, old], { partition: 4 })).toEqual({
      ordinals: [4],
      lookAgainAt: undefined,
    });
  });

  it('are told from the highest ordinal down, as a StatefulSet updates', () => {
    expect(broken([old, old, old], { partition: 1 }).ordinals).toEqual([2, 1]);
  });

  it('are not those that are only slow', () => {
    const slow = { ...old, age: 20 };
    expect(broken([slow])).toEqual({ ordinals: [], lookAgainAt: after(10) });
    expect(broken([{ ...old, age: 900, since: 20 }])).toEqual({ ordinals: [], lookAgainAt: after(10) });
  });

  it.each<readonly [string, PodTraits]>([
    ['ready', { ...old, state: 'ready' }],
    ['of the wanted revision', { ...old, revision: 'v2' }],
    ['going already', { ...old, terminating: true }],
    ['of another name', { ...old, name: 'web-a-x' }],
  ])('are not those that are %s', (_says, traits) => {
    expect(broken([traits])).toEqual({ ordinals: [], lookAgainAt: undefined });
  });

  it('are also those that never found a node', () => {
    expect(broken([{ ...old, state: 'unschedulable' }]).ordinals).toEqual([0]);
  });
});

it.each([
  [['v1', 'v2', 'v2'], 1],
  [['v1', 'v1', 'v2'], 2],
  [['v2', 'v1', 'v2', 'v2'], 1],
  [['v1', 'v1', 'v1'], 3],
  [['v1', '', 'v2', 'v3'], 3],
])('N7: with OnDelete, of pods with revisions %j %d are held back', (revisions, partition) => {
  const pods = revisions.map((revision, i) => podOf({ name: `web-a-${i}`, state: 'ready', revision }));
  expect(partitionOfOnDelete(pods, 'v2')).toBe(partition);
});
