import { extendedDaemonSets } from '@atoll/api';
import { ApiError, nodes, pods } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import { FreshWorld } from '../../../simulation/examples/fresh-world.ts';
import { withoutIdentity } from '../../../simulation/messages/without-identity.ts';
import { createExtendedDaemonSetController } from '../controller.ts';
import { agent, node } from '../extended-daemon-set.fixture.ts';

const message = 'admission webhook "guard" denied the request';
const denied = { fate: 'refused', code: 403, reason: 'Forbidden', attempted: 'delete pods' } as const;
const running = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };

/** The pods of these nodes have failed, and a webhook refuses to delete them. */
function guarded(rollingUpdate: object, ...names: readonly string[]) {
  const world = new FreshWorld();
  const { status: _, ...object } = withoutIdentity(agent('agent:1', { strategy: { rollingUpdate } }));
  world.put(extendedDaemonSets, object as never);
  const controller = createExtendedDaemonSetController(world.readers, 'auto', world.findings);
  const reconcile = () => world.reconcile(controller, 'edge/agent');
  const become = (status: object): void => {
    for (const pod of world.list(pods)) {
      if (pod.status?.phase !== 'Failed') world.edit(pods, pod.metadata, (each) => ({ ...each, status }));
    }
  };
  for (const name of names) world.put(nodes, withoutIdentity(node(name)));
  for (let round = 0; round < 4 + names.length; round += 1) {
    reconcile();
    become(running);
    world.now += 30_000;
  }
  become({ phase: 'Failed', reason: 'Evicted' });
  world.refuse = ({ verb }) => (verb === 'delete' ? new ApiError({ ...denied, message }) : undefined);
  reconcile();
  const ready = () =>
    world
      .get(extendedDaemonSets, { namespace: 'edge', name: 'agent' })
      .status?.conditions?.find(({ type }) => type === 'Ready')?.message;
  const phases = () => world.list(pods).map(({ status }) => status?.phase);
  return { world, reconcile, become, ready, phases };
}

const fast = { slowStartIntervalDuration: '1ms', slowStartAdditiveIncrease: 250 };

describe('a pod that has failed and may not be deleted', () => {
  it('is no pod that was made, however often that is tried', () => {
    const { world, reconcile, ready } = guarded(fast, 'a');
    const events: string[] = [];
    for (let round = 0; round < 3; round += 1) {
      world.now += 30_000;
      const reconciled = reconcile();
      events.push(...reconciled.events.map(({ note }) => note ?? ''));
      // Once: that it lasts turns Degraded.
      expect([round, reconciled.statusWritten]).toEqual([round, round === 1]);
    }
    expect(events).toEqual([]);
    expect(ready()).toBe(`a: delete pods: ${message}`);
  });

  it('takes no place of the pods that are made, and is replaced when it may be deleted', () => {
    const { world, reconcile, become, ready, phases } = guarded(
      { ...fast, maxParallelPodCreation: 1 },
      'a',
      'b',
    );
    for (const name of ['c', 'd']) world.put(nodes, withoutIdentity(node(name)));
    const rounds = (count: number): void => {
      for (let round = 0; round < count; round += 1) {
        world.now += 30_000;
        reconcile();
        become(running);
      }
    };
    rounds(4);
    expect(phases()).toEqual(['Failed', 'Failed', 'Running', 'Running']);
    expect(ready()).toBe(`a, b: delete pods: ${message}`);
    world.refuse = () => undefined;
    rounds(3);
    expect(phases()).toEqual(['Running', 'Running', 'Running', 'Running']);
    expect(ready()).toBe('all 4 nodes run the current template and their pods are Ready');
  });
});
