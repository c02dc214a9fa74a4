import { daemonSetUpdate } from '@atoll/api';
import { nodes as nodeResource } from '@atoll/kube';
import type { KubeObject, Node, Stored } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import { executionRules } from '../engine/executor/rules.ts';
import { isStillSent } from '../engine/executor/still-sent.fixture.ts';
import { agent, node, now, podOn, recorded, snapshotOf } from './daemon-set.fixture.ts';
import { decide } from './decide.ts';
import { plan } from './plan.ts';

const { annotations, nodeLabels } = daemonSetUpdate;
const excluded = node('a', { labels: { [nodeLabels.excluded]: 'true' } });
const tainted = node('a', { taints: [{ key: 'maintenance', effect: 'NoSchedule' }] });
const { metadata, ...asBefore } = node('a');

function planned(object: ReturnType<typeof agent>) {
  const snapshot = snapshotOf({ object, nodes: [node('a')], pods: [podOn('a')] });
  return plan(snapshot, decide(snapshot, now), now);
}

describe('where the cache of nodes is behind, as that of a new leader', () => {
  /** Whether the pod is deleted where its node is like that by now. */
  function isDeleted(live: Stored<Node> | undefined, object = agent()): boolean {
    const made = planned(object);
    const [step] = made.stages.flatMap(({ steps }) => steps);
    if (step?.do !== 'delete') throw new Error('nothing is deleted');
    const checks = executionRules.checksBeforeStep(step, made);
    expect(checks.map(({ resource, key }) => [resource, key])).toEqual([[nodeResource, { name: 'a' }]]);
    return checks.every(({ holds }) => holds(live as Stored<KubeObject> | undefined));
  }

  it.each<[string, Stored<Node> | undefined]>([
    ['is excluded', excluded],
    ['is one for which the DaemonSet controller makes no pod', tainted],
    ['is away', node('a', { awaySince: '2026-01-01T00:59:00Z' })],
    [
      'is away, and not tainted yet',
      { ...node('a'), status: { conditions: [{ type: 'Ready', status: 'Unknown' }] } },
    ],
    ['is gone', undefined],
    ['is another one of its name', { ...asBefore, metadata: { ...metadata, uid: 'uid-another' } }],
  ])('no pod is deleted of a node that %s by now', (_, live) => {
    expect(isDeleted(live)).toBe(false);
    expect(isDeleted(live, agent({ [annotations.respectDisruptionBudgets]: 'true' }))).toBe(false);
  });

  it('the pod is deleted of a node of which only the status, the version and annotations changed', () => {
    const annotated = { ...metadata, resourceVersion: '99', annotations: { 'node.alpha/ttl': '0' } };
    expect(isDeleted({ ...asBefore, metadata: annotated })).toBe(true);
  });
});

describe('an offer of OTA that waits for its turn', () => {
  const made = planned(recorded(agent({ [annotations.updateStrategy]: 'OTA' })));
  const isMade = (found: Stored<Node> | undefined): boolean =>
    isStillSent(made, 'UpgradeAvailable', found, now);

  it.each<[string, Stored<Node> | undefined]>([
    ['is excluded', excluded],
    ['is one for which the DaemonSet controller makes no pod', tainted],
    ['is gone', undefined],
  ])('is not made where its node %s by then', (_, found) => {
    expect(isMade(found)).toBe(false);
  });

  it('is made where its node is as it was, or is not Ready: its owner decides when it is back', () => {
    expect(isMade(node('a'))).toBe(true);
    expect(isMade({ ...node('a'), status: { conditions: [{ type: 'Ready', status: 'Unknown' }] } })).toBe(
      true,
    );
  });
});
