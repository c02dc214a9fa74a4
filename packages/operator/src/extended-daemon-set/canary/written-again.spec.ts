import { extendedDaemonSets, extendedDaemonSetReplicaSets, replicaSetConditions } from '@atoll/api';
import { conditionOf, nodes, pods, type Pod, type Stored } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import { FreshWorld } from '../../../simulation/examples/fresh-world.ts';
import { withoutIdentity } from '../../../simulation/messages/without-identity.ts';
import { createExtendedDaemonSetController } from '../controller.ts';
import { agent, node, template } from '../extended-daemon-set.fixture.ts';

const key = { namespace: 'edge', name: 'agent' };
const bad = 'agent:bad';

function imageOf({ spec }: Pod): string | undefined {
  return spec?.containers[0]?.image;
}

/** Pods of the bad template restart too often, and all others are Ready. */
function statusOf(pod: Stored<Pod>): object {
  const isBad = imageOf(pod) === bad;
  const found = { name: 'agent', image: 'x', imageID: 'x', ready: !isBad, restartCount: isBad ? 9 : 0 };
  const conditions = [{ type: 'Ready', status: isBad ? 'False' : 'True' }];
  return { phase: 'Running', conditions, containerStatuses: [found] };
}

/** GitOps writes the bad template every `everyMs` for five minutes, whatever the operator does with it. Yields how often its pod was made. */
function writtenEvery(everyMs: number) {
  const world = new FreshWorld();
  const strategy = { canary: { duration: '10m', replicas: 1 } };
  const { status: _, ...object } = withoutIdentity(agent('agent:1', { strategy }));
  world.put(extendedDaemonSets, object as never);
  for (const name of ['a', 'b']) world.put(nodes, withoutIdentity(node(name)));
  const controller = createExtendedDaemonSetController(world.readers, 'auto', world.findings);
  const made: string[] = [];
  const reverts: string[] = [];
  const settle = () => {
    for (let round = 0; round < 8; round += 1) {
      const { outcome } = world.reconcile(controller, 'edge/agent');
      for (const { step, did } of outcome.results) {
        if (step.why.word === 'TemplateReverted') reverts.push(step.why.message);
        if (step.do === 'create' && step.resource === pods && did === 'done')
          made.push(imageOf(step.object as Pod) ?? '');
      }
      for (const pod of world.list(pods))
        if (pod.status === undefined)
          world.edit(pods, pod.metadata, (each) => ({ ...each, status: statusOf(pod) }));
      world.now += 1_000;
    }
  };
  settle();
  const end = world.now + 5 * 60_000;
  while (world.now < end) {
    world.edit(extendedDaemonSets, key, (each) => ({
      ...each,
      spec: { ...each.spec, template: template(bad) },
    }));
    settle();
    const { spec } = world.get(extendedDaemonSets, key);
    expect(spec.template.spec?.containers[0]?.image).toBe('agent:1');
    world.now += everyMs;
    // It is looked at again when the failure is forgotten.
    world.reconcile(controller, 'edge/agent');
  }
  const setsOfBad = () =>
    world
      .list(extendedDaemonSetReplicaSets)
      .filter(({ spec }) => spec.template.spec?.containers[0]?.image === bad);
  return { tries: made.filter((image) => image === bad).length, setsOfBad, world, settle, reverts };
}

describe('a template that failed, and that GitOps writes again each time it was put back', () => {
  it('is not tried again as long as it is written before its failure is forgotten', () => {
    const { tries, setsOfBad, world, settle } = writtenEvery(60_000);
    expect(tries).toBe(1);
    expect(setsOfBad()).toHaveLength(1);
    // Nobody writes it any more.
    world.now += 130_000;
    settle();
    // The garbage collector ends it when it has released what was not seen.
    expect(setsOfBad().filter(({ metadata }) => metadata.deletionTimestamp === undefined)).toEqual([]);
  });

  it('is tried again when it comes later', () => {
    expect(writtenEvery(150_000).tries).toBe(2);
  });

  it('keeps the time of its failure, and says how GitOps and the operator cease to write in turn', () => {
    const { setsOfBad, reverts } = writtenEvery(60_000);
    const [first = '', ...others] = reverts;
    expect(first).not.toContain('Hold');
    expect(others.length).toBeGreaterThan(2);
    for (const each of others) expect(each).toContain('atoll.dev/on-canary-failure=Hold');
    const [set] = setsOfBad();
    const failed = set && conditionOf(set, replicaSetConditions.canaryFailed);
    expect(failed?.reason).toBe('Unknown');
    const [since, last] = [failed?.lastTransitionTime, failed?.lastUpdateTime].map((text) =>
      Date.parse(text ?? ''),
    );
    expect((last ?? 0) - (since ?? 0)).toBeGreaterThan(200_000);
  });
});
