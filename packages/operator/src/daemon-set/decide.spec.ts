import { daemonSetUpdate } from '@atoll/api';
import { ApiError } from '@atoll/kube';
import type { ControllerRevision, DaemonSet, Node, Pod, Stored } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import { describeHold } from '../engine/problems/describe-hold.ts';
import { agent, node, now, podOn, revision, snapshotOf, upgraded, recorded } from './daemon-set.fixture.ts';
import { decide } from './decide.ts';
import type { DaemonSetSnapshot } from './observe.ts';
import { plan } from './plan.ts';

const { annotations, nodeLabels, podConditions } = daemonSetUpdate;

/** Nodes whose pod the plan deletes, and why nothing happens elsewhere. */
function decided(change: Parameters<typeof snapshotOf>[0], at = now) {
  const snapshot: DaemonSetSnapshot = snapshotOf(change);
  const decision = decide(snapshot, at);
  const { stages, requeueAt } = plan(snapshot, decision, at);
  const steps = stages.flatMap((stage) => stage.steps);
  return {
    deletes: steps.flatMap((step) => (step.do === 'delete' ? [step.target] : [])),
    steps,
    holds: decision.holds.map((hold) => `${hold.reason}: ${describeHold(hold)}`),
    requeueAt,
  };
}

const oldManager = { name: 'yurt-manager', what: 'Deployment kube-system/yurt-manager', runs: true };
const threeNodes = [node('a'), node('b'), node('c')];
const allOld = threeNodes.map(({ metadata }) => podOn(metadata.name));
const { templateGeneration } = annotations;
const labels = { app: 'agent' };
const template = (image: string) => ({
  metadata: { labels },
  spec: { containers: [{ name: 'agent', image }] },
});
/** As the DaemonSet controller records it. */
const made = (hash: string, number: number, generation: number, image: string) => {
  const found = revision(hash, number);
  const metadata = { ...found.metadata, annotations: { [templateGeneration]: String(generation) } };
  const replaced = {
    $patch: 'replace',
    ...template(image),
    metadata: { creationTimestamp: null, labels },
  };
  return { ...found, metadata, data: { spec: { template: replaced } } };
};
const minutes = (count: number): string => new Date(now - 60_000 * count).toISOString();

describe('a rolling upgrade', () => {
  it('waits for minReadySeconds of a new pod whose kubelet has a clock that is an hour behind', () => {
    const ago = (seconds: number): string => new Date(now - seconds * 1000).toISOString();
    const pods = [podOn('a', { ...upgraded, created: ago(2), since: ago(3_599) }), podOn('b'), podOn('c')];
    const object = agent({}, { minReadySeconds: 60 });
    expect(decided({ object, nodes: threeNodes, pods })).toMatchObject({
      deletes: [],
      requeueAt: now + 58_000,
    });
    expect(decided({ object, nodes: threeNodes, pods }, now + 58_000).deletes).toEqual(['b']);
  });

  it('deletes one outdated pod where one may be unavailable, the first by the name of its node', () => {
    const { deletes, holds } = decided({ nodes: threeNodes, pods: allOld });
    expect(deletes).toEqual(['a']);
    expect(holds).toEqual([
      'MaxUnavailableReached: b, c: waiting until the number of nodes that are unavailable or being changed is below 1 (now 1: a)',
    ]);
  });

  it.each<[string, readonly Stored<Pod>[]]>([
    ['is not there yet', []],
    ['is not ready', [podOn('b', { ...upgraded, ready: false })]],
    ['is ending', [podOn('b', { ending: true })]],
    ['is there twice', [podOn('b', upgraded), podOn('b', { ...upgraded, hash: 'newer' })]],
  ])('waits for a pod that %s', (_, ofB) => {
    const pods = [podOn('a'), podOn('c', upgraded), ...ofB];
    expect(decided({ nodes: threeNodes, pods }).deletes).toEqual([]);
  });

  it('waits until a pod was ready for minReadySeconds, and is requeued then', () => {
    const since = new Date(now - 4_000).toISOString();
    const pods = [podOn('a', { ...upgraded, since }), podOn('b'), podOn('c')];
    const object = agent({}, { minReadySeconds: 10 });
    const { deletes, requeueAt } = decided({ object, nodes: threeNodes, pods });
    expect(deletes).toEqual([]);
    expect(requeueAt).toBe(now + 6_000);
    expect(decided({ object, nodes: threeNodes, pods }, now + 6_000).deletes).toEqual(['b']);
  });

  describe('whose pods do not become available', () => {
    const broken = podOn('a', { ...upgraded, ready: false });
    const finding = {
      word: 'ImagePullBackOff',
      message: 'pod agent-a-new on node a: container agent cannot pull its image agent:2: not found',
      pods: [broken.metadata.name],
      nodes: ['a'],
    } as const;
    const rolling = { nodes: threeNodes, pods: [broken, podOn('b'), podOn('c')] };

    it('has them looked at, and names first what was found', () => {
      const snapshot = snapshotOf({ ...rolling, finding });
      const decision = decide(snapshot, now);
      const awaited = [broken.metadata.name];
      expect(plan(snapshot, decision, now).inspect).toMatchObject([
        { kind: 'DaemonSet', wanted: 3, awaited },
      ]);
      expect(decision.holds.map(({ reason }) => reason)).toEqual([
        'ImagePullBackOff',
        'MaxUnavailableReached',
      ]);
    });

    it('reports nothing about a pod that is available meanwhile', () => {
      const old = { ...finding, pods: ['agent-b-new'] };
      const { holds } = decide(snapshotOf({ ...rolling, finding: old }), now);
      expect(holds.map(({ reason }) => reason)).toEqual(['MaxUnavailableReached', 'WaitingForReady']);
    });

    it('is not looked at when all are', () => {
      const pods = threeNodes.map(({ metadata }) => podOn(metadata.name, upgraded));
      const snapshot = snapshotOf({ nodes: threeNodes, pods });
      expect(plan(snapshot, decide(snapshot, now), now).inspect).toEqual([]);
    });
  });

  it('takes broken pods first, within the budget', () => {
    const pods = [podOn('a'), podOn('b', { ready: false }), podOn('c', { ready: false })];
    expect(decided({ nodes: threeNodes, pods }).deletes).toEqual(['b']);
    const two = agent({ [annotations.maxUnavailable]: '2' });
    expect(decided({ object: two, nodes: threeNodes, pods }).deletes).toEqual(['b', 'c']);
  });

  it('repairs the one node that a broken template has taken down', () => {
    const pods = [podOn('a', { hash: 'broken', ready: false }), podOn('b'), podOn('c')];
    const { deletes, steps } = decided({ nodes: threeNodes, pods });
    expect(deletes).toEqual(['a']);
    // That it is not ready is the reason, so it must still be so.
    expect(steps).toMatchObject([{ uid: 'uid-agent-a-broken', resourceVersion: '1' }]);
  });

  it('never deletes a pod whose hash or template generation is the current one, or a newer one', () => {
    const pods = [
      podOn('a', upgraded),
      podOn('b', { generation: 2 }),
      podOn('c', { hash: 'x', generation: 3 }),
    ];
    expect(decided({ nodes: threeNodes, pods })).toMatchObject({ deletes: [], holds: [] });
  });

  describe('of a DaemonSet that was deleted without its pods and made anew', () => {
    // Its template generation is 2: it counts from 1 again. Its predecessor's pods, which it adopts, have 5.
    const madeAt = Date.parse(agent().metadata.creationTimestamp);
    const made = (seconds: number): string => new Date(madeAt + seconds * 1_000).toISOString();
    const adopted = { generation: 5, created: made(-1) };

    it('replaces the pods that it adopted, whatever template generation they carry', () => {
      const pods = [podOn('a', adopted), podOn('b', { ...adopted, generation: 2 }), podOn('c', upgraded)];
      expect(decided({ nodes: threeNodes, pods }).deletes).toEqual(['a']);
      const later = [podOn('a', upgraded), ...pods.slice(1)];
      expect(decided({ nodes: threeNodes, pods: later }).deletes).toEqual(['b']);
    });

    it('offers them to the owners of the nodes', () => {
      const object = recorded(agent({ [annotations.updateStrategy]: 'OTA' }));
      const { steps } = decided({ object, nodes: threeNodes, pods: [podOn('a', adopted)] });
      expect(steps).toMatchObject([{ patch: { body: { status: { conditions: [{ status: 'True' }] } } } }]);
    });

    it('keeps those whose template it has', () => {
      const pods = threeNodes.map(({ metadata }) => podOn(metadata.name, { ...adopted, hash: 'new' }));
      expect(decided({ nodes: threeNodes, pods })).toMatchObject({ deletes: [], holds: [] });
    });

    it('keeps its own of a template that is not seen yet, also those of the second in which it was made', () => {
      const pods = threeNodes.map(({ metadata: { name } }, index) =>
        podOn(name, { hash: 'x', generation: 3, created: made(index) }),
      );
      expect(decided({ nodes: threeNodes, pods })).toMatchObject({ deletes: [], holds: [] });
    });
  });

  it('goes back to an older revision that became the newest', () => {
    const history = [revision('old', 3), revision('new', 2)];
    const object = agent({ [annotations.templateGeneration]: '3' });
    const pods = [podOn('a'), podOn('b', upgraded), podOn('c', upgraded)];
    expect(decided({ object, history, nodes: threeNodes, pods }).deletes).toEqual(['b']);
  });

  it('deletes nothing while the current revision, which somebody deleted, is not recorded anew', () => {
    const object = agent({ [templateGeneration]: '3' }, { template: template('agent:1') });
    const pods = [podOn('a'), podOn('b', upgraded), podOn('c')];
    const undone = made('new', 2, 2, 'agent:2');
    const decidedWith = (history: readonly Stored<ControllerRevision>[]) =>
      decided({ object, history, nodes: threeNodes, pods });
    expect(decidedWith([undone])).toMatchObject({
      deletes: [],
      holds: ['TemplateNotSeen: waiting until the DaemonSet controller has recorded the current template'],
    });
    expect(decidedWith([undone, made('old', 3, 3, 'agent:1')]).deletes).toEqual(['b']);
  });

  it('deletes nothing where all pods are updated, and somebody deleted the current revision', () => {
    const object = agent({ [templateGeneration]: '3' }, { template: template('agent:1') });
    const history = [made('new', 2, 2, 'agent:2')];
    expect(decided({ object, history, nodes: threeNodes, pods: allOld }).deletes).toEqual([]);
  });

  it('looks at the newest revision and at those of outdated pods before it deletes them', () => {
    const history = [revision('unused', 1), revision('old', 2), revision('new', 3)];
    const snapshot = snapshotOf({ nodes: threeNodes, pods: allOld, history });
    const { guards = [] } = plan(snapshot, decide(snapshot, now), now);
    expect(guards.map(({ key }) => key.name)).toEqual(['agent', 'agent-old', 'agent-new']);
  });

  it('replaces pods whose own revision somebody deleted', () => {
    const object = agent({}, { template: template('agent:2') });
    const history = [made('new', 2, 2, 'agent:2')];
    expect(decided({ object, history, nodes: threeNodes, pods: allOld }).deletes).toEqual(['a']);
  });

  it('does not decide what is outdated before the DaemonSet controller has seen the template', () => {
    const object = { ...agent(), metadata: { ...agent().metadata, generation: 3 } };
    expect(decided({ object, nodes: threeNodes, pods: allOld })).toMatchObject({
      deletes: [],
      holds: ['TemplateNotSeen: waiting until the DaemonSet controller has recorded the current template'],
    });
    expect(decided({ history: [], nodes: threeNodes, pods: allOld }).deletes).toEqual([]);
  });

  it('asks for a percentage of the nodes that count', () => {
    const nodes = Array.from({ length: 25 }, (_, index) =>
      node(`n${String(index).padStart(2, '0')}`, index < 5 ? { awaySince: minutes(5) } : {}),
    );
    const pods = nodes.map(({ metadata }) => podOn(metadata.name));
    const object = agent({ [annotations.maxUnavailable]: '10%' });
    expect(decided({ object, nodes, pods }).deletes).toEqual(['n05', 'n06']);
  });
});

describe('a node', () => {
  it('that is away is neither upgraded nor waited for, and is named', () => {
    const nodes = [node('a', { awaySince: minutes(5) }), node('b'), node('c')];
    const pods = [podOn('a', { ready: false, since: minutes(5) }), podOn('b'), podOn('c', upgraded)];
    const { deletes, holds } = decided({ nodes, pods });
    expect(deletes).toEqual(['b']);
    expect(holds).toContain('NodeNotReady: a: waiting until the node is Ready again');
  });

  it.each([
    ['AdvancedRollingUpdate', 'whose new pod is not there', []],
    ['AdvancedRollingUpdate', 'whose new pod is not available', [podOn('a', { ...upgraded, ready: false })]],
    ['OTA', 'whose new pod is not there', []],
    ['OTA', 'whose new pod is not available', [podOn('a', { ...upgraded, ready: false })]],
  ])('that is away, and %s: %s, is named', (strategy, _, ofA) => {
    const nodes = [node('a', { awaySince: minutes(5) }), node('b', { awaySince: minutes(5) }), node('c')];
    const pods = [...ofA, podOn('c', upgraded)];
    const object = agent({ [annotations.updateStrategy]: strategy });
    expect(decided({ object, nodes, pods }).holds).toEqual([
      'NodeNotReady: a, b: waiting until the node is Ready again',
    ]);
  });

  it('that is away is named together with those whose old pods wait for their nodes', () => {
    const nodes = [node('a', { awaySince: minutes(5) }), node('b', { awaySince: minutes(5) })];
    expect(decided({ nodes, pods: [podOn('a')] }).holds).toEqual([
      'NodeNotReady: a, b: waiting until the node is Ready again',
    ]);
  });

  it.each([
    ['AdvancedRollingUpdate', 'true'],
    ['AdvancedRollingUpdate', 'false'],
    ['OTA', 'true'],
    ['OTA', 'false'],
  ])('without a pod waits for the new one, whatever keeps old ones: %s, paused %s', (strategy, isPaused) => {
    const excluded = { labels: { [nodeLabels.excluded]: 'true' } };
    const object = agent({ [annotations.updateStrategy]: strategy, [annotations.rolloutPaused]: isPaused });
    const nodes = [node('a', excluded), node('b', excluded), node('c')];
    const { holds } = decided({ object, nodes, pods: [podOn('b', { ending: true }), podOn('c', upgraded)] });
    expect(holds.sort()).toEqual([
      'BeingDeleted: b: waiting until the pod that is being deleted there is gone',
      'WaitingForReady: a: waiting until the pods are available',
    ]);
  });

  it('that went away after its pod was deleted counts for a minute', () => {
    const away = (since: string) => [node('a', { awaySince: since }), node('b'), node('c')];
    const pods = [podOn('a', { ending: true }), podOn('b'), podOn('c')];
    const { deletes, requeueAt } = decided({ nodes: away(minutes(0.5)), pods });
    expect(deletes).toEqual([]);
    expect(requeueAt).toBe(now + 30_000);
    expect(decided({ nodes: away(minutes(1)), pods }).deletes).toEqual(['b']);
    const object = agent({ [annotations.awayNodeCountsSeconds]: '0' });
    expect(decided({ object, nodes: away(minutes(0.5)), pods }).deletes).toEqual(['b']);
  });

  it.each([
    ['has tainted it', [{ key: 'node.kubernetes.io/not-ready', effect: 'NoExecute', timeAdded: minutes(0) }]],
    ['has not tainted it yet', []],
  ])(
    'that is not Ready since a moment by a kubelet whose clock is an hour behind counts where the controller %s',
    (_, taints) => {
      const conditions = [{ type: 'Ready', status: 'False' as const, lastTransitionTime: minutes(60) }];
      const away = { ...node('a'), spec: { taints }, status: { conditions } };
      const starting = podOn('a', { ...upgraded, ready: false, since: minutes(62), created: minutes(2) });
      const pods = [starting, podOn('b'), podOn('c')];
      expect(decided({ nodes: [away, node('b'), node('c')], pods }).deletes).toEqual([]);
    },
  );

  it('that went away soon after its new pod was Ready counts for a minute, and one that went later does not', () => {
    const nodes = [node('a', { awaySince: minutes(0.5) }), node('b'), node('c')];
    const of = (created: string) => [
      podOn('a', { ...upgraded, ready: false, since: minutes(0.5), created, startTime: created }),
      podOn('b'),
      podOn('c'),
    ];
    expect(decided({ nodes, pods: of(minutes(10)) }).deletes).toEqual([]);
    expect(decided({ nodes, pods: of(minutes(10.5)) }).deletes).toEqual(['b']);
  });

  describe('that is Ready, and still has a taint of its absence', () => {
    const key = 'node.kubernetes.io/unreachable';
    const tainted = (timeAdded?: string) => {
      const taint = { key, effect: 'NoSchedule', ...(timeAdded === undefined ? {} : { timeAdded }) };
      return [{ ...node('a'), spec: { taints: [taint] } }, node('b'), node('c')];
    };

    it('counts for a minute where nothing runs there, and waits for the taint to go', () => {
      const pods = [podOn('b'), podOn('c')];
      expect(decided({ nodes: tainted(minutes(0.5)), pods })).toMatchObject({
        deletes: [],
        requeueAt: now + 30_000,
      });
      const { deletes, holds } = decided({ nodes: tainted(minutes(1)), pods });
      expect(deletes).toEqual(['b']);
      expect(holds).toContain(
        `NodeNotReady: a: waiting until the taint ${key} is gone from the node, which is Ready`,
      );
    });

    it.each([
      ['nobody knows since when', tainted(), []],
      ['a pod of the template is starting', tainted(minutes(5)), [podOn('a', { ...upgraded, ready: false })]],
      [
        'a pod of the template is suspect',
        tainted(minutes(5)),
        [podOn('a', { ...upgraded, ready: false, since: minutes(4) })],
      ],
    ])('counts for as long as that lasts: %s', (_, nodes, ofA) => {
      const pods = [...ofA, podOn('b'), podOn('c')];
      expect(decided({ nodes, pods }).deletes).toEqual([]);
    });
  });

  it('that is gone is none, though its pod is still listed', () => {
    const pods = [podOn('gone', { ready: false }), podOn('b'), podOn('c', upgraded)];
    expect(decided({ nodes: [node('b'), node('c')], pods }).deletes).toEqual(['b']);
  });

  it('that the DaemonSet controller would make no pod for is none', () => {
    const object = agent({}, { template: { spec: { containers: [], nodeSelector: { edge: 'yes' } } } });
    const nodes = [node('a'), node('b', { labels: { edge: 'yes' } })];
    expect(decided({ object, nodes, pods: [podOn('a', { ready: false }), podOn('b')] }).deletes).toEqual([
      'b',
    ]);
  });

  it('that is excluded by its label keeps its pod', () => {
    const nodes = [node('a', { labels: { [nodeLabels.excluded]: 'true' } }), node('b')];
    const { deletes, holds } = decided({ nodes, pods: [podOn('a'), podOn('b')] });
    expect(deletes).toEqual(['b']);
    expect(holds[0]).toBe(
      'NodeExcluded: a: waiting until the label atoll.dev/rollout-excluded is removed from the node',
    );
  });

  it.each(['True', 'yes', '1', ''])(
    'that is excluded by its label with another value than "true" keeps its pod, and which value to use is said: "%s"',
    (value) => {
      const nodes = [node('a', { labels: { [nodeLabels.excluded]: value } }), node('b')];
      const { deletes, holds } = decided({ nodes, pods: [podOn('a'), podOn('b')] });
      expect(deletes).toEqual(['b']);
      expect(holds[0]).toBe(
        `NodeExcluded: a: waiting until the label atoll.dev/rollout-excluded is removed from the node (it is "${value}": use "true" to keep the pod, "false" not to)`,
      );
      const object = recorded(agent({ [annotations.updateStrategy]: 'OTA' }));
      const ota = decided({ object, nodes, pods: [podOn('a'), podOn('b')] });
      expect(ota.steps.map((step) => step.target)).toEqual(['b']);
      expect(ota.holds[0]).toBe(holds[0]);
    },
  );

  it('that is labelled as not excluded keeps no pod', () => {
    const nodes = [node('a', { labels: { [nodeLabels.excluded]: 'false' } })];
    expect(decided({ nodes, pods: [podOn('a')] })).toMatchObject({ deletes: ['a'], holds: [] });
  });

  it('that is excluded with another value than "true", and whose old pod is not available, is named with both', () => {
    const nodes = [node('a', { labels: { [nodeLabels.excluded]: 'yes' } }), node('b')];
    const { deletes, holds } = decided({ nodes, pods: [podOn('a', { ready: false }), podOn('b')] });
    expect(deletes).toEqual([]);
    expect(holds[0]).toBe(
      'NodeExcluded: a: waiting until the pod is available, or the label atoll.dev/rollout-excluded is removed from the node (it is "yes": use "true" to keep the pod, "false" not to), which counts as unavailable',
    );
  });

  it('that is excluded and has no pod is not named: its DaemonSet controller makes the pod', () => {
    const nodes = [node('a', { labels: { [nodeLabels.excluded]: 'true' } }), node('b')];
    const { deletes, holds } = decided({ nodes, pods: [podOn('b')] });
    expect(deletes).toEqual([]);
    expect(holds.map((each) => each.split(':')[0])).toEqual(['MaxUnavailableReached', 'WaitingForReady']);
  });

  it('that waits for a person is named before one whose pod has a known problem', () => {
    const broken = podOn('a', { ...upgraded, ready: false });
    const nodes = [node('a'), node('b', { labels: { [nodeLabels.excluded]: 'true' } })];
    const finding = {
      word: 'CrashLoopBackOff',
      message: 'container agent ended with exit code 1',
      pods: [broken.metadata.name],
      nodes: ['a'],
    } as const;
    const { holds } = decided({ nodes, pods: [broken, podOn('b')], finding });
    expect(holds.map((each) => each.split(':')[0])).toEqual(['NodeExcluded', 'CrashLoopBackOff']);
  });

  it('that is excluded, and whose old pod is not available, is named as what the others wait for', () => {
    const nodes = [node('a', { labels: { [nodeLabels.excluded]: 'true' } }), node('b'), node('c')];
    const pods = [podOn('a', { ready: false }), podOn('b'), podOn('c')];
    const { deletes, holds } = decided({ nodes, pods });
    expect(deletes).toEqual([]);
    expect(holds).toEqual([
      'NodeExcluded: a: waiting until the pod is available, or the label atoll.dev/rollout-excluded is removed from the node, which counts as unavailable',
      'MaxUnavailableReached: b, c: waiting until the number of nodes that are unavailable or being changed is below 1 (now 1: a)',
    ]);
  });

  it('takes its turn with those of other zones', () => {
    const zone = (name: string) => ({ labels: { 'topology.kubernetes.io/zone': name } });
    const nodes = [node('a1', zone('a')), node('a2', zone('a')), node('b1', zone('b'))];
    const object = agent({ [annotations.maxUnavailable]: '2' });
    const pods = nodes.map(({ metadata }) => podOn(metadata.name));
    expect(decided({ object, nodes, pods }).deletes).toEqual(['a1', 'b1']);
  });
});

describe('a DaemonSet that was orphaned and made again', () => {
  const again = (created: string): Stored<DaemonSet> => {
    const found = agent({ [templateGeneration]: '1' }, { template: template('agent:2') });
    return { ...found, metadata: { ...found.metadata, creationTimestamp: created } };
  };
  const ofSecond = (created: string): Stored<ControllerRevision> => {
    const found = made('other', 1, 1, 'agent:1');
    return { ...found, metadata: { ...found.metadata, creationTimestamp: created } };
  };
  const current = podOn('a', { hash: 'deleted', generation: 1, created: minutes(10) });

  it('deletes no pod while the revision of its template is gone and another one is of the same second', () => {
    const second = minutes(5);
    const { deletes, holds } = decided({
      object: again(second),
      history: [ofSecond(second)],
      nodes: [node('a')],
      pods: [current],
    });
    expect(deletes).toEqual([]);
    expect(holds).toEqual([
      'TemplateNotSeen: waiting until the DaemonSet controller has recorded the current template',
    ]);
  });

  it('takes a revision that was made after it for one of its own', () => {
    const { deletes } = decided({
      object: again(minutes(5)),
      history: [ofSecond(minutes(4))],
      nodes: [node('a')],
      pods: [current],
    });
    expect(deletes).toEqual(['a']);
  });
});

describe('a revision with a higher number that the DaemonSet has adopted a moment ago', () => {
  // Rolled back: generation 3 is the template of generation 1, of which the pods are.
  const object = agent({ [templateGeneration]: '3' }, { template: template('agent:1') });
  const own = [made('old', 3, 1, 'agent:1'), made('new', 2, 2, 'agent:2')];
  const given = { object, nodes: [node('a'), node('b')], pods: [podOn('a'), podOn('b')] };
  const { annotations: _, ...without } = made('foreign', 9, 9, 'db:9').metadata;

  it.each([
    [
      'without the annotation that every DaemonSet has',
      { ...made('foreign', 9, 9, 'db:9'), metadata: without },
    ],
    ['of another DaemonSet, by chance of the same generation', made('foreign', 9, 3, 'db:9')],
  ])('%s: no pod is deleted before the DaemonSet controller has put the numbers right', (__, foreign) => {
    expect(decided({ ...given, history: [...own, foreign] })).toMatchObject({
      deletes: [],
      holds: ['TemplateNotSeen: waiting until the DaemonSet controller has recorded the current template'],
    });
    const right = [made('old', 10, 1, 'agent:1'), ...own.slice(1), foreign];
    expect(decided({ ...given, history: right })).toMatchObject({ deletes: [], holds: [] });
  });

  it('stops nothing where no revision has the template: a controller that is older than the API server records not all fields', () => {
    const changed = agent({ [templateGeneration]: '3' }, { template: template('agent:3') });
    const history = [made('old', 1, 1, 'agent:1'), made('new', 2, 3, 'agent:2')];
    expect(decided({ ...given, object: changed, history }).deletes).toEqual(['a']);
  });
});

describe('nothing is done', () => {
  it.each<[string, Parameters<typeof snapshotOf>[0], string]>([
    ['before caches are filled', { certain: false }, 'NotYetObserved'],
    ['while it is paused', { object: agent({ [annotations.rolloutPaused]: 'true' }) }, 'Paused'],
    [
      'where the strategy is unknown',
      { object: agent({ [annotations.updateStrategy]: 'x' }) },
      'InvalidUpgradeStrategy',
    ],
    [
      'where the DaemonSet controller replaces pods',
      { object: agent({}, { updateStrategy: {} }) },
      'NotOnDelete',
    ],
    ['beside the old manager', { yurtManagers: [oldManager] }, 'ServedByYurtManager'],
  ])('%s', (_, change, reason) => {
    const { steps, holds } = decided({ nodes: threeNodes, pods: allOld, ...change });
    expect(steps).toEqual([]);
    expect(holds[0]).toMatch(new RegExp(`^${reason}: `));
  });

  it('while the DaemonSet is being deleted: its pods go with it, or stay as they are', () => {
    const asks = agent();
    const object = { ...asks, metadata: { ...asks.metadata, deletionTimestamp: minutes(1) } };
    expect(decided({ object, nodes: threeNodes, pods: allOld })).toMatchObject({ steps: [], holds: [] });
  });

  it('and nothing said beside the old manager where no strategy is asked for', () => {
    const object = agent({}, {});
    const { [annotations.updateStrategy]: _, ...others } = object.metadata.annotations ?? {};
    const plain = { ...object, metadata: { ...object.metadata, annotations: others } };
    expect(decided({ object: plain, yurtManagers: [oldManager] }).holds).toEqual([]);
  });
});

describe('OTA', () => {
  const asks = agent({ [annotations.updateStrategy]: 'OTA' });
  const object = recorded(asks);

  it('writes on no pod before its own condition shows that it is served', () => {
    const pods = [podOn('a')];
    expect(decided({ object: asks, nodes: threeNodes, pods }).steps).toEqual([]);
    expect(decided({ object, nodes: threeNodes, pods }).steps).toHaveLength(1);
  });

  it('writes on each pod whether it is outdated, and deletes nothing', () => {
    const pods = [podOn('a'), podOn('b', { ...upgraded, ready: false }), podOn('c', { ending: true })];
    const { deletes, steps, holds } = decided({ object, nodes: threeNodes, pods });
    expect(deletes).toEqual([]);
    expect(steps).toMatchObject([
      {
        target: 'a',
        subresource: 'status',
        patch: { type: 'strategic', body: { status: { conditions: [{ status: 'True' }] } } },
        why: { word: 'UpgradeAvailable' },
      },
      {
        target: 'b',
        subresource: 'status',
        patch: { type: 'strategic', body: { status: { conditions: [{ status: 'False' }] } } },
        why: { word: 'UpgradeDone' },
      },
    ]);
    expect(holds[0]).toBe(
      'UpgradeAvailable: a: pods do not run the current template; waiting until the owners of the nodes upgrade them',
    );
  });

  describe('an outdated pod that is bound to no node, so that no agent sees it', () => {
    const unbound = (name: string, over: Parameters<typeof podOn>[1] = {}): Stored<Pod> => {
      const found = podOn(name, { ready: false, ...over });
      const term = { matchFields: [{ key: 'metadata.name', operator: 'In', values: [name] }] };
      const required = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } };
      return {
        ...found,
        spec: { containers: [], affinity: { nodeAffinity: required } },
        status: { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False' }] },
      };
    };
    const offeredTo = ({ steps }: ReturnType<typeof decided>) =>
      steps.filter((step) => step.why.word === 'UpgradeAvailable').map(({ target }) => target);

    it('is deleted as it was seen, and its node must be as it was, too; others are for their owners', () => {
      const given = decided({ object, nodes: threeNodes, pods: [unbound('a'), unbound('b'), podOn('c')] });
      expect(given.deletes).toEqual(['a', 'b']);
      expect(given.steps.find((step) => step.do === 'delete')).toMatchObject({
        uid: 'uid-agent-a-old',
        resourceVersion: '1',
        whileReady: { name: 'a' },
        restsOn: [{ key: { name: 'a' }, ready: true }],
      });
      expect(offeredTo(given)).toEqual(['c']);
      expect(given.holds).toEqual([
        'UpgradeAvailable: c: pods do not run the current template; waiting until the owners of the nodes upgrade them',
      ]);
    });

    it('goes by plans that are dropped where a revision is not the one that was seen', () => {
      const snapshot = snapshotOf({ object, nodes: [node('a')], pods: [unbound('a')] });
      const { guards = [] } = plan(snapshot, decide(snapshot, now), now);
      expect(guards.map(({ key }) => key.name)).toEqual(['agent', 'agent-old', 'agent-new']);
    });

    it('is deleted with the offer that it has: to take that off would change it', () => {
      const found = unbound('a');
      const condition = { type: podConditions.needUpgrade, status: 'True' };
      const conditions = [...(found.status?.conditions ?? []), condition];
      const marked = { ...found, status: { ...found.status, conditions } };
      expect(decided({ object, nodes: [node('a')], pods: [marked] }).steps).toMatchObject([{ do: 'delete' }]);
    });

    it.each<[string, Parameters<typeof snapshotOf>[0], string]>([
      [
        'the rollout is paused',
        {
          object: recorded(
            agent({ [annotations.updateStrategy]: 'OTA', [annotations.rolloutPaused]: 'true' }),
          ),
        },
        'Paused',
      ],
      [
        'its node is excluded',
        { nodes: [node('a', { labels: { [nodeLabels.excluded]: 'yes' } })] },
        'NodeExcluded',
      ],
      ['its node is away', { nodes: [node('a', { awaySince: minutes(5) })] }, 'NodeNotReady'],
      [
        'the newest revision is not known to be that of the template',
        {
          object: recorded(agent({ [annotations.updateStrategy]: 'OTA', [templateGeneration]: '3' })),
          history: [made('old', 1, 1, 'agent:1'), made('new', 2, 2, 'agent:2')],
        },
        'TemplateNotSeen',
      ],
    ])('stays where %s', (_, change, reason) => {
      const counted = (given: Stored<DaemonSet>): Stored<DaemonSet> => ({
        ...given,
        status: { ...given.status, desiredNumberScheduled: 1 } as NonNullable<DaemonSet['status']>,
      });
      const { object: asked = object, ...more } = change;
      const given = decided({ object: counted(asked), nodes: [node('a')], pods: [unbound('a')], ...more });
      expect(given.steps).toEqual([]);
      expect(given.holds.map((each) => each.split(':').slice(0, 2).join(':'))).toEqual([`${reason}: a`]);
    });

    it.each<[string, Stored<Pod>, readonly Stored<Node>[]]>([
      ['is of the current template', unbound('a', upgraded), [node('a')]],
      ['is for a node that is gone', unbound('a'), []],
      [
        'is for a node for which its DaemonSet controller would make none',
        unbound('a'),
        [node('a', { taints: [{ key: 'maintenance', effect: 'NoSchedule' }] })],
      ],
      ['is ending', unbound('a', { ending: true }), [node('a')]],
    ])('is not deleted where it %s', (_, pod, nodes) => {
      expect(decided({ object, nodes, pods: [pod] }).deletes).toEqual([]);
    });

    it('whose deletion was refused is named, asked for again, and does not keep others', () => {
      const pods = [unbound('a'), unbound('b')];
      const answer = new ApiError({
        fate: 'refused',
        code: 403,
        reason: 'Forbidden',
        attempted: 'delete pod agent-a-old',
        message: 'denied by policy',
      });
      const refused = new Map([['deletion of uid-agent-a-old', { answer }]]);
      const given = decided({ object, nodes: threeNodes.slice(0, 2), pods, refused });
      expect(given.deletes).toEqual(['b', 'a']);
      expect(given.holds).toEqual(['PodRefused: a: delete pod agent-a-old: denied by policy']);
    });
  });

  it('writes a condition only where it changes, and keeps its time', () => {
    const lastTransitionTime = '2026-01-01T00:30:00Z';
    const withCondition = (message: string): Stored<Pod> => {
      const pod = podOn('a');
      const condition = { type: podConditions.needUpgrade, status: 'True', message, lastTransitionTime };
      return {
        ...pod,
        status: { ...pod.status, conditions: [...(pod.status?.conditions ?? []), condition] },
      };
    };
    const stepsFor = (message: string) =>
      decided({ object, nodes: threeNodes, pods: [withCondition(message)] }).steps;
    expect(stepsFor('controllerrevision: new')).toEqual([]);
    expect(stepsFor('controllerrevision: older')).toMatchObject([
      {
        patch: {
          body: { status: { conditions: [{ message: 'controllerrevision: new', lastTransitionTime }] } },
        },
      },
    ]);
  });

  describe('before the revision of the current template was read', () => {
    /** Its controller has seen it, and counts one of two pods as updated. */
    const counting = (image: string, generation: number): Stored<DaemonSet> => {
      const asked = { [annotations.updateStrategy]: 'OTA', [templateGeneration]: String(generation) };
      const found = recorded(agent(asked, { template: template(image) }));
      const status = { ...found.status, desiredNumberScheduled: 2, updatedNumberScheduled: 1 };
      return { ...found, status: status as NonNullable<typeof found.status> };
    };
    const newer = podOn('c', { hash: 'newer', generation: 3 });
    const written = (
      image: string,
      generation: number,
      history: readonly Stored<ControllerRevision>[],
      ofC = newer,
    ) => {
      const pods = [podOn('a'), podOn('b', upgraded), ofC];
      const { steps } = decided({ object: counting(image, generation), nodes: threeNodes, pods, history });
      return steps.map((step) => {
        if (step.do !== 'patch') throw new Error(`a step that is no patch: ${step.do}`);
        const { status } = step.patch.body as { readonly status: { readonly conditions: readonly Pod[] } };
        return [step.target, ...status.conditions.map((each) => each.status)];
      });
    };

    it('waits for it only where all that is known is done', () => {
      const object = counting('agent:3', 3);
      const history = [made('old', 1, 1, 'agent:1'), made('new', 2, 2, 'agent:2')];
      const reasons = (pods: readonly Stored<Pod>[], nodes = threeNodes) =>
        decided({ object, nodes, pods, history }).holds.map((each) => each.split(':')[0]);
      const done = threeNodes.map(({ metadata }) => podOn(metadata.name, upgraded));
      expect(reasons(done)).toEqual(['TemplateNotSeen']);
      expect(reasons([podOn('a'), ...done.slice(1)])).not.toContain('TemplateNotSeen');
      expect(reasons([], [])).toEqual([]);
    });

    it('writes on no pod that it is not outdated', () => {
      const history = [made('old', 1, 1, 'agent:1'), made('new', 2, 2, 'agent:2')];
      expect(written('agent:3', 3, history, podOn('c', upgraded))).toEqual([['a', 'True']]);
    });

    it('writes on no pod at all while one is of a revision that is not there', () => {
      const history = [made('old', 1, 1, 'agent:1'), made('new', 2, 2, 'agent:2')];
      expect(written('agent:3', 3, history)).toEqual([]);
    });

    it('does not go by the number of a revision that was adopted from a DaemonSet of the same name', () => {
      const adopted = made('new', 2, 3, 'agent:2');
      const creationTimestamp = '2025-12-31T00:00:00Z';
      const history = [
        revision('old', 1),
        { ...adopted, metadata: { ...adopted.metadata, creationTimestamp } },
      ];
      expect(written('agent:3', 3, history, podOn('c', upgraded))).toEqual([['a', 'True']]);
    });

    it('knows a revision that became the newest again by its template, and one without a template by its generation', () => {
      const back = [made('new', 3, 1, 'agent:1'), made('newer', 2, 2, 'agent:2')];
      expect(written('agent:1', 4, back)).toEqual([
        ['a', 'True'],
        ['b', 'False'],
        ['c', 'True'],
      ]);
      const { data: _, ...without } = made('new', 2, 4, 'agent:2');
      expect(written('agent:3', 4, [without])).toEqual([
        ['a', 'True'],
        ['b', 'False'],
        ['c', 'True'],
      ]);
    });
  });

  const tainted = (name: string): Stored<Node> => ({
    ...node(name),
    spec: { taints: [{ key: 'maintenance', value: 'x', effect: 'NoSchedule' }] },
  });
  const excluded = (name: string): Stored<Node> => {
    const found = node(name);
    return { ...found, metadata: { ...found.metadata, labels: { [nodeLabels.excluded]: 'true' } } };
  };

  it.each<[string, Parameters<typeof snapshotOf>[0], RegExp]>([
    [
      'where the DaemonSet controller would make no pod again',
      { nodes: [tainted('a')] },
      /^NodeTainted: a: /,
    ],
    ['that are to keep their pod', { nodes: [excluded('a')] }, /^NodeExcluded: a: /],
    [
      'while the rollout is paused',
      {
        object: recorded(agent({ [annotations.updateStrategy]: 'OTA', [annotations.rolloutPaused]: 'true' })),
      },
      /^Paused: a: /,
    ],
    [
      'while an annotation is wrong',
      { object: recorded(agent({ [annotations.updateStrategy]: 'OTAA' })) },
      /^InvalidUpgradeStrategy: /,
    ],
  ])('offers no pod on nodes %s, and takes the offer back', (_, change, expected) => {
    const pod = podOn('a');
    const condition = { type: podConditions.needUpgrade, status: 'True', message: 'controllerrevision: new' };
    const conditions = [...(pod.status?.conditions ?? []), condition];
    const marked = { ...pod, status: { ...pod.status, conditions } };
    const given = { object, nodes: [node('a')], ...change };
    const { steps, holds } = decided({ ...given, pods: [marked] });
    expect(steps).toMatchObject([
      { patch: { body: { status: { conditions: [{ type: 'PodNeedUpgrade', $patch: 'delete' }] } } } },
    ]);
    expect(holds[0]).toMatch(expected);
    expect(decided({ ...given, pods: [pod] }).steps).toEqual([]);
  });

  it('leaves no condition behind when the strategy is another one, or none', () => {
    const pod = podOn('a', upgraded);
    const condition = { type: podConditions.needUpgrade, status: 'False' };
    const marked = { ...pod, status: { ...pod.status, conditions: [condition] } };
    const { [annotations.updateStrategy]: _, ...none } = agent().metadata.annotations ?? {};
    const without = { ...agent(), metadata: { ...agent().metadata, annotations: none } };
    for (const each of [agent(), without]) {
      expect(decided({ object: each, nodes: threeNodes, pods: [marked] }).steps).toMatchObject([
        { patch: { body: { status: { conditions: [{ type: 'PodNeedUpgrade', $patch: 'delete' }] } } } },
      ]);
    }
  });
});
