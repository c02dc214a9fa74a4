// Children and what others do to them, subsets that fail, templates that change their kind.
import { annotations, conditionTypes, labels, subsetRemovals, unitedDeployments } from '@atoll/api';
import {
  controllerOf,
  controllerRevisions,
  deployments,
  namespaces,
  type Deployment,
  type KubeObject,
  type Stored,
  type StreamingClient,
} from '@atoll/kube';
import type { RecordedEvent, Recording } from '@atoll/testbed';
import { describe, expect, it } from 'vitest';
import { enforcedQuota } from '../set-up/enforced-quota.ts';
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
  type Child,
} from './objects.ts';
import { byType, eventually, hasCondition, isReady, notesOf, statusOf } from './standing.ts';

const nameOf = ({ metadata }: KubeObject): string => metadata.name;
const two = [inZone('a', 'zone-a'), inZone('b', 'zone-b')];

export function children(client: () => StreamingClient, recording: () => Recording): void {
  async function nameIn(name: string, subset: string): Promise<string> {
    return (await childrenOf(client(), name)).get(subset)?.metadata.name ?? '';
  }

  describe('a child', () => {
    it('is put back where somebody edits what the template sets, and keeps what it does not', async () => {
      const name = 'edited';
      await apply(client(), unitedDeployments, united({ name, replicas: 2, subsets: two }));
      await isReady(client(), name);
      const key = { namespace, name: await nameIn(name, 'a') };
      const body = {
        metadata: { annotations: { 'example.com/note': 'mine' } },
        spec: {
          replicas: 4,
          template: { spec: { affinity: null, containers: [{ name: 'web', image: 'nginx:by-hand' }] } },
        },
      };
      await client().patch(deployments, key, { type: 'strategic', body }, { fieldManager: 'kubectl-edit' });
      await eventually(async () => {
        const child = await client().get(deployments, key);
        expect(child.spec?.replicas).toBe(1);
        expect(child.spec?.template.spec?.containers[0]?.image).toBe('nginx:1.27');
        expect(child.spec?.template.spec?.affinity?.nodeAffinity).toBeDefined();
        expect(child.metadata.annotations?.['example.com/note']).toBe('mine');
      });
      await isReady(client(), name);
    });

    it('comes back under the same name when somebody deletes it', async () => {
      const name = 'deleted';
      await apply(client(), unitedDeployments, united({ name, replicas: 2, subsets: two }));
      await isReady(client(), name);
      const first = (await childrenOf(client(), name)).get('a')?.metadata;
      await client().delete(deployments, { namespace, name: first?.name ?? '' });
      await eventually(async () => {
        const now = (await childrenOf(client(), name)).get('a')?.metadata;
        expect([now?.name, now?.uid === first?.uid]).toEqual([first?.name, false]);
      });
      await isReady(client(), name);
    });

    it('gets the fields of the template, the patch of its subset, and its own place in every term', async () => {
      const name = 'whole';
      const terms = [
        { matchExpressions: [{ key: 'node', operator: 'Exists' }] },
        { matchExpressions: [{ key: 'kubernetes.io/os', operator: 'In', values: ['linux'] }] },
      ];
      const required = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } };
      const matchFields = [{ key: 'metadata.name', operator: 'In', values: ['zone-b-node-1'] }] as const;
      const patch = {
        metadata: { annotations: { 'example.com/subset': 'b' } },
        spec: { containers: [{ name: 'web', env: [{ name: 'PLACE', value: 'b' }] }] },
      };
      const subsets = [
        inZone('a', 'zone-a'),
        inZone('b', 'zone-b', { patch, nodeSelectorTerm: { matchFields } }),
      ];
      const workload = { minReadySeconds: 1, revisionHistoryLimit: 3, strategy: { type: 'Recreate' } };
      const pods = { affinity: { nodeAffinity: required } };
      await apply(client(), unitedDeployments, united({ name, replicas: 2, subsets, workload, pods }));
      await isReady(client(), name);
      const found = await childrenOf(client(), name);
      for (const child of found.values()) expect(child.spec).toMatchObject(workload);
      const b = found.get('b')?.spec.template;
      expect(b?.metadata?.annotations).toMatchObject({ 'example.com/subset': 'b' });
      expect(b?.spec?.containers).toMatchObject([
        { name: 'web', image: 'nginx:1.27', env: [{ name: 'PLACE', value: 'b' }] },
      ]);
      expect(found.get('a')?.spec.template.spec?.containers[0]?.env).toBeUndefined();
      const placed =
        b?.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
      expect(placed).toEqual(terms.map((term) => ({ ...term, matchFields })));
      const pod = (await podsOf(client(), name)).find(
        ({ metadata }) => metadata.labels?.[labels.subsetName] === 'b',
      );
      expect(pod?.spec?.nodeName).toBe('zone-b-node-1');
    });

    it('of a stranger with fitting labels is neither taken over nor deleted, here and in other namespaces', async () => {
      const name = 'among-strangers';
      const app = { app: name };
      const stranger = (where: string): Deployment => ({
        metadata: { namespace: where, name: 'stranger', labels: { ...app, [labels.subsetName]: 'a' } },
        spec: {
          replicas: 0,
          selector: { matchLabels: { ...app, of: 'stranger' } },
          template: {
            metadata: { labels: { ...app, of: 'stranger' } },
            spec: { containers: [{ name: 'web', image: 'nginx:1.27' }] },
          },
        },
      });
      await client().create(namespaces, { metadata: { name: 'strangers' } });
      const made = [
        await client().create(deployments, stranger('strangers')),
        await client().create(deployments, stranger(namespace)),
      ];
      await apply(client(), unitedDeployments, united({ name, replicas: 2, subsets: two }));
      await isReady(client(), name);
      for (const { metadata, spec } of made) {
        const now = await client().get(deployments, metadata);
        expect(now.metadata.uid).toBe(metadata.uid);
        expect(now.metadata.ownerReferences).toBeUndefined();
        expect(now.spec).toEqual(spec);
      }
    });
  });

  describe('one bad subset', () => {
    it('stops no other, is named with the field in condition and event, and gets well by itself', async () => {
      const name = 'one-bad';
      const bad = { spec: { containers: [{ name: 'web', imagePullPolicy: 'Sometimes' }] } };
      const subsets = (patch?: object) => [
        inZone('a', 'zone-a', patch === undefined ? {} : { patch: patch as never }),
        inZone('b', 'zone-b'),
        inZone('c', 'zone-c'),
      ];
      await apply(client(), unitedDeployments, united({ name, replicas: 3, subsets: subsets(bad) }));
      await eventually(async () => expect(await readyIn(client(), name)).toEqual({ b: 1, c: 1 }));
      const { message } = await hasCondition(client(), name, conditionTypes.subsetFailure, {
        status: 'True',
        reason: 'Error',
      });
      expect(message).toMatch(/^a: .*imagePullPolicy/);
      await hasCondition(client(), name, conditionTypes.subsetProvisioned, { status: 'False' });
      await eventually(async () => {
        expect(await notesOf(client(), name, 'FailedUpdateSubset')).toEqual([
          expect.stringContaining('imagePullPolicy'),
        ]);
      });
      // Updates and scales pass it by.
      await setImage(client(), name, 'nginx:1.28');
      await client().scale(unitedDeployments, { namespace, name }, 6);
      await eventually(async () =>
        expect(await readyIn(client(), name, 'nginx:1.28')).toEqual({ b: 2, c: 2 }),
      );
      await patchSpec(client(), name, { topology: { subsets: subsets() } });
      const status = await isReady(client(), name);
      expect(await readyIn(client(), name, 'nginx:1.28')).toEqual({ a: 2, b: 2, c: 2 });
      const conditions = byType(status.conditions);
      expect(conditions[conditionTypes.subsetFailure]?.status ?? 'False').toBe('False');
      expect(conditions).toMatchObject({
        SubsetProvisioned: { status: 'True' },
        Degraded: { status: 'False' },
      });
    });

    it('that the quota leaves without pods keeps the others going, and is reported', async () => {
      const where = { namespace: 'crowded', name: 'crowded' };
      await client().create(namespaces, { metadata: { name: where.namespace } });
      await enforcedQuota(client(), where, { 'count/deployments.apps': '1' });
      const shape = united({ name: where.name, replicas: 2, subsets: two });
      await apply(client(), unitedDeployments, { ...shape, metadata: where });
      await eventually(async () => {
        const { status } = await client().get(unitedDeployments, where);
        expect(byType(status?.conditions)).toMatchObject({
          SubsetFailure: { status: 'True', message: expect.stringContaining('exceeded quota') },
          Ready: { status: 'False' },
        });
        expect(status?.readyReplicas).toBe(1);
      });
    });
  });

  describe('a template of another kind', () => {
    it('replaces the children, and leaves none of the old kind behind', async () => {
      const name = 'switched';
      await apply(client(), unitedDeployments, united({ name, replicas: 2, subsets: two }));
      await isReady(client(), name);
      const shape = united({ name, kind: 'statefulSetTemplate', replicas: 2, subsets: two });
      await apply(client(), unitedDeployments, shape);
      await isReady(client(), name);
      expect(await replicasOf(client(), name, 'statefulSetTemplate')).toEqual({ a: 1, b: 1 });
      await eventually(async () => {
        expect(await replicasOf(client(), name)).toEqual({});
        expect(await podsOf(client(), name)).toHaveLength(2);
      });
    });

    it('goes only when its replacement is ready where the annotation asks for it, and so does a removed subset', async () => {
      const name = 'two-phases';
      const kind = 'statefulSetTemplate';
      const gently = { [annotations.subsetRemoval]: subsetRemovals.afterReplacement };
      const shape = { name, replicas: 2, annotations: gently, image: 'nginx:late-ready' };
      await apply(client(), unitedDeployments, united({ ...shape, subsets: two }));
      await isReady(client(), name);
      await apply(client(), unitedDeployments, united({ ...shape, kind, subsets: two }));
      await isReady(client(), name);
      expect(await replicasOf(client(), name)).toEqual({});
      await patchSpec(client(), name, { topology: { subsets: two.slice(1) } });
      await isReady(client(), name);
      expect(await replicasOf(client(), name, kind)).toEqual({ b: 2 });

      const ended = (resource: string, subset: string): number =>
        versionOf(name, resource, subset, ({ type }) => type === 'DELETED');
      const ready = (subset: string, count: number): number =>
        versionOf(name, 'statefulsets.apps', subset, ({ object }) => {
          return (object as Stored<Child>).status?.readyReplicas === count;
        });
      // The recording may be behind what was read.
      await eventually(async () => {
        expect(ended('deployments.apps', 'a')).toBeGreaterThan(ready('a', 1));
        expect(ended('deployments.apps', 'b')).toBeGreaterThan(ready('b', 1));
        expect(ended('statefulsets.apps', 'a')).toBeGreaterThan(ready('b', 2));
      });
    });
  });

  /** The version of the first recorded event about the child of a subset that is as wanted. */
  function versionOf(
    name: string,
    resource: string,
    subset: string,
    isWanted: (event: RecordedEvent) => boolean,
  ): number {
    const found = recording().events.find(
      (event) =>
        event.resource === resource &&
        event.object.metadata.labels?.['app'] === name &&
        event.object.metadata.labels[labels.subsetName] === subset &&
        isWanted(event),
    );
    return found?.version ?? Number.NaN;
  }

  describe('deletion', () => {
    it('takes children and pods along', async () => {
      const name = 'ending';
      await apply(client(), unitedDeployments, united({ name, replicas: 2, subsets: two }));
      await isReady(client(), name);
      await client().delete(unitedDeployments, { namespace, name });
      await eventually(async () => {
        expect((await childrenOf(client(), name)).size).toBe(0);
        expect(await podsOf(client(), name)).toEqual([]);
      });
    });
  });

  describe('the history', () => {
    it('comes back with children and pods where the owner was deleted with --cascade=orphan and is made again', async () => {
      const name = 'orphaned';
      const key = { namespace, name };
      const shape = united({ name, replicas: 2, subsets: two });
      await apply(client(), unitedDeployments, shape);
      const { currentRevision: first } = await isReady(client(), name);
      await setImage(client(), name, 'nginx:1.28');
      await eventually(async () => {
        const { currentRevision, updatedRevision } = await statusOf(client(), name);
        expect(currentRevision).not.toBe(first);
        expect(currentRevision).toBe(updatedRevision);
      });
      const { currentRevision: second } = await isReady(client(), name);
      const pods = await podUids(client(), name);
      const { spec, metadata } = await client().get(unitedDeployments, key);
      await client().delete(unitedDeployments, key, { propagationPolicy: 'Orphan', uid: metadata.uid });
      await eventually(async () =>
        expect((await client().list(unitedDeployments, { namespace })).items.map(nameOf)).not.toContain(name),
      );
      await client().create(unitedDeployments, { metadata: key, spec });
      await eventually(async () => {
        expect(await statusOf(client(), name)).toMatchObject({
          currentRevision: second,
          updatedRevision: second,
          collisionCount: 0,
        });
        const { uid } = (await client().get(unitedDeployments, key)).metadata;
        const { items } = await client().list(controllerRevisions, { namespace });
        const history = items.filter((each) => [first, second].includes(nameOf(each)));
        expect(history.map((each) => controllerOf(each)?.uid)).toEqual([uid, uid]);
      });
      await isReady(client(), name);
      expect(await podUids(client(), name)).toEqual(pods);
    });

    it('goes back to the revision that was, and keeps as many as asked for', async () => {
      const name = 'history';
      const shape = united({ name, replicas: 1, subsets: [inZone('a', 'zone-a')] });
      await apply(client(), unitedDeployments, {
        ...shape,
        spec: { ...shape.spec, revisionHistoryLimit: 2 },
      });
      const { currentRevision: first } = await isReady(client(), name);
      const kept = async (): Promise<readonly number[]> => {
        const { items } = await client().list(controllerRevisions, { namespace });
        const ours = items.filter((each) => controllerOf(each)?.name === name);
        return ours.map(({ revision }) => revision ?? 0).toSorted((a, b) => a - b);
      };
      const rollOut = async (image: string): Promise<string | undefined> => {
        await setImage(client(), name, image);
        return eventually(async () => {
          expect(imageOf((await childrenOf(client(), name)).get('a'))).toBe(image);
          const status = await statusOf(client(), name);
          expect(status.currentRevision).toBe(status.updatedRevision);
          return status.currentRevision;
        });
      };
      expect(await rollOut('nginx:1.28')).not.toBe(first);
      expect(await kept()).toEqual([1, 2]);
      expect(await rollOut('nginx:1.27')).toBe(first);
      expect(await kept()).toEqual([2, 3]);
      await rollOut('nginx:1.29');
      await eventually(async () => expect(await kept()).toEqual([3, 4]));
    });
  });
}
