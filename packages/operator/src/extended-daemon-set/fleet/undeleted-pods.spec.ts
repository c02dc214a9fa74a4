import { extendedDaemonSets } from '@atoll/api';
import { ApiError, nodes, pods } from '@atoll/kube';
import { expect, it } from 'vitest';
import { FreshWorld } from '../../../simulation/examples/fresh-world.ts';
import { withoutIdentity } from '../../../simulation/messages/without-identity.ts';
import { createExtendedDaemonSetController } from '../controller.ts';
import { agent, node } from '../extended-daemon-set.fixture.ts';

it('a pod that has failed and may not be deleted is no pod that was made, however often that is tried', () => {
  const world = new FreshWorld();
  const { status: _, ...object } = withoutIdentity(agent('agent:1'));
  world.put(extendedDaemonSets, object as never);
  world.put(nodes, withoutIdentity(node('a')));
  const controller = createExtendedDaemonSetController(world.readers, 'auto', world.findings);
  const become = (status: object): void => {
    for (const pod of world.list(pods)) world.edit(pods, pod.metadata, (each) => ({ ...each, status }));
  };
  for (let round = 0; round < 4; round += 1) {
    world.reconcile(controller, 'edge/agent');
    become({ phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] });
  }
  become({ phase: 'Failed', reason: 'Evicted' });
  const message = 'admission webhook "guard" denied the request';
  const denied = { fate: 'refused', code: 403, reason: 'Forbidden', attempted: 'delete pods' } as const;
  world.refuse = ({ verb }) => (verb === 'delete' ? new ApiError({ ...denied, message }) : undefined);
  world.reconcile(controller, 'edge/agent');
  const events: string[] = [];
  for (let round = 0; round < 3; round += 1) {
    world.now += 30_000;
    const reconciled = world.reconcile(controller, 'edge/agent');
    events.push(...reconciled.events.map(({ note }) => note ?? ''));
    // Once: that it lasts turns Degraded.
    expect([round, reconciled.statusWritten]).toEqual([round, round === 1]);
  }
  expect(events).toEqual([]);
  const { status } = world.get(extendedDaemonSets, { namespace: 'edge', name: 'agent' });
  expect(status?.conditions?.find(({ type }) => type === 'Ready')?.message).toBe(
    `a: delete pods: ${message}`,
  );
});
