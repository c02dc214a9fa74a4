import { expect, it, test } from 'vitest';
import { podOn, replicaSet } from '../extended-daemon-set.fixture.ts';
import { podsByNode } from './pods-by-node.ts';
import { unwantedPods } from './unwanted-pods.ts';

const set = replicaSet(1);

test('of a node that is gone only the pods go that wait for it: what is bound is left to Kubernetes', () => {
  const pods = [podOn('a', set), podOn('b', set, { bound: false })];
  const unwanted = unwantedPods(podsByNode(pods), () => undefined);
  expect(unwanted.map(({ node, because }) => [node, because])).toEqual([['b', 'node-gone']]);
});

const pods = podsByNode([
  podOn('a', set, { name: 'kept' }),
  podOn('a', set, { name: 'second' }),
  podOn('a', set, { name: 'failed', phase: 'Failed' }),
  podOn('a', set, { name: 'ending', ending: true }),
]);

it.each(['eligible', 'away', 'tainted'] as const)(
  'of a node that is %s only duplicates go',
  (eligibility) => {
    const unwanted = unwantedPods(pods, () => eligibility);
    expect(unwanted.map(({ pod, because }) => [pod.metadata.name, because])).toEqual([
      ['second', 'duplicate'],
      ['failed', 'duplicate'],
    ]);
  },
);

it('of a node that does not fit all go that are not being deleted yet', () => {
  const unwanted = unwantedPods(pods, () => 'unfit');
  const all = ['kept', 'second', 'failed'].map((name) => [name, 'unfit']);
  expect(unwanted.map(({ pod, because }) => [pod.metadata.name, because])).toEqual(all);
});
