// Subsets whose nodes do not exist yet: the real scheduler reports that pods are unschedulable.
import { labels, unitedDeployments } from '@atoll/api';
import { events, isReady as isNodeReady, nodes, type StreamingClient } from '@atoll/kube';
import type { ControlPlane } from '@atoll/testbed';
import { describe, expect, it } from 'vitest';
import { apply } from '../set-up/objects.ts';
import { inZone, namespace, podsOf, readyIn, replicasOf, united } from './objects.ts';
import { eventually, isReady, schedulable, statusOf } from './standing.ts';

export function scheduling(client: () => StreamingClient, controlPlane: () => ControlPlane): void {
  /** Nodes for a zone that had none. They take pods when this resolves: one that waits for a second is moved away. */
  async function grow(zone: string): Promise<void> {
    await controlPlane().addNodes({ pools: [zone], nodesPerPool: 1, labels: { node: zone } });
    await eventually(async () => {
      const { items } = await client().list(nodes, { labelSelector: `node=${zone}` });
      expect(items.map((node) => [isNodeReady(node), node.spec?.taints ?? []])).toEqual([[true, []]]);
    });
  }

  describe('adaptive scheduling', () => {
    it('moves pods away that find no node, recovers, and comes back when there are nodes', async () => {
      const name = 'moving';
      const subsets = [
        inZone('a', 'zone-a', { maxReplicas: 2 }),
        inZone('nowhere', 'zone-of-moving', { maxReplicas: 2 }),
        inZone('c', 'zone-c'),
      ];
      const adaptive = { rescheduleCriticalSeconds: 1, unschedulableDuration: 3 };
      await apply(
        client(),
        unitedDeployments,
        united({ name, replicas: 3, subsets, strategy: { type: 'Adaptive', adaptive } }),
      );
      await eventually(async () => {
        expect(await replicasOf(client(), name)).toEqual({ a: 2, nowhere: 0, c: 1 });
        expect(await readyIn(client(), name)).toEqual({ a: 2, c: 1 });
      });
      await eventually(async () => expect(await failedScheduling(name, 'nowhere')).toBe(true));
      await isReady(client(), name);
      await eventually(async () => {
        expect(await schedulable(client(), name)).toMatchObject({ nowhere: 'True' });
      });
      await grow('zone-of-moving');
      await client().scale(unitedDeployments, { namespace, name }, 5);
      await eventually(async () => expect(await readyIn(client(), name)).toEqual({ a: 2, nowhere: 2, c: 1 }));
      await isReady(client(), name);
      expect(await podsOf(client(), name)).toHaveLength(5);
    });

    it('keeps what minReplicas asks for, and shows that it finds no node', async () => {
      const name = 'held';
      const subsets = [
        inZone('nowhere', 'zone-of-held', { minReplicas: 1, maxReplicas: 2 }),
        inZone('b', 'zone-b'),
      ];
      const adaptive = { rescheduleCriticalSeconds: 1, unschedulableDuration: 600 };
      await apply(
        client(),
        unitedDeployments,
        united({ name, replicas: 3, subsets, strategy: { type: 'Adaptive', adaptive } }),
      );
      await eventually(async () => {
        expect(await replicasOf(client(), name)).toEqual({ nowhere: 1, b: 2 });
        expect(await schedulable(client(), name)).toMatchObject({ nowhere: 'False' });
        expect(await readyIn(client(), name)).toEqual({ b: 2 });
      });
      await grow('zone-of-held');
      await eventually(async () => expect(await readyIn(client(), name)).toEqual({ nowhere: 1, b: 2 }));
    });

    /** Whether the scheduler itself reported that no node fits a pod of this subset. */
    async function failedScheduling(name: string, subset: string): Promise<boolean> {
      const { subsetStatuses = [] } = await statusOf(client(), name);
      const child = subsetStatuses.find((each) => each.name === subset)?.workloadName ?? '-';
      const { items } = await client().list(events, { namespace });
      return items.some(
        ({ reason, regarding }) =>
          reason === 'FailedScheduling' && regarding?.name?.startsWith(`${child}-`) === true,
      );
    }
  });

  describe('reservation', () => {
    it('keeps pods that find no node, puts others in their place, and takes these back when there are nodes', async () => {
      const name = 'reserved';
      const subsets = [inZone('first', 'zone-of-reserved'), inZone('second', 'zone-b')];
      const adaptive = {
        rescheduleCriticalSeconds: 1,
        unschedulableDuration: 2,
        reserveUnschedulablePods: true,
      };
      await apply(
        client(),
        unitedDeployments,
        united({ name, replicas: 2, subsets, strategy: { type: 'Adaptive', adaptive } }),
      );
      await eventually(async () => {
        expect(await replicasOf(client(), name)).toEqual({ first: 2, second: 2 });
        expect(await marks(name)).toEqual({ first: ['true', 'true'], second: ['false', 'false'] });
        const status = await statusOf(client(), name);
        expect(status).toMatchObject({ replicas: 2, readyReplicas: 2, reservedPods: 2 });
      });
      const { status } = await client().getScale(unitedDeployments, { namespace, name });
      expect(status).toEqual({ replicas: 2, selector: `app=${name},${labels.reservedPod}=false` });
      const kept = await uidsIn(name, 'first');
      await grow('zone-of-reserved');
      await eventually(async () => {
        expect(await replicasOf(client(), name)).toEqual({ first: 2, second: 0 });
        expect(await marks(name)).toEqual({ first: ['false', 'false'] });
        const { replicas, readyReplicas, reservedPods = 0 } = await statusOf(client(), name);
        expect({ replicas, readyReplicas, reservedPods }).toEqual({
          replicas: 2,
          readyReplicas: 2,
          reservedPods: 0,
        });
      });
      expect(await uidsIn(name, 'first')).toEqual(kept);
      await isReady(client(), name);
    });

    it('which Kruise began: the same pods start when there are nodes, and the others go', async () => {
      const name = 'kruise-reserving';
      expect(await marks(name)).toEqual({ first: ['true', 'true'], second: ['false', 'false', 'false'] });
      const [kept, others] = [await uidsIn(name, 'first'), await uidsIn(name, 'second')];
      await grow('zone-of-kruise-reserving');
      await eventually(async () => {
        expect(await replicasOf(client(), name)).toEqual({ first: 2, second: 1 });
        expect(await marks(name)).toEqual({ first: ['false', 'false'], second: ['false'] });
        expect(await readyIn(client(), name)).toEqual({ first: 2, second: 1 });
        const status = await statusOf(client(), name);
        expect(status).toMatchObject({ replicas: 3, readyReplicas: 3, reservedPods: 0 });
        expect(await schedulable(client(), name)).toEqual({ first: 'True', second: 'True' });
      });
      expect(await uidsIn(name, 'first')).toEqual(kept);
      expect(others).toEqual(expect.arrayContaining([...(await uidsIn(name, 'second'))]));
      await isReady(client(), name);
    });

    async function marks(name: string): Promise<Readonly<Record<string, readonly string[]>>> {
      const found: Record<string, string[]> = {};
      for (const { metadata } of await podsOf(client(), name)) {
        const subset = metadata.labels?.[labels.subsetName] ?? '';
        (found[subset] ??= []).push(metadata.labels?.[labels.reservedPod] ?? 'none');
      }
      return found;
    }

    async function uidsIn(name: string, subset: string): Promise<readonly string[]> {
      return (await podsOf(client(), name))
        .filter(({ metadata }) => metadata.labels?.[labels.subsetName] === subset)
        .map(({ metadata }) => metadata.uid)
        .toSorted();
    }
  });
}
