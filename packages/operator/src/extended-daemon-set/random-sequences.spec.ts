// What random sequences of changes, faults and repairs have found.
import { extendedDaemonSets } from '@atoll/api';
import { nodes, pods } from '@atoll/kube';
import { refusalOf } from '@atoll/kube/testing';
import { describe, expect, it } from 'vitest';
import { FreshWorld } from '../../simulation/examples/fresh-world.ts';
import { withoutIdentity } from '../../simulation/messages/without-identity.ts';
import { createExtendedDaemonSetController } from './controller.ts';
import { decide } from './decide.ts';
import {
  agent,
  ago,
  node,
  now,
  podOn,
  replicaSet,
  snapshotOf,
  template,
} from './extended-daemon-set.fixture.ts';
import { plan } from './plan.ts';
import { renderReplicaSet } from './replica-sets/render-replica-set.ts';
import { report } from './report.ts';

const unavailable = refusalOf(503, 'patch ExtendedDaemonSet', 'unavailable');

describe('a rolling update that is paused, with slow start turned off by 1ms', () => {
  it('is not looked at every millisecond while nodes without a pod wait for the interval of creations', () => {
    const active = replicaSet(1, {
      conditions: [{ type: 'Active', status: 'False', lastTransitionTime: ago(600) }],
    });
    const object = agent('agent:1', {
      strategy: {
        reconcileFrequency: '10s',
        rollingUpdate: { slowStartIntervalDuration: '1ms', slowStartAdditiveIncrease: 1 },
      },
      annotations: { 'extendeddaemonset.datadoghq.com/rolling-update-paused': 'true' },
    });
    const snapshot = snapshotOf({
      object,
      replicaSets: [active],
      pods: [podOn('a', active, { created: ago(1) })],
      nodes: [node('a'), node('b'), node('c')],
    });
    const decision = decide(snapshot, now);
    expect(decision.fleet?.active?.created).toEqual([]);
    // The pod on a was made a second ago, so the next one may be made in about ten seconds; slow start does not grow before.
    expect(decision.requeueAt).toBeGreaterThan(now + 5_000);
  });
});

describe('a pod of another template that was never bound to a node with a taint', () => {
  const taints = [{ key: 'dedicated', value: 'gpu', effect: 'NoSchedule' }] as const;
  it('does not wait there for ever, to start with that template when there is room', () => {
    const [old, current] = [replicaSet(1), replicaSet(2)];
    const snapshot = snapshotOf({
      object: agent('agent:2', { status: { activeReplicaSet: 'agent-2' } }),
      replicaSets: [old, current],
      pods: [podOn('a', current), podOn('b', old, { bound: false, ready: false, phase: 'Pending' })],
      nodes: [node('a'), node('b', { taints })],
    });
    const steps = plan(snapshot, decide(snapshot, now), now).stages.flatMap((stage) => stage.steps);
    expect(steps.filter(({ do: does }) => does === 'delete').map(({ target }) => target)).toEqual(['b']);
  });
});

describe('a replica set that was to be the active one, whose object could not be written', () => {
  it('is no template that was active before, when a person adds a canary', () => {
    const world = new FreshWorld();
    const key = { namespace: 'edge', name: 'agent' };
    const { status: _, ...object } = withoutIdentity(agent('agent:1'));
    world.put(extendedDaemonSets, object as never);
    for (const name of ['a', 'b', 'c']) world.put(nodes, withoutIdentity(node(name)));
    const controller = createExtendedDaemonSetController(world.readers, 'auto', world.findings);
    const reconcile = () => world.reconcile(controller, 'edge/agent');
    const serve = (ready: boolean) => {
      for (const pod of world.list(pods)) {
        const conditions = [{ type: 'Ready', status: ready ? 'True' : 'False' }];
        const status = { phase: 'Running', conditions };
        if (pod.status === undefined) world.edit(pods, pod.metadata, (each) => ({ ...each, status }));
      }
    };
    for (let round = 0; round < 6; round += 1) {
      reconcile();
      serve(true);
    }
    const before = world.get(extendedDaemonSets, key).status?.activeReplicaSet;
    expect(before).toBeDefined();
    // A template without a canary. The replica set's status is written, that of the object is not: the process ends between the two, for example.
    world.edit(extendedDaemonSets, key, (each) => ({
      ...each,
      spec: { ...each.spec, template: template('agent:2') },
    }));
    world.refuse = (operation) =>
      operation.resource.plural === extendedDaemonSets.plural && 'subresource' in operation
        ? unavailable
        : undefined;
    expect(reconcile).toThrow('unavailable');
    world.refuse = () => undefined;
    // The person remembers the canary.
    world.edit(extendedDaemonSets, key, ({ spec, ...each }) => ({
      ...each,
      spec: { ...spec, strategy: { ...spec.strategy, canary: { duration: '10m', replicas: 1 } } },
    }));
    for (let round = 0; round < 40; round += 1) {
      reconcile();
      // No pod of the new template becomes Ready.
      for (const pod of world.list(pods)) {
        if (pod.metadata.deletionTimestamp === undefined) continue;
        throw new Error('unbound pods go at once');
      }
      serve(false);
      world.now += 60_000;
    }
    expect(world.get(extendedDaemonSets, key).status).toMatchObject({
      activeReplicaSet: before,
      state: 'Canary',
    });
  });
});

describe('an active replica set, while pods of one that is not the object’s keep their nodes', () => {
  it('is still known as the active one when the status of the object is lost meanwhile', () => {
    const was = replicaSet(1, {
      conditions: [{ type: 'Active', status: 'True', lastTransitionTime: ago(600) }],
    });
    const foreign = replicaSet(0, { name: 'strange' });
    const strange = { ...foreign, metadata: { ...foreign.metadata, ownerReferences: [] } };
    const pod = podOn('b', strange);
    const found = {
      replicaSets: [was],
      pods: [podOn('a', was), pod],
      formerPods: [{ pod, of: 'strange', found: strange }],
      nodes: [node('a'), node('b')],
    };
    const snapshot = snapshotOf({ object: agent('agent:1'), ...found });
    const decision = decide(snapshot, now);
    expect(decision.holds[0]).toMatchObject({ reason: 'FormerReplicaSetPresent', waitsFor: 'person' });
    const written = report(snapshot, decision, { results: [] }, now).find(
      ({ object }) => object.metadata.name === 'agent-1',
    );
    const after = {
      ...was,
      ...(written === undefined ? {} : { status: written.status as NonNullable<typeof was.status> }),
    };
    // Deleted with --cascade=orphan and made again with another template, or restored without its status. Then the person released the pods.
    const strategy = { canary: { validationMode: 'manual' } } as const;
    const object = agent('agent:2', { strategy, status: { activeReplicaSet: '' } });
    const again = snapshotOf({
      object,
      replicaSets: [after, replicaSet(2)],
      pods: [podOn('a', was)],
      nodes: [node('a'), node('b')],
    });
    expect(decide(again, now).fleet?.roles.active?.metadata.name).toBe('agent-1');
  });
});

describe('a replica set that is deleted in the foreground, while a pod on a node that is away does not end', () => {
  it('does not keep its template from getting another one: its name is taken for as long', () => {
    const object = agent('agent:1', { status: { activeReplicaSet: '' } });
    const rendered = renderReplicaSet(object);
    const { name } = rendered.metadata;
    const made = { ...replicaSet(1, { name }), spec: rendered.spec };
    const going = {
      ...made,
      metadata: { ...made.metadata, deletionTimestamp: ago(60), finalizers: ['foregroundDeletion'] },
    };
    const snapshot = snapshotOf({
      object: agent('agent:1', { status: { activeReplicaSet: name } }),
      replicaSets: [going],
      pods: [podOn('a', going, { ending: true })],
      nodes: [node('a', { awaySince: ago(600) }), node('b')],
    });
    const steps = plan(snapshot, decide(snapshot, now), now).stages.flatMap((stage) => stage.steps);
    const created = steps.flatMap((step) => (step.do === 'create' ? [step.object.metadata.name] : []));
    expect(created).toHaveLength(1);
    expect(created).not.toContain(name);
  });
});
