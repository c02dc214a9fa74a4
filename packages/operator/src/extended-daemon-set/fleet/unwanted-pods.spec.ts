import { expect, test } from 'vitest';
import { podOn, replicaSet } from '../extended-daemon-set.fixture.ts';
import { podsByNode } from './pods-by-node.ts';
import { unwantedPods } from './unwanted-pods.ts';

test('of a node that is gone only the pods go that wait for it: what is bound is left to Kubernetes', () => {
  const set = replicaSet(1);
  const pods = [podOn('a', set), podOn('b', set, { bound: false })];
  const unwanted = unwantedPods(podsByNode(pods), () => undefined);
  expect(unwanted.map(({ node, because }) => [node, because])).toEqual([['b', 'node-gone']]);
});
