import {
  extendedDaemonSetAnnotations as annotations,
  extendedDaemonSetLabels as labels,
  extendedDaemonSets,
  extendedDaemonsetSettings,
  nodeResourcesAnnotation,
} from '@atoll/api';
import { nodes, pods, type Pod, type Stored } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import { FreshWorld } from '../../../simulation/examples/fresh-world.ts';
import { withoutIdentity } from '../../../simulation/messages/without-identity.ts';
import { slotOf } from '../../../simulation/model/store.ts';
import { isAsSeen } from '../../engine/steps/seen.ts';
import { createExtendedDaemonSetController } from '../controller.ts';
import { decide } from '../decide.ts';
import {
  agent,
  definitionOfSettings,
  node,
  nodesNamed,
  now,
  podOn,
  replicaSet,
  setting,
  settingsGone,
  snapshotOf,
} from '../extended-daemon-set.fixture.ts';
import { plan } from '../plan.ts';

const [active, next] = [replicaSet(1, { conditions: [settingsGone(60)] }), replicaSet(2)];
const key = nodeResourcesAnnotation('edge', 'agent', 'agent');

type Change = Parameters<typeof snapshotOf>[0];

/** A pod of node a that was made as what is there asks for. */
function madeWith(change: Change): Stored<Pod> {
  const given = snapshotOf({ replicaSets: [active], nodes: nodesNamed('a'), ...change });
  const overrides = decide(given, now).fleet?.active?.targets[0]?.overrides;
  const pod = podOn('a', active, { annotations: { [annotations.overridesHash]: overrides?.hash ?? 'none' } });
  const ofSetting =
    overrides?.setting === undefined ? {} : { [labels.settingName]: overrides.setting.metadata.name };
  return { ...pod, metadata: { ...pod.metadata, labels: { [labels.name]: 'agent', ...ofSetting } } };
}

function deletionsOf(change: Change) {
  const snapshot = snapshotOf({ replicaSets: [active], nodes: nodesNamed('a'), ...change });
  return plan(snapshot, decide(snapshot, now), now)
    .stages.flatMap(({ steps }) => steps)
    .filter((step) => step.do === 'delete');
}

describe('the deletion of a pod that was made with other overrides', () => {
  const fast = setting('fast');

  it('rests on the setting that the pod was made with, where the cache does not show it', () => {
    const pod = madeWith({ settings: [fast] });
    expect(deletionsOf({ pods: [pod], settings: [fast] })).toEqual([]);
    const [deletion] = deletionsOf({ pods: [pod] });
    const unseen = { resource: extendedDaemonsetSettings, key: { namespace: 'edge', name: 'fast' } };
    expect(deletion?.restsOn).toMatchObject([
      { key: { name: 'a' } },
      { ...unseen, uid: undefined },
      { uid: definitionOfSettings.metadata.uid, resourceVersion: '1' },
    ]);
  });

  it('rests on that setting as it was seen, where it selects the node no more', () => {
    const moved = setting('fast', { labels: { size: 'large' } });
    const [deletion] = deletionsOf({ pods: [madeWith({ settings: [fast] })], settings: [moved] });
    expect(deletion?.restsOn?.[1]).toMatchObject({ uid: 'uid-fast', generation: 3 });
  });

  it('rests on the node alone where the same setting has other values: that guards the plan', () => {
    const changed = setting('fast', { cpu: '2' });
    const [deletion] = deletionsOf({ pods: [madeWith({ settings: [fast] })], settings: [changed] });
    expect(deletion?.restsOn).toHaveLength(1);
  });

  it('rests on the annotations of the node, and on no others', () => {
    const annotated = node('a', { annotations: { [key]: '{"requests":{"cpu":"2"}}' } });
    const pod = madeWith({ nodes: [annotated] });
    expect(deletionsOf({ pods: [pod], nodes: [annotated] })).toEqual([]);
    const [seen] = deletionsOf({ pods: [pod] })[0]?.restsOn ?? [];
    if (seen === undefined) throw new Error('it rests on nothing');
    const described = node('a', { annotations: { 'example.com/rack': '7' } });
    expect([node('a'), described, annotated].map((live) => isAsSeen(seen, live))).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('is the only one that rests on them: that of an older template reads nothing more', () => {
    const found = { replicaSets: [active, next], settings: [fast], pods: [podOn('a', active)] };
    const object = agent('agent:2', { status: { activeReplicaSet: 'agent-2' } });
    const deletions = deletionsOf({ object, ...found });
    expect(deletions.map(({ restsOn }) => restsOn)).toEqual([undefined]);
  });
});

/** A fleet of one node whose pod was made with the setting `fast`. */
function madeWithFast() {
  const world = new FreshWorld();
  const { status: _, ...object } = withoutIdentity(agent('agent:1'));
  world.put(extendedDaemonSets, object);
  world.put(nodes, withoutIdentity(node('a')));
  const kept = world.put(extendedDaemonsetSettings, withoutIdentity(setting('fast')));
  const controller = createExtendedDaemonSetController(world.readers, 'auto', world.findings);
  const running = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
  const reconcile = (): readonly string[] => {
    world.now += 60_000;
    const { outcome } = world.reconcile(controller, 'edge/agent');
    for (const { metadata, status } of world.list(pods))
      if (status === undefined) world.edit(pods, metadata, (each) => ({ ...each, status: running }));
    return outcome.results.flatMap(({ step, did }) =>
      did === 'done' ? [`${step.do} ${step.target ?? ''}`] : [],
    );
  };
  for (let round = 0; round < 6; round += 1) reconcile();
  expect(world.list(pods)[0]?.metadata.labels).toMatchObject({ [labels.settingName]: 'fast' });
  return { world, kept, reconcile };
}

it('a setting that is there and that the cache does not show costs no pod that was made with it', () => {
  const { world, kept, reconcile } = madeWithFast();
  world.hidden.add(slotOf(extendedDaemonsetSettings, kept.metadata));
  expect([...reconcile(), ...reconcile()]).not.toContain('delete a');
  // It goes on where the setting is gone.
  world.remove(extendedDaemonsetSettings, kept.metadata);
  expect([...reconcile(), ...reconcile()]).toContain('delete a');
});

it.each([
  ['that names another object', 'other'],
  ['that names none any more', ''],
])('a setting %s applies no more, and the pods that were made with it are replaced', (_, name) => {
  const { world, kept, reconcile } = madeWithFast();
  world.edit(extendedDaemonsetSettings, kept.metadata, (each) => ({
    ...each,
    spec: { ...each.spec, reference: { kind: 'ExtendedDaemonset', name } },
  }));
  expect([...reconcile(), ...reconcile()]).toContain('delete a');
});
