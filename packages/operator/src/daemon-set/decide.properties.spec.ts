import { daemonSetUpdate } from '@atoll/api';
import type { Node, Pod, Stored } from '@atoll/kube';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { agent, node, now, podOn, snapshotOf, upgraded } from './daemon-set.fixture.ts';
import { decide } from './decide.ts';
import { plan } from './plan.ts';

const { annotations, nodeLabels } = daemonSetUpdate;
const ago = (seconds: number): string => new Date(now - seconds * 1000).toISOString();

/** What stands on a node. Its pod is available in the first two. */
const shapes = {
  old: (name: string) => [podOn(name)],
  new: (name: string) => [podOn(name, upgraded)],
  'old, broken': (name: string) => [podOn(name, { ready: false })],
  'new, starting': (name: string) => [podOn(name, { ...upgraded, ready: false })],
  'old, ending': (name: string) => [podOn(name, { ending: true })],
  twice: (name: string) => [podOn(name), podOn(name, upgraded)],
  nothing: () => [],
} as const satisfies Record<string, (name: string) => readonly Stored<Pod>[]>;
type Shape = keyof typeof shapes;

const states = [
  'ready',
  'excluded',
  'just away',
  'away',
  'gone',
  'just tainted',
  'tainted',
  'tainted, nobody knows when',
] as const;
type State = (typeof states)[number];

interface Place {
  readonly state: State;
  readonly shape: Shape;
  readonly zone: string;
}

const places = fc.array(
  fc.record({
    // Mostly as nodes are.
    state: fc.oneof(
      { weight: 4, arbitrary: fc.constant<State>('ready') },
      { weight: 2, arbitrary: fc.constantFrom(...states) },
    ),
    shape: fc.oneof(
      { weight: 2, arbitrary: fc.constant<Shape>('old') },
      { weight: 3, arbitrary: fc.constantFrom(...(Object.keys(shapes) as Shape[])) },
    ),
    zone: fc.constantFrom('x', 'y', 'z'),
  }),
  { maxLength: 40 },
);
const budgets = fc.oneof(
  fc.integer({ min: 1, max: 8 }).map(String),
  fc.integer({ min: 1, max: 100 }).map((percent) => `${percent}%`),
);

function nodeOf({ state, zone }: Place, name: string): readonly Stored<Node>[] {
  const labels = {
    'topology.kubernetes.io/zone': zone,
    ...(state === 'excluded' ? { [nodeLabels.excluded]: 'true' } : {}),
  };
  if (state === 'gone') return [];
  const seconds = { away: 300, 'just away': 30 }[state as string];
  const made = node(name, { labels, ...(seconds === undefined ? {} : { awaySince: ago(seconds) }) });
  if (!isReadyAndTainted(state)) return [made];
  const timeAdded = { tainted: { timeAdded: ago(300) }, 'just tainted': { timeAdded: ago(30) } }[
    state as string
  ];
  return [{ ...made, spec: { taints: [{ key: away, effect: 'NoSchedule', ...timeAdded }] } }];
}

const away = 'node.kubernetes.io/unreachable';
/** It is Ready, and a taint of its absence still keeps new pods off. */
const isReadyAndTainted = (state: State): boolean => state.includes('tainted');

/** The nodes whose pods are deleted, in that order. */
function deletedBy(
  maxUnavailable: string,
  nodes: readonly Stored<Node>[],
  pods: readonly Stored<Pod>[],
): readonly string[] {
  const snapshot = snapshotOf({
    object: agent({ [annotations.maxUnavailable]: maxUnavailable }),
    nodes,
    pods,
  });
  const { stages } = plan(snapshot, decide(snapshot, now), now);
  return stages.flatMap(({ steps }) =>
    steps.flatMap((step) => (step.do === 'delete' ? [step.target ?? ''] : [])),
  );
}

const isThere = ({ state }: Place): boolean => state === 'ready' || state === 'excluded';
/** We have deleted its pod, and then its node went away, or was tainted: it counts for a minute. */
const isOwed = ({ state, shape }: Place): boolean =>
  (state === 'just away' || isReadyAndTainted(state)) &&
  ['new, starting', 'old, ending', 'twice', 'nothing'].includes(shape) &&
  // A kubelet that is there speaks for its pod.
  (state !== 'tainted' || ['new, starting', 'twice'].includes(shape));
const isDown = (place: Place): boolean =>
  isOwed(place) || (isThere(place) && place.shape !== 'old' && place.shape !== 'new');

function allowed(maxUnavailable: string, all: readonly Place[]): number {
  const number = Number.parseInt(maxUnavailable, 10);
  if (!maxUnavailable.endsWith('%')) return number;
  const counting = all.filter((place) => isThere(place) || isOwed(place)).length;
  return Math.max(1, Math.ceil((counting * number) / 100));
}

const name = (index: number): string => `n${String(index).padStart(2, '0')}`;

it('takes what is available only within the budget, outdated pods only, and only from nodes that are there', () => {
  fc.assert(
    fc.property(places, budgets, (all, maxUnavailable) => {
      const nodes = all.flatMap((place, index) => nodeOf(place, name(index)));
      const pods = all.flatMap(({ shape }, index) => shapes[shape](name(index)));
      const deleted = deletedBy(maxUnavailable, nodes, pods);
      const found = new Map(all.map((place, index) => [name(index), place]));
      const budget = allowed(maxUnavailable, all);
      const down = all.filter(isDown).length;
      const taken = deleted.filter((each) => found.get(each)?.shape === 'old').length;

      expect(new Set(deleted).size).toBe(deleted.length);
      expect(deleted.length).toBeLessThanOrEqual(budget);
      for (const each of deleted) expect(['old', 'old, broken']).toContain(found.get(each)?.shape);
      for (const each of deleted) expect(found.get(each)?.state).toBe('ready');
      expect(taken === 0 || down + taken <= budget).toBe(true);
      // It goes as far as it may: what is broken first.
      const free = all.filter(({ state, shape }) => state === 'ready' && shape === 'old').length;
      expect(taken).toBe(Math.min(free, Math.max(0, budget - down)));
      const broken = deleted.map((each) => found.get(each)?.shape === 'old, broken');
      expect(broken).toEqual(broken.toSorted((a, b) => Number(b) - Number(a)));
    }),
    { numRuns: 2000 },
  );
});

it('does not depend on the order in which nodes and pods are listed', () => {
  const shuffled = places.chain((all) => {
    const nodes = all.flatMap((place, index) => nodeOf(place, name(index)));
    const pods = all.flatMap(({ shape }, index) => shapes[shape](name(index)));
    return fc.record({
      listed: fc.constant({ nodes, pods }),
      nodes: fc.shuffledSubarray(nodes, { minLength: nodes.length }),
      pods: fc.shuffledSubarray(pods, { minLength: pods.length }),
    });
  });
  fc.assert(
    fc.property(shuffled, budgets, ({ listed, nodes, pods }, maxUnavailable) => {
      const expected = deletedBy(maxUnavailable, listed.nodes, listed.pods);
      expect(deletedBy(maxUnavailable, nodes, pods)).toEqual(expected);
    }),
  );
});
