// Every promise of the manual's page, on the real control plane.
import { conditionTypes, labels, unitedDeployments, type UnitedDeployment } from '@atoll/api';
import { controllerRevisions, nodes, statefulSets, type StreamingClient } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import { apply } from '../set-up/objects.ts';
import {
  childrenOf,
  imageOf,
  inZone,
  namespace,
  patchSpec,
  podsOf,
  podUids,
  readyIn,
  replicasOf,
  setImage,
  united,
} from './objects.ts';
import { byType, eventually, hasCondition, isReady, notesOf, statusOf } from './standing.ts';

/** The page's sample, word for word. */
const sample: UnitedDeployment = {
  metadata: { name: 'sample-ud', namespace },
  spec: {
    replicas: 6,
    revisionHistoryLimit: 10,
    selector: { matchLabels: { app: 'sample' } },
    template: {
      statefulSetTemplate: {
        metadata: { labels: { app: 'sample' } },
        spec: {
          selector: { matchLabels: { app: 'sample' } },
          template: {
            metadata: { labels: { app: 'sample' } },
            spec: { containers: [{ image: 'nginx:alpine', name: 'nginx' }] },
          },
        },
      },
    },
    topology: {
      subsets: [
        {
          name: 'subset-a',
          nodeSelectorTerm: { matchExpressions: [{ key: 'node', operator: 'In', values: ['zone-a'] }] },
          replicas: 1,
        },
        {
          name: 'subset-b',
          nodeSelectorTerm: { matchExpressions: [{ key: 'node', operator: 'In', values: ['zone-b'] }] },
          replicas: '50%',
        },
        {
          name: 'subset-c',
          nodeSelectorTerm: { matchExpressions: [{ key: 'node', operator: 'In', values: ['zone-c'] }] },
        },
      ],
    },
    updateStrategy: {
      manualUpdate: { partitions: { 'subset-a': 0, 'subset-b': 0, 'subset-c': 0 } },
      type: 'Manual',
    },
  },
};

export function theManual(client: () => StreamingClient): void {
  describe("the manual's sample", () => {
    it('runs one StatefulSet per subset with 1, 3 and 2 pods, each on the nodes of its zone', async () => {
      await apply(client(), unitedDeployments, sample);
      const status = await isReady(client(), 'sample-ud');
      const children = await childrenOf(client(), 'sample', 'statefulSetTemplate');
      expect(Object.fromEntries([...children].map(([subset, { spec }]) => [subset, spec.replicas]))).toEqual({
        'subset-a': 1,
        'subset-b': 3,
        'subset-c': 2,
      });
      for (const [subset, { metadata }] of children) {
        expect(metadata.name).toMatch(new RegExp(`^sample-ud-${subset}-`));
      }
      const zoneOf = new Map(
        (await client().list(nodes)).items.map(({ metadata }) => [metadata.name, metadata.labels?.['node']]),
      );
      const placed = (await podsOf(client(), 'sample')).map(
        ({ metadata, spec }) => `${metadata.labels?.[labels.subsetName]} ${zoneOf.get(spec?.nodeName ?? '')}`,
      );
      expect(placed.toSorted()).toEqual([
        'subset-a zone-a',
        ...Array<string>(3).fill('subset-b zone-b'),
        ...Array<string>(2).fill('subset-c zone-c'),
      ]);
      const { items } = await client().list(controllerRevisions, { namespace, labelSelector: 'app=sample' });
      const ours = items.filter(({ metadata }) => metadata.ownerReferences?.[0]?.name === 'sample-ud');
      const revision = ours[0]?.metadata.name;
      expect(ours).toHaveLength(1);
      expect(status).toMatchObject({
        replicas: 6,
        readyReplicas: 6,
        updatedReplicas: 6,
        updatedReadyReplicas: 6,
        currentRevision: revision,
        updatedRevision: revision,
        updateStatus: {
          updatedRevision: revision,
          currentPartitions: { 'subset-a': 0, 'subset-b': 0, 'subset-c': 0 },
        },
        subsetReplicas: { 'subset-a': 1, 'subset-b': 3, 'subset-c': 2 },
        subsetStatuses: [
          { name: 'subset-a', replicas: 1, readyReplicas: 1, partition: 0 },
          { name: 'subset-b', replicas: 3, readyReplicas: 3, partition: 0 },
          { name: 'subset-c', replicas: 2, readyReplicas: 2, partition: 0 },
        ],
        labelSelector: 'app=sample',
      });
      expect(byType(status.conditions)).toMatchObject({
        SubsetProvisioned: { status: 'True' },
        SubsetUpdated: { status: 'True' },
        UnitedDeploymentUpdated: { status: 'True', reason: 'UnitedDeploymentRevisionUpdated' },
        SubsetReplicasEffective: { status: 'True' },
        Ready: { status: 'True' },
        Progressing: { status: 'False' },
        Degraded: { status: 'False' },
      });
      await eventually(async () => {
        expect(await notesOf(client(), 'sample-ud', 'SuccessfulUpdateSubset')).not.toEqual([]);
      });
    });
  });

  describe('the distribution of pods', () => {
    it('is even where the subsets set no replicas, and follows subsets that come and go', async () => {
      const name = 'even';
      await apply(
        client(),
        unitedDeployments,
        united({ name, replicas: 4, subsets: [inZone('a', 'zone-a'), inZone('b', 'zone-b')] }),
      );
      await isReady(client(), name);
      expect(await replicasOf(client(), name)).toEqual({ a: 2, b: 2 });
      const before = (await childrenOf(client(), name)).get('a')?.metadata.uid;
      const three = [inZone('a', 'zone-a'), inZone('b', 'zone-b'), inZone('d', 'zone-d')];
      await patchSpec(client(), name, { replicas: 6, topology: { subsets: three } });
      await isReady(client(), name);
      // The nodes of zone-d are tainted, so these pods run only because the subset tolerates it.
      expect(await readyIn(client(), name)).toEqual({ a: 2, b: 2, d: 2 });
      await patchSpec(client(), name, {
        topology: { subsets: [inZone('a', 'zone-a'), inZone('d', 'zone-d')] },
      });
      const status = await isReady(client(), name);
      await eventually(async () => expect(await readyIn(client(), name)).toEqual({ a: 3, d: 3 }));
      expect(status.subsetStatuses?.map((subset) => subset.name)).toEqual(['a', 'd']);
      expect((await childrenOf(client(), name)).get('a')?.metadata.uid).toBe(before);
    });

    it('follows numbers and percentages, and the rest is even among the others', async () => {
      const name = 'numbered';
      const subsets = [
        inZone('a', 'zone-a', { replicas: 2 }),
        inZone('b', 'zone-b', { replicas: '50%' }),
        inZone('c', 'zone-c'),
        inZone('d', 'zone-d'),
      ];
      await apply(client(), unitedDeployments, united({ name, replicas: 8, subsets }));
      await isReady(client(), name);
      expect(await replicasOf(client(), name)).toEqual({ a: 2, b: 4, c: 1, d: 1 });
    });

    it('works for every total where percentages add up to 100', async () => {
      const name = 'halves';
      const subsets = [
        inZone('a', 'zone-a', { replicas: '50%' }),
        inZone('b', 'zone-b', { replicas: '50%' }),
      ];
      await apply(client(), unitedDeployments, united({ name, replicas: 3, subsets }));
      const status = await isReady(client(), name);
      expect(byType(status.conditions)).toMatchObject({ SubsetReplicasEffective: { status: 'True' } });
      const children = Object.values(await replicasOf(client(), name));
      expect(children.toSorted((a = 0, b = 0) => a - b)).toEqual([1, 2]);
    });

    it('is smoothly rescaled where the numbers cannot be met, reported once, and comes back with the numbers', async () => {
      const name = 'smooth';
      const subsets = [
        inZone('a', 'zone-a', { replicas: 2 }),
        inZone('b', 'zone-b', { replicas: 3 }),
        inZone('c', 'zone-c'),
      ];
      await apply(client(), unitedDeployments, united({ name, replicas: 6, subsets }));
      await isReady(client(), name);
      expect(await replicasOf(client(), name)).toEqual({ a: 2, b: 3, c: 1 });
      const before = await podUids(client(), name);
      await client().scale(unitedDeployments, { namespace, name }, 3);
      const { message } = await hasCondition(client(), name, conditionTypes.subsetReplicasEffective, {
        status: 'False',
      });
      expect(message).toMatch(/5.*3|3.*5/);
      await eventually(async () => {
        expect(await readyIn(client(), name)).toEqual({ a: 1, b: 1, c: 1 });
        expect(await podsOf(client(), name)).toHaveLength(3);
      });
      await isReady(client(), name);
      // Nothing was started for it.
      expect(before).toEqual(expect.arrayContaining([...(await podUids(client(), name))]));
      await eventually(async () => {
        expect(await notesOf(client(), name, 'Failed SpecifySubsetReplicas')).toHaveLength(1);
      });
      await client().scale(unitedDeployments, { namespace, name }, 7);
      await hasCondition(client(), name, conditionTypes.subsetReplicasEffective, { status: 'True' });
      await isReady(client(), name);
      expect(await replicasOf(client(), name)).toEqual({ a: 2, b: 3, c: 2 });
      expect(await notesOf(client(), name, 'Failed SpecifySubsetReplicas')).toHaveLength(1);
    });
  });
}

/** What the manual promises of updates. Counts are looked at while they move. */
export function theManualsUpdates(client: () => StreamingClient): void {
  describe('an update', () => {
    it('goes to every subset, and as far as the partition of each lets it', async () => {
      const name = 'partitioned';
      const kind = 'statefulSetTemplate';
      const subsets = [inZone('a', 'zone-a', { replicas: 2 }), inZone('b', 'zone-b', { replicas: 2 })];
      await apply(
        client(),
        unitedDeployments,
        united({ name, kind, replicas: 4, subsets, workload: { podManagementPolicy: 'Parallel' } }),
      );
      const { currentRevision: first } = await isReady(client(), name);
      await patchSpec(client(), name, {
        updateStrategy: { type: 'Manual', manualUpdate: { partitions: { a: 2, b: 1 } } },
      });
      await setImage(client(), name, 'nginx:1.28', kind);
      await eventually(async () => {
        expect(await readyIn(client(), name, 'nginx:1.28')).toEqual({ b: 1 });
        const status = await statusOf(client(), name);
        expect(status).toMatchObject({
          updatedReplicas: 1,
          updatedReadyReplicas: 1,
          currentRevision: first,
          updateStatus: { currentPartitions: { a: 2, b: 1 } },
        });
        expect(status.updatedRevision).not.toBe(first);
      });
      for (const child of (await childrenOf(client(), name, kind)).values()) {
        expect(imageOf(child)).toBe('nginx:1.28');
      }
      expect(await readyIn(client(), name)).toEqual({ a: 2, b: 1 });
      // More than there are pods means all of them.
      await patchSpec(client(), name, { updateStrategy: { manualUpdate: { partitions: { a: 9, b: 0 } } } });
      await eventually(async () => {
        expect(await readyIn(client(), name, 'nginx:1.28')).toEqual({ b: 2 });
        expect((await statusOf(client(), name)).updateStatus?.currentPartitions).toEqual({ a: 2, b: 0 });
      });
      await patchSpec(client(), name, { updateStrategy: { manualUpdate: { partitions: null } } });
      const status = await isReady(client(), name);
      expect(await readyIn(client(), name, 'nginx:1.28')).toEqual({ a: 2, b: 2 });
      expect(status.currentRevision).toBe(status.updatedRevision);
      expect(status.currentRevision).not.toBe(first);
      const { items } = await client().list(statefulSets, { namespace, labelSelector: `app=${name}` });
      expect(items).toHaveLength(2);
    });

    it('with a negative partition is refused, with the name of the subset', async () => {
      const subsets = [inZone('a', 'zone-a')];
      const shape = united({ name: 'negative', replicas: 1, subsets, partitions: { a: -1 } });
      await expect(apply(client(), unitedDeployments, shape)).rejects.toThrow(/subset a.*partition/);
    });
  });
}
