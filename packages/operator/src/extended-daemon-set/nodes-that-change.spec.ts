import { nodeResourcesAnnotation } from '@atoll/api';
import { nodes as nodeResource, type Node, type Pod, type Stored } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import { executionRules } from '../engine/executor/rules.ts';
import { isStillSent } from '../engine/executor/still-sent.fixture.ts';
import { decide } from './decide.ts';
import { agent, ago, node, now, podOn, replicaSet, snapshotOf } from './extended-daemon-set.fixture.ts';
import { plan } from './plan.ts';

const [old, current] = [replicaSet(0), replicaSet(1)];
const maintenance = { key: 'maintenance', effect: 'NoExecute' } as const;
const tainted = node('a', { taints: [maintenance] });

/** Whether the deletion of a pod that does not fit its node is still sent, where the node is found like that directly before. */
function isEnded(seen: Stored<Node>, live: Stored<Node> | undefined): boolean {
  const object = agent('agent:1', {
    selector: { matchExpressions: [{ key: 'left-out', operator: 'DoesNotExist' }] },
  });
  const selecting = replicaSet(1, { selector: object.spec.selector });
  const snapshot = snapshotOf({
    object,
    replicaSets: [selecting],
    nodes: [seen],
    pods: [podOn('a', current)],
  });
  const planned = plan(snapshot, decide(snapshot, now), now);
  const [step] = planned.stages.flatMap(({ steps }) => steps);
  if (step?.do !== 'delete') throw new Error('no deletion is planned');
  const checks = executionRules.checksBeforeStep(step, planned);
  expect(checks.map(({ resource, key }) => [resource, key.name])).toEqual([[nodeResource, 'a']]);
  return checks.every(({ holds }) => holds(live));
}

describe('the deletion of a pod that does not fit its node', () => {
  const leftOut = node('a', { labels: { 'left-out': 'yes' } });

  it('is sent where the node is as it was seen', () => {
    expect(isEnded(tainted, node('a', { taints: [maintenance] }))).toBe(true);
    expect(isEnded(leftOut, node('a', { labels: { 'left-out': 'yes' } }))).toBe(true);
  });

  it.each([
    ['its taint was taken off', tainted, node('a')],
    [
      'its taint lets pods stay by now',
      tainted,
      node('a', { taints: [{ ...maintenance, effect: 'NoSchedule' }] }),
    ],
    ['its label was taken off', leftOut, node('a')],
    ['the node is gone', tainted, undefined],
  ])('is not sent where %s, which the cache has not seen', (_, seen, live) => {
    expect(isEnded(seen, live)).toBe(false);
  });
});

describe('the creation of a pod, which waits for its turn', () => {
  const annotation = { [nodeResourcesAnnotation('edge', 'agent', 'agent')]: '{"requests":{"cpu":"2"}}' };
  const plain = node('a', { labels: { size: 'large' } });

  /** Whether it is still sent, where the node is like that in the cache by then. */
  function isMade(seen: Stored<Node>, found: Stored<Node> | undefined): boolean {
    const snapshot = snapshotOf({ replicaSets: [current], nodes: [seen] });
    return isStillSent(plan(snapshot, decide(snapshot, now), now), 'PodCreated', found, now);
  }

  it('is sent where the node is as it was', () => {
    expect(isMade(plain, node('a', { labels: { size: 'large' } }))).toBe(true);
    expect(isMade(plain, node('a', { labels: { size: 'large' }, annotations: { other: '1' } }))).toBe(true);
  });

  it.each<[string, Stored<Node> | undefined]>([
    ['is gone', undefined],
    ['was excluded', node('a', { labels: { size: 'large', 'left-out': 'yes' } })],
    ['was tainted', node('a', { labels: { size: 'large' }, taints: [{ key: 'own', effect: 'NoSchedule' }] })],
    ['was given other resources', node('a', { labels: { size: 'large' }, annotations: annotation })],
  ])('is not sent where the node %s', (_, found) => {
    expect(isMade(plain, found)).toBe(false);
  });
});

/** Whether the deletion of an outdated pod of node a is still sent, where the node is like that in the cache by then. */
function isReplaced(seen: Stored<Node>, pod: Stored<Pod>, found: Stored<Node> | undefined): boolean {
  const snapshot = snapshotOf({ replicaSets: [old, current], nodes: [seen], pods: [pod] });
  return isStillSent(plan(snapshot, decide(snapshot, now), now), 'PodOutdated', found, now);
}

describe('the deletion of an outdated pod, which waits for its turn', () => {
  const pod = podOn('a', old);
  const plain = node('a', { labels: { size: 'large' } });

  it('is sent where the node is as it was, whatever others wrote into its annotations', () => {
    expect(isReplaced(plain, pod, node('a', { labels: { size: 'large' } }))).toBe(true);
    const noted = node('a', { labels: { size: 'large' }, annotations: { 'network.example/seen': '1' } });
    expect(isReplaced(plain, pod, noted)).toBe(true);
  });

  it.each<[string, Stored<Node> | undefined]>([
    ['gone', undefined],
    ['not Ready', node('a', { labels: { size: 'large' }, awaySince: ago(5) })],
    [
      'tainted so that no pod is made in its place',
      node('a', { labels: { size: 'large' }, taints: [{ key: 'maintenance', effect: 'NoSchedule' }] }),
    ],
    ['labelled in another way', node('a', { labels: { size: 'large', 'left-out': 'yes' } })],
  ])('is not sent where the node is %s by then', (_, found) => {
    expect(isReplaced(plain, pod, found)).toBe(false);
  });

  it('is not sent where the resources that an annotation of the node asked for are taken back', () => {
    const annotation = { [nodeResourcesAnnotation('edge', 'agent', 'agent')]: '{"requests":{"cpu":"2"}}' };
    const asking = node('a', { annotations: annotation });
    const own = podOn('a', current);
    expect(isReplaced(asking, own, node('a', { annotations: annotation }))).toBe(true);
    expect(isReplaced(asking, own, node('a'))).toBe(false);
  });
});
