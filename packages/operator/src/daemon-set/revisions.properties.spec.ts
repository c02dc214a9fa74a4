import { daemonSetUpdate } from '@atoll/api';
import { daemonSets } from '@atoll/kube';
import type { ControllerRevision, DaemonSet, KubeObject, Node, Pod, Stored } from '@atoll/kube';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isAsPlanned } from '../engine/plan.ts';
import { agent, node, podOn, revision, snapshotOf } from './daemon-set.fixture.ts';
import { decide } from './decide.ts';
import { plan } from './plan.ts';

const { annotations, podLabels } = daemonSetUpdate;

interface Cluster {
  readonly now: number;
  readonly daemonSet: Stored<DaemonSet>;
  /** The number of the DaemonSet: it is deleted with `--cascade=orphan` and made again. */
  readonly life: number;
  readonly revisions: readonly Stored<ControllerRevision>[];
  readonly pods: readonly Stored<Pod>[];
}

const names = ['a', 'b', 'c'];
const nodes: readonly Stored<Node>[] = names.map((name) => node(name));
const start = Date.parse('2026-01-01T01:00:00Z');
const at = (now: number): string => new Date(now).toISOString().replace('.000', '');

function template(image: string) {
  return { metadata: { labels: { app: 'agent' } }, spec: { containers: [{ name: 'agent', image }] } };
}

function imageOf({ spec }: Stored<DaemonSet>): string {
  const [container] = spec?.template.spec?.containers ?? [];
  return container?.image ?? '';
}

function made(now: number, life: number, image: string): Stored<DaemonSet> {
  const found = agent({ [annotations.templateGeneration]: '1' }, { template: template(image) });
  const metadata = { ...found.metadata, uid: `uid-${life}`, generation: 1, creationTimestamp: at(now) };
  return {
    ...found,
    metadata,
    status: { ...found.status, observedGeneration: 0 } as NonNullable<DaemonSet['status']>,
  };
}

const generationOf = ({ metadata }: Stored<DaemonSet>): number =>
  Number(metadata.annotations?.[annotations.templateGeneration]);
const hashOf = ({ metadata }: KubeObject): string =>
  metadata.labels?.[podLabels.controllerRevisionHash] ?? '';

/** As the DaemonSet controller does it: records the template, replaces what is missing, counts. */
function controlled(cluster: Cluster, seq: number): Cluster {
  const { daemonSet, now } = cluster;
  const image = imageOf(daemonSet);
  const newest = Math.max(0, ...cluster.revisions.map((each) => each.revision ?? 0));
  const current = cluster.revisions.find((each) => hashOf(each) === image);
  const recorded = revision(image, newest + 1);
  const revisions =
    current === undefined
      ? [
          ...cluster.revisions,
          {
            ...recorded,
            metadata: {
              ...recorded.metadata,
              uid: `uid-${image}-${seq}`,
              annotations: { [annotations.templateGeneration]: String(generationOf(daemonSet)) },
              creationTimestamp: at(now),
            },
            data: { spec: { template: { $patch: 'replace', ...template(image) } } },
          },
        ]
      : current.revision === newest
        ? cluster.revisions
        : cluster.revisions.map((each) => (each === current ? { ...each, revision: newest + 1 } : each));
  const there = new Set(cluster.pods.map(({ spec }) => spec?.nodeName));
  const pods = [
    ...cluster.pods,
    ...names
      .filter((name) => !there.has(name))
      .map((name): Stored<Pod> => {
        const pod = podOn(name, { hash: image, generation: generationOf(daemonSet), created: at(now) });
        return { ...pod, metadata: { ...pod.metadata, uid: `uid-${name}-${seq}` } };
      }),
  ];
  const updated = pods.filter(
    (pod) =>
      hashOf(pod) === image ||
      pod.metadata.labels?.[podLabels.templateGeneration] === String(generationOf(daemonSet)),
  );
  const status = {
    ...daemonSet.status,
    observedGeneration: daemonSet.metadata.generation,
    desiredNumberScheduled: names.length,
    updatedNumberScheduled: updated.length,
  } as NonNullable<DaemonSet['status']>;
  return { ...cluster, daemonSet: { ...daemonSet, status }, revisions, pods };
}

type Move =
  | { readonly does: 'edit'; readonly image: string }
  | { readonly does: 'control' }
  | { readonly does: 'lose'; readonly image: string }
  | { readonly does: 'make again'; readonly image: string; readonly seconds: number }
  | { readonly does: 'pass'; readonly seconds: number }
  | { readonly does: 'reconcile'; readonly behind: readonly [number, number, number] };

function moved(cluster: Cluster, move: Move, seq: number): Cluster {
  const { daemonSet, now } = cluster;
  switch (move.does) {
    case 'edit': {
      if (imageOf(daemonSet) === move.image) return cluster;
      const { generation = 0 } = daemonSet.metadata;
      const metadata = {
        ...daemonSet.metadata,
        generation: generation + 1,
        annotations: {
          ...daemonSet.metadata.annotations,
          [annotations.templateGeneration]: String(generationOf(daemonSet) + 1),
        },
      };
      const spec = { ...daemonSet.spec, template: template(move.image) } as NonNullable<DaemonSet['spec']>;
      return { ...cluster, daemonSet: { ...daemonSet, metadata, spec } };
    }
    case 'control':
      return controlled(cluster, seq);
    case 'lose':
      return { ...cluster, revisions: cluster.revisions.filter((each) => hashOf(each) !== move.image) };
    case 'make again':
      // Times are whole seconds: what was there before may be of the same one.
      return {
        ...cluster,
        now: now + 1000 * move.seconds,
        life: cluster.life + 1,
        daemonSet: made(now + 1000 * move.seconds, cluster.life + 1, move.image),
      };
    case 'pass':
      return { ...cluster, now: now + 1000 * move.seconds };
    case 'reconcile':
      return cluster;
  }
}

const images = fc.constantFrom('v1', 'v2');
const moves: fc.Arbitrary<Move> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ does: fc.constant('edit' as const), image: images }) },
  { weight: 4, arbitrary: fc.constant<Move>({ does: 'control' }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('lose' as const), image: images }) },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant('make again' as const),
      image: images,
      seconds: fc.constantFrom(0, 1),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constant('pass' as const), seconds: fc.constantFrom(1, 100) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      does: fc.constant('reconcile' as const),
      behind: fc.tuple(fc.nat(2), fc.nat(2), fc.nat(2)),
    }),
  },
);

/** What is deleted of the live cluster where the caches are that many moves behind. */
function reconciled(
  past: readonly Cluster[],
  [a, b, c]: readonly [number, number, number],
): readonly string[] {
  const seen = (behind: number): Cluster => past.at(-1 - Math.min(behind, past.length - 1)) as Cluster;
  const live = seen(0);
  const [owner, history, fleet] = [seen(a), seen(b), seen(c)];
  const isOwned = owner.life === history.life && owner.life === fleet.life;
  const snapshot = snapshotOf({
    owner: { resource: daemonSets, object: owner.daemonSet },
    object: owner.daemonSet,
    history: isOwned ? history.revisions : [],
    pods: isOwned ? fleet.pods : [],
    nodes,
  });
  const planned = plan(snapshot, decide(snapshot, live.now), live.now);
  const found = [live.daemonSet, ...live.revisions];
  const isConfirmed = (planned.guards ?? []).every((guard) =>
    isAsPlanned(
      guard,
      found.find(({ metadata }) => metadata.name === guard.key.name),
    ),
  );
  if (!isConfirmed) return [];
  return planned.stages.flatMap(({ steps }) =>
    steps.flatMap((step) => (step.do === 'delete' ? [step.uid] : [])),
  );
}

it('deletes no pod of the current template, whatever becomes of revisions and of the DaemonSet', () => {
  fc.assert(
    fc.property(fc.array(moves, { minLength: 10, maxLength: 25, size: 'max' }), (all) => {
      const first = { now: start, life: 1, daemonSet: made(start, 1, 'v1'), revisions: [], pods: [] };
      let past: readonly Cluster[] = [controlled(first, 0)];
      for (const [index, move] of all.entries()) {
        const live = past.at(-1) as Cluster;
        if (move.does !== 'reconcile') {
          past = [...past, moved(live, move, index + 1)];
          continue;
        }
        const deleted = new Set(reconciled(past, move.behind));
        const wrong = live.pods.filter(
          (pod) => deleted.has(pod.metadata.uid) && hashOf(pod) === imageOf(live.daemonSet),
        );
        expect(wrong.map((pod) => [pod.metadata.name, imageOf(live.daemonSet)])).toEqual([]);
        past = [...past, { ...live, pods: live.pods.filter((pod) => !deleted.has(pod.metadata.uid)) }];
      }
    }),
    { numRuns: 1000 },
  );
});
