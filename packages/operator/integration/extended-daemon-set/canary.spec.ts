// Canaries of ExtendedDaemonSets on a real control plane: the tags of images make pods misbehave.
import {
  extendedDaemonSetAnnotations as annotations,
  extendedDaemonSetLabels,
  extendedDaemonSetReplicaSets,
  extendedDaemonSets,
  type CanaryStrategy,
  type ExtendedDaemonSet,
  type ExtendedDaemonSetStatus,
} from '@atoll/api';
import {
  nodes,
  validatingAdmissionPolicies,
  validatingAdmissionPolicyBindings,
  type StreamingClient,
} from '@atoll/kube';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { withoutElection, type OperatorControlPlane } from '../set-up/operator-control-plane.ts';
import { sharedOperatorControlPlane } from '../set-up/shared-operator-control-plane.ts';
import { eventsAbout, eventually } from '../set-up/standing.ts';
import { observedObject, type ObservedObject } from './observed-object.ts';

const namespace = 'default';
const nodeCount = 6;

let world: OperatorControlPlane;
let client: StreamingClient;
let url: string;
let round = 0;
let name: string;
let observed: ObservedObject;

const rollingUpdate = {
  maxUnavailable: 3,
  slowStartIntervalDuration: '1ms',
  maxParallelPodCreation: 250,
  slowStartAdditiveIncrease: 250,
};

function agent(canary: CanaryStrategy, found: Readonly<Record<string, string>> = {}): ExtendedDaemonSet {
  return {
    metadata: { namespace, name, annotations: found },
    spec: {
      strategy: { reconcileFrequency: '100ms', rollingUpdate, canary },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name: 'agent', image: 'agent:1' }] },
      },
    },
  };
}

async function annotate(asked: Readonly<Record<string, string | null>>): Promise<void> {
  await client.patch(
    extendedDaemonSets,
    { namespace, name },
    { type: 'merge', body: { metadata: { annotations: asked } } },
  );
}

async function statusOf(): Promise<ExtendedDaemonSetStatus | undefined> {
  return (await client.get(extendedDaemonSets, { namespace, name })).status;
}

async function untilState(state: string, more: object = {}): Promise<ExtendedDaemonSetStatus> {
  return eventually(async () => {
    const status = await statusOf();
    expect(status).toMatchObject({ state, ...more });
    return status as ExtendedDaemonSetStatus;
  });
}

async function untilAll(image: string): Promise<void> {
  await eventually(async () => {
    expect(await observed.images()).toEqual({ [image]: nodeCount });
    expect(await statusOf()).toMatchObject({ state: 'Running', ready: nodeCount, upToDate: nodeCount });
    expect((await statusOf())?.canary).toBeUndefined();
  });
}

/** Gives the canary another duration, which counts from its beginning; `asked`: annotations in the same write. */
async function setDuration(
  duration: string,
  asked: Readonly<Record<string, string | null>> = {},
): Promise<void> {
  await observed.patch({ metadata: { annotations: asked }, spec: { strategy: { canary: { duration } } } });
}

/** Events are sent after the status is written. */
async function hasEvent(reason: string): Promise<void> {
  await eventually(async () => {
    expect((await eventsAbout(client, name)).map((event) => event.reason)).toContain(reason);
  });
}

/** The samples of one page of metrics, of the old operator's series, that name this object or this replica set, without their namespace. */
async function samplesOf(page: 'metrics' | 'ksmetrics', of = name): Promise<readonly string[]> {
  const text = await (await fetch(`${url}/${page}`)).text();
  const lines = text.split('\n').filter((line) => /^e[dr]s_/.test(line) && line.includes(`name="${of}"`));
  return lines.map((line) => line.replace(/,?namespace="default",?/, ''));
}

async function patchReplicaSet(of: string, metadata: object, dryRun = false): Promise<void> {
  const key = { namespace, name: of };
  await client.patch(extendedDaemonSetReplicaSets, key, { type: 'merge', body: { metadata } }, { dryRun });
}

const noOwners = 'no-owners';

/** Replica sets of this object get no owner: the API server refuses it. */
async function refuseOwners(): Promise<void> {
  const rule = {
    apiGroups: [extendedDaemonSetReplicaSets.group],
    apiVersions: ['*'],
    operations: ['UPDATE'],
    resources: [extendedDaemonSetReplicaSets.plural],
  };
  const expression = `object.metadata.labels['${extendedDaemonSetLabels.name}'] != '${name}' || !has(object.metadata.ownerReferences)`;
  await client.create(validatingAdmissionPolicies, {
    metadata: { name: noOwners },
    spec: {
      matchConstraints: { resourceRules: [rule] },
      validations: [{ expression, message: 'it is to have no owner' }],
    },
  });
  const spec = { policyName: noOwners, validationActions: ['Deny'] };
  await client.create(validatingAdmissionPolicyBindings, { metadata: { name: noOwners }, spec });
  const [found] = await observed.replicaSets();
  const touched = { annotations: { touched: 'true' } };
  await eventually(async () =>
    expect(patchReplicaSet(found?.metadata.name ?? '', touched, true)).rejects.toThrow(
      'it is to have no owner',
    ),
  );
}

async function begin(canary: CanaryStrategy, found: Readonly<Record<string, string>> = {}): Promise<void> {
  await client.create(extendedDaemonSets, agent(canary, found));
  await untilAll('agent:1');
}

beforeAll(async () => {
  world = await sharedOperatorControlPlane({ fleet: { pools: ['a', 'b'], nodesPerPool: nodeCount / 2 } });
  ({ client } = world);
  await world.controlPlane.nodesReady();
  ({ url } = await world.start({ args: [...withoutElection, '--controllers=extended-daemon-set'] }));
}, 120_000);

afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
});

beforeEach(() => {
  round += 1;
  name = `tried-${round}`;
  observed = observedObject(client, name);
});

afterEach(async () => {
  await client.delete(extendedDaemonSets, { namespace, name });
  await eventually(async () => {
    if ((await observed.pods()).length > 0) throw new Error('pods of the test before are still there');
  });
});

describe('a canary', () => {
  it('runs on its nodes alone, and is promoted when its time is over and its pods are Ready', async () => {
    await begin({ replicas: 2, duration: '1h', noRestartsDuration: '0s' });
    await observed.setImage('agent:2');
    const { canary, activeReplicaSet } = await untilState('Canary', {
      canary: { nodes: expect.any(Array) },
    });
    await eventually(async () => {
      expect(await observed.images()).toEqual({ 'agent:1': nodeCount - 2, 'agent:2': 2 });
      const tried = (await observed.pods()).filter(
        ({ metadata }) => metadata.labels?.[extendedDaemonSetLabels.canary] === 'true',
      );
      // Each has its node when the scheduler has bound it.
      expect(new Set(tried.map(({ spec }) => spec?.nodeName))).toEqual(new Set(canary?.nodes));
    });
    // Its time is over now, however long it took to see it.
    await setDuration('1s');
    await untilAll('agent:2');
    expect((await statusOf())?.activeReplicaSet).not.toBe(activeReplicaSet);
    await hasEvent('CanaryPromoted');
    await eventually(async () => {
      expect(
        (await observed.pods()).filter(
          ({ metadata }) => extendedDaemonSetLabels.canary in (metadata.labels ?? {}),
        ),
      ).toEqual([]);
    });
  });

  it('is not promoted by time alone while its pods are not Ready, and names which (BUG-3)', async () => {
    await begin({ replicas: 1, duration: '1s', noRestartsDuration: '0s' });
    await observed.setImage('agent:bad-never-ready');
    const { canary } = await untilState('Canary');
    await eventually(async () => {
      const ready = (await statusOf())?.conditions?.find(({ type }) => type === 'Ready');
      expect(ready).toMatchObject({ status: 'False', reason: 'CanaryRunning' });
      expect(ready?.message).toContain('waiting until its pods exist, are of its template and Ready');
      expect(ready?.message).toContain(canary?.nodes?.[0]);
    });
    await eventually(async () => {
      expect(await observed.images()).toEqual({ 'agent:1': nodeCount - 1, 'agent:bad-never-ready': 1 });
    });
    await annotate({ [annotations.canaryPromotion]: 'AfterDuration' });
    await eventually(async () => {
      expect((await statusOf())?.canary).toBeUndefined();
    });
    await eventually(async () => {
      const active = (await statusOf())?.activeReplicaSet ?? '';
      expect(await samplesOf('metrics', active)).toEqual([`ers_rolling_update_stuck{name="${active}"} 1`]);
    });
  });

  it('shows itself in the metrics of the old operator while it is under way, and not after that', async () => {
    await begin({ replicas: 1, validationMode: 'manual' });
    const labels = { 'app.kubernetes.io/name': 'tried' };
    await client.patch(
      extendedDaemonSets,
      { namespace, name },
      { type: 'merge', body: { metadata: { labels } } },
    );
    await observed.setImage('agent:2');
    const { canary, activeReplicaSet } = await untilState('Canary');
    const tried = canary?.replicaSet ?? '';
    await eventually(async () => {
      expect(await samplesOf('ksmetrics')).toEqual(
        expect.arrayContaining([
          `eds_labels{name="${name}",app_kubernetes_io_name="tried"} 1`,
          `eds_status_desired{name="${name}"} ${nodeCount}`,
          `eds_status_uptodate{name="${name}"} 1`,
          `eds_status_canary_activated{name="${name}",replicaset="${tried}"} 1`,
          `eds_status_canary_paused{name="${name}",replicaset="${tried}"} 0`,
          `eds_status_canary_node_number{name="${name}"} 1`,
        ]),
      );
      expect(await samplesOf('ksmetrics', tried)).toContain(
        `ers_status_current{name="${tried}",status="canary"} 1`,
      );
      expect(await samplesOf('ksmetrics', activeReplicaSet)).toContain(
        `ers_status_current{name="${activeReplicaSet}",status="active"} ${nodeCount - 1}`,
      );
    });
    expect(await samplesOf('metrics')).toEqual([]);
    await annotate({ [annotations.canaryPaused]: 'true' });
    await eventually(async () => {
      expect(await samplesOf('ksmetrics')).toContain(
        `eds_status_canary_paused{name="${name}",replicaset="${tried}",paused_reason="Unknown"} 1`,
      );
    });
    await annotate({ [annotations.canaryValid]: tried });
    await untilAll('agent:2');
    await eventually(async () => {
      expect(await samplesOf('ksmetrics')).toEqual(
        expect.arrayContaining([
          `eds_status_uptodate{name="${name}"} ${nodeCount}`,
          `eds_status_canary_activated{name="${name}",replicaset=""} 0`,
          `eds_status_canary_paused{name="${name}"} 0`,
          `eds_status_canary_node_number{name="${name}"} 0`,
        ]),
      );
      expect(await samplesOf('metrics', tried)).toEqual([`ers_rolling_update_stuck{name="${tried}"} 0`]);
      // The old replica set is gone, and its series with it.
      expect(await samplesOf('ksmetrics', activeReplicaSet)).toEqual([]);
    });
    for (const page of ['metrics', 'ksmetrics'])
      expect(await (await fetch(`${url}/${page}`)).text()).toContain(
        'eds_controller_leader{leader="true"} 1\n',
      );
  });

  it('is paused when it cannot pull its image, names node, container and reason, and goes on when a person says so', async () => {
    await begin({ replicas: 1, duration: '1s', noRestartsDuration: '0s' });
    await observed.setImage('agent:bad-pull');
    const { reason } = await untilState('Canary Paused');
    expect(reason).toMatch(/ErrImagePull|ImagePullBackOff/);
    const status = await statusOf();
    const paused = status?.conditions?.find(({ type }) => type === 'Canary-Paused');
    expect(paused).toMatchObject({
      status: 'True',
      reason,
      message: expect.stringContaining('canary paused with ers:'),
    });
    const ready = status?.conditions?.find(({ type }) => type === 'Ready');
    expect(ready?.message).toMatch(/node [ab]-node-\d, container agent/);
    await annotate({ [annotations.canaryUnpaused]: 'true' });
    await untilState('Canary');
    await observed.setImage('agent:3');
    await untilAll('agent:3');
    await eventually(async () => {
      const { metadata } = await client.get(extendedDaemonSets, { namespace, name });
      expect(metadata.annotations?.[annotations.canaryUnpaused]).toBeUndefined();
    });
  });

  it('fails when it restarts too often, goes back, and its nodes run the old template again', async () => {
    const limits = { autoPause: { enabled: false }, autoFail: { enabled: true, maxRestarts: 1 } };
    await begin({ replicas: 1, duration: '60s', ...limits });
    const before = await client.get(extendedDaemonSets, { namespace, name });
    await observed.setImage('agent:bad-crash');
    await eventually(async () => {
      const { spec, status } = await client.get(extendedDaemonSets, { namespace, name });
      expect(spec.template).toEqual(before.spec.template);
      expect(status?.conditions?.find(({ type }) => type === 'Canary-Failed')).toMatchObject({
        reason: 'CanaryFailed',
      });
    });
    await untilAll('agent:1');
    // Replica sets have a status of their own.
    await eventually(async () => {
      const { items } = await client.list(extendedDaemonSetReplicaSets, { namespace });
      const failed = items.filter(({ status }) =>
        status?.conditions?.some(({ type, status: is }) => type === 'Canary-Failed' && is === 'True'),
      );
      expect(failed).toHaveLength(1);
    });
    await hasEvent('TemplateReverted');
  });

  it('that failed is held instead of reverted where the annotation asks for it', async () => {
    const limits = { autoPause: { enabled: false }, autoFail: { enabled: true, maxRestarts: 1 } };
    await begin({ replicas: 1, duration: '60s', ...limits }, { [annotations.onCanaryFailure]: 'Hold' });
    await observed.setImage('agent:bad-crash');
    await untilState('Canary Failed');
    await eventually(async () => {
      expect(await observed.images()).toEqual({ 'agent:1': nodeCount });
    });
    const { spec } = await client.get(extendedDaemonSets, { namespace, name });
    expect(spec.template.spec?.containers[0]?.image).toBe('agent:bad-crash');
    await observed.setImage('agent:1');
    await untilAll('agent:1');
  });

  it('waits for a person in manual mode, and a pause does not stop a validation', async () => {
    await begin({ replicas: 1, validationMode: 'manual' });
    await observed.setImage('agent:2');
    const { canary } = await untilState('Canary');
    await eventually(async () => {
      expect(await observed.images()).toEqual({ 'agent:1': nodeCount - 1, 'agent:2': 1 });
    });
    await annotate({ [annotations.canaryPaused]: 'true' });
    await untilState('Canary Paused', { reason: 'Unknown' });
    expect(await observed.images()).toEqual({ 'agent:1': nodeCount - 1, 'agent:2': 1 });
    await annotate({ [annotations.canaryValid]: canary?.replicaSet ?? '' });
    await untilAll('agent:2');
  });

  it('that was paused for longer than its duration is tried for what is left of that', async () => {
    await begin({ replicas: 1, duration: '1h', noRestartsDuration: '0s' });
    await observed.setImage('agent:2');
    const { activeReplicaSet, canary } = await untilState('Canary');
    const tried = async () =>
      (await observed.replicaSets()).find((each) => each.metadata.name === canary?.replicaSet);
    const made = Date.parse((await tried())?.metadata.creationTimestamp ?? '');
    // Paused some seconds before its end, however long it took to get here.
    const durationMs = 8_000 + 1_000 * Math.ceil((Date.now() - made) / 1_000);
    await setDuration(`${durationMs / 1_000}s`, { [annotations.canaryPaused]: 'true' });
    await untilState('Canary Paused');
    const paused = await eventually(async () => {
      const found = (await tried())?.status?.conditions?.find(({ type }) => type === 'Canary-Paused');
      expect(found).toMatchObject({ status: 'True' });
      return found;
    });
    const leftMs = made + durationMs - Date.parse(paused?.lastTransitionTime ?? '');
    await eventually(async () => expect(Date.now()).toBeGreaterThan(made + durationMs + 1_000));
    const goesOnAt = Date.now();
    await annotate({ [annotations.canaryPaused]: 'false', [annotations.canaryUnpaused]: 'true' });
    await untilState('Canary', { activeReplicaSet });
    await untilAll('agent:2');
    // Their times are of whole seconds.
    expect(Date.now() - goesOnAt).toBeGreaterThan(leftMs - 1_000);
  });

  it('is not promoted while the active replica set has no owner and cannot be adopted', async () => {
    await begin({ replicas: 1, validationMode: 'manual' });
    await observed.setImage('agent:2');
    const onOneNode = { 'agent:1': nodeCount - 1, 'agent:2': 1 };
    await eventually(async () => expect(await observed.images()).toEqual(onOneNode));
    const { activeReplicaSet: active, canary } = await untilState('Canary', { ready: nodeCount });
    const uids = (await observed.pods()).map(({ metadata }) => metadata.uid).sort();
    await refuseOwners();
    try {
      await patchReplicaSet(active, { ownerReferences: null });
      await observed.untilCondition('Ready', { reason: 'ChildRefused' });
      expect(await statusOf()).toMatchObject({ state: 'Canary', activeReplicaSet: active, canary });
    } finally {
      await client.delete(validatingAdmissionPolicyBindings, { name: noOwners });
    }
    await observed.untilCondition('Ready', { reason: 'CanaryRunning' });
    expect(await statusOf()).toMatchObject({ state: 'Canary', activeReplicaSet: active, canary });
    expect((await observed.pods()).map(({ metadata }) => metadata.uid).sort()).toEqual(uids);
  });

  it('whose template changes is followed by another one on the same nodes', async () => {
    await begin({ replicas: 1, duration: '1h', noRestartsDuration: '0s' });
    await observed.setImage('agent:2');
    const first = await untilState('Canary');
    await observed.setImage('agent:3');
    await eventually(async () => {
      const status = await statusOf();
      expect(status?.canary?.replicaSet).toBeDefined();
      expect(status?.canary?.replicaSet).not.toBe(first.canary?.replicaSet);
      expect(status?.canary?.nodes).toEqual(first.canary?.nodes);
      expect(await observed.images()).toEqual({ 'agent:1': nodeCount - 1, 'agent:3': 1 });
    });
    await setDuration('1s');
    await untilAll('agent:3');
  });

  it('moves to another node when its own does not fit any more (BUG-17)', async () => {
    await begin({ replicas: 1, validationMode: 'manual', nodeSelector: { matchLabels: {} } });
    await observed.setImage('agent:2');
    const { canary } = await untilState('Canary');
    const [lost = ''] = canary?.nodes ?? [];
    const taints = [{ key: 'maintenance', effect: 'NoExecute' }];
    await client.patch(nodes, { name: lost }, { type: 'merge', body: { spec: { taints } } });
    await eventually(async () => {
      const status = await statusOf();
      expect(status?.canary?.nodes).toHaveLength(1);
      expect(status?.canary?.nodes).not.toContain(lost);
    });
    await client.patch(nodes, { name: lost }, { type: 'merge', body: { spec: { taints: null } } });
    await eventually(async () => {
      expect(await observed.images()).toEqual({ 'agent:1': nodeCount - 1, 'agent:2': 1 });
    });
  });
});
