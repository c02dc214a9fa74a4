import { nodes as nodeResource, type Node, type Stored } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import { executionRules } from '../engine/executor/rules.ts';
import { decide } from './decide.ts';
import { agent, node, now, podOn, replicaSet, snapshotOf } from './extended-daemon-set.fixture.ts';
import { plan } from './plan.ts';

const current = replicaSet(1);
const maintenance = { key: 'maintenance', effect: 'NoExecute' } as const;
const tainted = node('a', { taints: [maintenance] });

/** Whether the deletion of a pod that does not fit its node is still sent, where the node is found like that directly before. */
function isEnded(seen: Stored<Node>, live: Stored<Node> | undefined): boolean {
  const object = agent('agent:1', { selector: { matchExpressions: [{ key: 'left-out', operator: 'DoesNotExist' }] } });
  const selecting = replicaSet(1, { selector: object.spec.selector });
  const snapshot = snapshotOf({ object, replicaSets: [selecting], nodes: [seen], pods: [podOn('a', current)] });
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
    ['its taint lets pods stay by now', tainted, node('a', { taints: [{ ...maintenance, effect: 'NoSchedule' }] })],
    ['its label was taken off', leftOut, node('a')],
    ['the node is gone', tainted, undefined],
  ])('is not sent where %s, which the cache has not seen', (_, seen, live) => {
    expect(isEnded(seen, live)).toBe(false);
  });
});
