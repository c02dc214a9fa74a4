// CloneSet and Advanced StatefulSet, played by simulated controllers: nothing here is a result about OpenKruise.
import { conditionTypes, unitedDeployments } from '@atoll/api';
import type { StreamingClient } from '@atoll/kube';
import {
  installKruiseKinds,
  removeKruiseKinds,
  startSimulatedKruise,
  type SimulatedKruise,
} from '@atoll/testbed/kruise';
import { afterAll, describe, expect, it } from 'vitest';
import { apply } from '../set-up/objects.ts';
import {
  childrenOf,
  inZone,
  namespace,
  patchSpec,
  podUids,
  readyIn,
  replicasOf,
  setImage,
  united,
} from './objects.ts';
import { byType, eventually, hasCondition, isReady, statusOf } from './standing.ts';

const two = [inZone('a', 'zone-a'), inZone('b', 'zone-b')];
const kinds = ['cloneSetTemplate', 'advancedStatefulSetTemplate'] as const;

/** Expects the two kinds to be served, and their simulated controllers to run. */
export function kruiseKinds(client: () => StreamingClient): void {
  describe.each(kinds)('with a %s, played by a simulated controller', (kind) => {
    const name = kind === 'cloneSetTemplate' ? 'cloned' : 'ordered';

    it('runs, scales, and updates as far as partitions let it', async () => {
      await apply(client(), unitedDeployments, united({ name, kind, replicas: 4, subsets: two }));
      await isReady(client(), name);
      expect(await replicasOf(client(), name, kind)).toEqual({ a: 2, b: 2 });
      await patchSpec(client(), name, { updateStrategy: { manualUpdate: { partitions: { a: 1, b: 2 } } } });
      await setImage(client(), name, 'nginx:1.28', kind);
      await eventually(async () => {
        expect(await readyIn(client(), name, 'nginx:1.28')).toEqual({ a: 1 });
        expect(await statusOf(client(), name)).toMatchObject({
          updatedReplicas: 1,
          updateStatus: { currentPartitions: { a: 1, b: 2 } },
        });
      });
      await patchSpec(client(), name, { updateStrategy: { manualUpdate: { partitions: null } } });
      const status = await isReady(client(), name);
      expect(status.currentRevision).toBe(status.updatedRevision);
      expect(await readyIn(client(), name, 'nginx:1.28')).toEqual({ a: 2, b: 2 });
      await client().scale(unitedDeployments, { namespace, name }, 2);
      await isReady(client(), name);
      // Enough pods are there before those that are too many have gone.
      await eventually(async () =>
        expect(await readyIn(client(), name, 'nginx:1.28')).toEqual({ a: 1, b: 1 }),
      );
    });
  });

  describe('with a CloneSet that updates in place, played by a simulated controller', () => {
    it('keeps its pods through a new image, and counts them as updated', async () => {
      const name = 'in-place';
      const kind = 'cloneSetTemplate';
      const workload = { updateStrategy: { type: 'InPlaceIfPossible' } };
      await apply(client(), unitedDeployments, united({ name, kind, replicas: 2, subsets: two, workload }));
      await isReady(client(), name);
      const before = await podUids(client(), name);
      await setImage(client(), name, 'nginx:1.28', kind);
      await eventually(async () => {
        expect(await readyIn(client(), name, 'nginx:1.28')).toEqual({ a: 1, b: 1 });
        expect(await statusOf(client(), name)).toMatchObject({ updatedReplicas: 2, updatedReadyReplicas: 2 });
      });
      await isReady(client(), name);
      expect(await podUids(client(), name)).toEqual(before);
    });
  });
}

/** Takes the two kinds away from all that use them, and brings them back. */
export function kruiseKindsComeAndGo(
  client: () => StreamingClient,
  kubeconfig: () => string,
  simulated: () => SimulatedKruise,
): void {
  describe('when the definitions of the two kinds go and come', () => {
    let again: SimulatedKruise | undefined;
    afterAll(async () => again?.stop());

    it('reports it while they are away, touches nothing else, and goes on when they are back', async () => {
      const name = 'away';
      const kind = 'cloneSetTemplate';
      await apply(client(), unitedDeployments, united({ name, kind, replicas: 2, subsets: two }));
      await apply(client(), unitedDeployments, united({ name: 'bystander', replicas: 1, subsets: two }));
      await isReady(client(), name);
      await isReady(client(), 'bystander');
      await simulated().stop();
      await removeKruiseKinds(client());
      const { message } = await hasCondition(client(), name, conditionTypes.ready, { status: 'False' });
      expect(message).toMatch(
        /CloneSet of spec.template is not installed. Install its CustomResourceDefinition/,
      );
      await client().scale(unitedDeployments, { namespace, name: 'bystander' }, 2);
      await isReady(client(), 'bystander');
      await installKruiseKinds(client());
      again = await startSimulatedKruise({ kubeconfig: kubeconfig() });
      await eventually(async () => {
        expect((await childrenOf(client(), name, kind)).size).toBe(2);
        expect(byType((await statusOf(client(), name)).conditions)).toMatchObject({
          Ready: { status: 'True' },
        });
      });
    });
  });
}
