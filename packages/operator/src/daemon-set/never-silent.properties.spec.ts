import { daemonSetUpdate } from '@atoll/api';
import type { Node, Pod, Stored } from '@atoll/kube';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { describeHold } from '../engine/problems/describe-hold.ts';
import { isAtWanted } from '../engine/rollout/target.ts';
import { agent, node, now, podOn, recorded, revision, snapshotOf, upgraded } from './daemon-set.fixture.ts';
import { decide } from './decide.ts';
import { plan } from './plan.ts';
import type { DaemonSetSnapshot } from './observe.ts';

const { annotations, nodeLabels } = daemonSetUpdate;
const ago = (seconds: number): string => new Date(now - seconds * 1000).toISOString();

type Shape = (name: string) => readonly Stored<Pod>[];
const notReady = { ready: false, since: ago(40) };
/** What stands on a node. */
const shapes: Readonly<Record<string, Shape>> = {
  old: (name) => [podOn(name)],
  new: (name) => [podOn(name, upgraded)],
  'old, not ready': (name) => [podOn(name, notReady)],
  'new, not ready': (name) => [podOn(name, { ...upgraded, ...notReady })],
  'new, ready for a moment': (name) => [podOn(name, { ...upgraded, since: ago(5) })],
  'old, ending': (name) => [podOn(name, { ending: true })],
  'new, ending': (name) => [podOn(name, { ...upgraded, ending: true })],
  'old, failed': (name) => [ended(podOn(name))],
  'new, failed': (name) => [ended(podOn(name, upgraded))],
  'of an unknown template': (name) => [podOn(name, { hash: 'somebody' })],
  twice: (name) => [podOn(name), podOn(name, upgraded)],
  'old, bound to no node': (name) => [unbound(podOn(name, { ready: false }))],
  'new, bound to no node': (name) => [unbound(podOn(name, { ...upgraded, ready: false }))],
  nothing: () => [],
};

function unbound(pod: Stored<Pod>): Stored<Pod> {
  const term = {
    matchFields: [{ key: 'metadata.name', operator: 'In', values: [pod.spec?.nodeName ?? ''] }],
  };
  const required = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } };
  return { ...pod, spec: { containers: [], affinity: { nodeAffinity: required } } };
}

function ended(pod: Stored<Pod>): Stored<Pod> {
  return { ...pod, status: { ...pod.status, phase: 'Failed', conditions: [] } };
}

/** Where the node is. */
const states: Readonly<Record<string, (name: string) => readonly Stored<Node>[]>> = {
  ready: (name) => [node(name)],
  excluded: (name) => [node(name, { labels: { [nodeLabels.excluded]: 'true' } })],
  'just away': (name) => [node(name, { awaySince: ago(30) })],
  away: (name) => [node(name, { awaySince: ago(300) })],
  'back, with its taints': (name) => [
    { ...node(name), spec: node(name, { awaySince: ago(300) }).spec ?? {} },
  ],
  'drained by a taint': (name) => [
    { ...node(name), spec: { taints: [{ key: 'maintenance', effect: 'NoExecute' }] } },
  ],
  gone: () => [],
};

const asked = fc.record(
  {
    [annotations.updateStrategy]: fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom('AdvancedRollingUpdate', 'OTA') },
      { weight: 1, arbitrary: fc.constantFrom('auto', 'ota', 'x', '') },
    ),
    [annotations.maxUnavailable]: fc.constantFrom('1', '3', '0', '30%', '100%', '999', '-1', 'x'),
    [annotations.rolloutPaused]: fc.constantFrom('false', 'false', 'true', 'yes'),
  },
  { requiredKeys: [annotations.updateStrategy] },
);

const worlds = fc.record({
  asked,
  isRecorded: fc.boolean(),
  minReadySeconds: fc.constantFrom(0, 10),
  seen: fc.constantFrom(2, 2, 2, 2, 2, 1),
  history: fc.constantFrom(['old', 'new'], ['old', 'new'], ['old', 'new'], []),
  places: fc.array(
    fc.record({
      state: fc.oneof(fc.constant('ready'), fc.constantFrom(...Object.keys(states))),
      shape: fc.constantFrom(...Object.keys(shapes)),
    }),
    { minLength: 1, maxLength: 6 },
  ),
});
type Drawn = typeof worlds extends fc.Arbitrary<infer T> ? T : never;

function snapshotFrom({ asked: given, isRecorded, minReadySeconds, seen, history, places }: Drawn) {
  const made = agent(given as Readonly<Record<string, string>>, { minReadySeconds });
  const object = isRecorded ? recorded(made) : made;
  const status = { ...object.status, observedGeneration: seen } as NonNullable<typeof object.status>;
  return snapshotOf({
    object: { ...object, status },
    history: history.map((hash, index) => revision(hash, index + 1)),
    nodes: places.flatMap(({ state }, index) => states[state]?.(`n${index}`) ?? []),
    pods: places.flatMap(({ shape }, index) => shapes[shape]?.(`n${index}`) ?? []),
  });
}

/** Nodes without an available pod of the current template, of which nothing is said and to which nothing is done; undefined: nothing at all is said. */
function silent(snapshot: DaemonSetSnapshot): readonly string[] | undefined {
  const decision = decide(snapshot, now);
  const { stages } = plan(snapshot, decision, now);
  if (decision.upgrade?.latest === undefined) return decision.holds.length === 0 ? undefined : [];
  const deleted = stages
    .flatMap(({ steps }) => steps)
    .flatMap((step) => (step.do === 'delete' ? [step.target] : []));
  const held = new Set(decision.holds.flatMap(({ targets }) => targets));
  return decision.upgrade.nodes
    .filter(({ target }) => !isAtWanted(target) || target.health !== 'healthy')
    .map(({ target }) => target.id)
    .filter((id) => !held.has(id) && !deleted.includes(id));
}

it('says of each node that is not up to date what it waits for, or upgrades it', () => {
  fc.assert(
    fc.property(worlds, (drawn) => {
      expect(silent(snapshotFrom(drawn))).toEqual([]);
    }),
    { numRuns: 800 },
  );
});

it('deletes no pod that is bound to a node where the owners of nodes decide', () => {
  fc.assert(
    fc.property(worlds, (drawn) => {
      const snapshot = snapshotFrom({
        ...drawn,
        asked: { ...drawn.asked, [annotations.updateStrategy]: 'OTA' },
      });
      const bound = new Set(
        snapshot.pods.filter(({ spec }) => spec?.nodeName).map(({ metadata }) => metadata.uid),
      );
      const steps = plan(snapshot, decide(snapshot, now), now).stages.flatMap((stage) => stage.steps);
      for (const step of steps.filter((each) => each.do === 'delete')) {
        expect(bound).not.toContain(step.uid);
        expect(step.resourceVersion).toBeDefined();
      }
    }),
    { numRuns: 400 },
  );
});

/** What a moment has done and shown, with nothing else changed. */
function shownAt(snapshot: DaemonSetSnapshot, at: number) {
  const decision = decide(snapshot, at);
  const { stages, requeueAt } = plan(snapshot, decision, at);
  const steps = stages.flatMap(({ steps: each }) => each.map((step) => `${step.do} ${step.target ?? ''}`));
  const { upgrade } = decision;
  const done = upgrade?.nodes.filter(
    ({ target }) => isAtWanted(target) && target.health === 'healthy',
  ).length;
  return { shown: { steps, done, holds: decision.holds.map((hold) => describeHold(hold)) }, requeueAt };
}

it('is requeued before time alone changes what it does or shows', () => {
  fc.assert(
    fc.property(worlds, fc.integer({ min: 1, max: 900 }), (drawn, seconds) => {
      const snapshot = snapshotFrom(drawn);
      const { shown, requeueAt = Infinity } = shownAt(snapshot, now);
      const before = Math.min(now + seconds * 1000, requeueAt - 1);
      expect(shownAt(snapshot, before).shown).toEqual(shown);
    }),
    { numRuns: 400 },
  );
});
