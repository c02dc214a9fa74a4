// Datadog's operator itself leaves objects in every state that it knows; Atoll takes them over, gives them back as the guide says, and takes them over again.
//
// Proves, for its release v0.8.1 with the definitions that it brings: what it really writes is understood, and no pod goes that need not go. Does not prove:
// its later candidates for a release, which the module proxy has not; kubelets; thousands of nodes.
import { execFile } from 'node:child_process';
import {
  extendedDaemonsetSettings,
  nodeResourcesAnnotation,
  type ExtendedDaemonSet,
  type ExtendedDaemonSetStatus,
} from '@atoll/api';
import {
  createClient,
  loadKubeconfig,
  nodes,
  pods,
  type Pod,
  type Stored,
  type StreamingClient,
} from '@atoll/kube';
import { install } from '@atoll/operator/install';
import {
  AuditLog,
  runOperator,
  startControlPlane,
  type AuditEntry,
  type Component,
  type ControlPlane,
  type RunningOperator,
} from '@atoll/testbed';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { programFile } from '../../../../scripts/build/program-file.ts';
import { nodeOf } from '../../src/children/pods/placement/node-of-pod.ts';
import { quietMs } from '../../src/extended-daemon-set/another-controller/conflict.ts';
import { overallTypes } from '../../src/engine/status/conditions.ts';
import { guideCommands, runDocumented } from '../set-up/documented-commands.ts';
import {
  operatorAccount,
  operatorScript,
  operatorUser,
  withoutElection,
} from '../set-up/operator-control-plane.ts';
import { eventually } from '../set-up/standing.ts';
import { observedObject } from './observed-object.ts';
import { installOldOperator, oldOperatorUser, startOldOperator } from './old-operator.ts';
import { watchPods, type PodsSeen } from './pods-seen.ts';

const namespace = 'default';
const nodeCount = 6;

/** What each is in when the old operator is stopped. */
const canaries = {
  /** At rest, with a setting on two nodes and an annotation of another. */
  steady: { replicas: 1, duration: '10m' },
  /** In the middle of a rollout. */
  rolling: undefined,
  frozen: undefined,
  /** In the middle of a canary. Its end comes when it is Atoll's. */
  trying: { replicas: 2, duration: '4m', noRestartsDuration: '10s' },
  manual: { replicas: 1, validationMode: 'manual' },
  /** A canary that a person paused; its duration is over by then. */
  paused: { replicas: 1, duration: '1m', noRestartsDuration: '1s' },
  /** Canaries that are paused because of their pods. */
  stuck: { replicas: 1, duration: '1m', noRestartsDuration: '1s' },
  crashing: {
    replicas: 1,
    duration: '20m',
    autoPause: { enabled: true, maxRestarts: 1 },
    autoFail: { enabled: true, maxRestarts: 50 },
  },
  /** A canary that a person ended as failed. */
  failed: { replicas: 1, duration: '20m' },
} as const satisfies Readonly<Record<string, ExtendedDaemonSet['spec']['strategy']['canary']>>;
type Name = keyof typeof canaries;
const names = Object.keys(canaries) as readonly Name[];

let controlPlane: ControlPlane;
let client: StreamingClient;
let audit: AuditLog;
let seen: PodsSeen;
let old: Component;
let ours: RunningOperator;
const stop = new AbortController();
/** By uid: what ran when the old operator was stopped. */
let left: ReadonlyMap<string, Stored<Pod>>;

function strategyOf(name: Name): ExtendedDaemonSet['spec']['strategy'] {
  const canary = canaries[name];
  return {
    reconcileFrequency: name === 'rolling' ? '10s' : '1s',
    rollingUpdate: { maxUnavailable: 1, slowStartIntervalDuration: '1ms', slowStartAdditiveIncrease: 250 },
    ...(canary === undefined ? {} : { canary }),
  };
}

const of = (name: Name) => observedObject(client, name, namespace);

async function eds(...args: readonly string[]): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const env = { ...process.env, KUBECONFIG: controlPlane.kubeconfig };
  const command = [programFile('kubectl-eds'), ...args, '-n', namespace];
  execFile(process.execPath, command, { env }, (error, out) =>
    error === null ? resolve(out) : reject(error),
  );
  return promise;
}

async function running(): Promise<ReadonlyMap<string, Stored<Pod>>> {
  const { items } = await client.list(pods, { namespace });
  const present = items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  return new Map(present.map((pod) => [pod.metadata.uid, pod]));
}

async function podOn(name: Name, node: string): Promise<Stored<Pod> | undefined> {
  return (await of(name).pods()).find((pod) => nodeOf(pod) === node);
}

function ofObject(all: ReadonlyMap<string, Stored<Pod>>, name: Name): readonly Stored<Pod>[] {
  return [...all.values()].filter(({ metadata }) => metadata.labels?.['app'] === name);
}

const imageOf = ({ spec }: Pod): string | undefined => spec?.containers[0]?.image;
const namesOf = (some: readonly Stored<Pod>[]): readonly string[] =>
  some.map(({ metadata }) => metadata.name).sort();
const uidsOf = (some: readonly Stored<Pod>[]): readonly string[] =>
  some.map(({ metadata }) => metadata.uid).sort();

/** Writes that were carried out, of this user, from the time on. */
async function writesOf(user: string, since = 0): Promise<readonly AuditEntry[]> {
  await audit.readOn();
  return audit.entries.filter(
    (entry) =>
      entry.user === user &&
      entry.receivedAt >= since &&
      ['create', 'update', 'patch', 'delete', 'deletecollection'].includes(entry.verb) &&
      !entry.dryRun &&
      entry.code < 300,
  );
}

async function statusOf(name: Name): Promise<ExtendedDaemonSetStatus | undefined> {
  return (await of(name).get()).status;
}

/** Waits for the minute in which the old operator must have been silent, too. */
async function untilTakenOver(name: Name, ready: object): Promise<void> {
  await eventually(async () => expect(await of(name).condition('Ready')).toMatchObject(ready), 240_000);
}

async function startAtoll(): Promise<void> {
  ours = await runOperator(controlPlane, {
    script: operatorScript,
    account: operatorAccount,
    args: withoutElection,
  });
}

/**
 * The old operator does not wait until its cache shows what it made. Where that is late, it makes two replica sets of the first template, and the
 * second one is a canary. Such an object is made anew.
 */
async function createAtRest(name: Name): Promise<void> {
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    await of(name).create({}, strategyOf(name));
    const isDouble = await eventually(async () => {
      if ((await of(name).replicaSets()).length > 1) return true;
      const whole = { state: 'Running', ready: nodeCount, upToDate: nodeCount, desired: nodeCount };
      expect(await statusOf(name)).toMatchObject(whole);
      return false;
    });
    if (!isDouble) return;
    await of(name).remove();
    await eventually(async () => {
      expect(await of(name).replicaSets()).toEqual([]);
      expect(await of(name).pods()).toEqual([]);
    });
  }
  throw new Error(`the old operator makes two replica sets of ${name} every time`);
}

/** Starts the old operator in an empty cluster, and brings every object into its state. */
async function leave(): Promise<void> {
  await controlPlane.labelNodes(['a-node-2', 'a-node-3'], { size: 'large' });
  const key = nodeResourcesAnnotation(namespace, 'steady', 'agent');
  const annotations = { [key]: '{"requests":{"cpu":"0.3"}}' };
  await client.patch(nodes, { name: 'a-node-1' }, { type: 'merge', body: { metadata: { annotations } } });
  old = await startOldOperator(controlPlane);
  await client.create(extendedDaemonsetSettings, {
    metadata: { namespace, name: 'large' },
    spec: {
      reference: { kind: 'ExtendedDaemonset', name: 'steady' },
      nodeSelector: { matchLabels: { size: 'large' } },
      containers: [{ name: 'agent', resources: { requests: { cpu: '0.2' }, limits: { memory: '1Gi' } } }],
    },
  });
  await eventually(async () => {
    const { status } = await client.get(extendedDaemonsetSettings, { namespace, name: 'large' });
    expect(status?.status).toBe('valid');
  });
  await Promise.all(names.map(createAtRest));
  seen = await watchPods(client, nodeCount, stop.signal);

  for (const name of ['frozen', 'trying', 'manual', 'paused', 'failed'] as const)
    await of(name).setImage('agent:2');
  await of('stuck').setImage('agent:bad-pull');
  await of('crashing').setImage('agent:bad-crash');
  await eventually(async () => expect((await of('frozen').images())['agent:2']).toBeGreaterThan(1));
  await eds('freeze-rollout', 'frozen');
  for (const name of ['trying', 'manual', 'paused', 'failed'] as const) {
    const { replicas } = canaries[name];
    await eventually(async () => expect((await of(name).images())['agent:2']).toBe(replicas));
  }
  await eds('canary', 'pause', 'paused');
  await eds('canary', 'fail', 'failed');
  for (const name of ['paused', 'stuck', 'crashing'] as const) await of(name).untilState('Canary Paused');
  await of('frozen').untilState('Rollout frozen');
  await of('failed').untilAll('agent:1', nodeCount);
  await of('rolling').setImage('agent:2');
}

beforeAll(async () => {
  controlPlane = await startControlPlane({
    fleet: { pools: ['a', 'b'], nodesPerPool: nodeCount / 2 },
    audit: true,
    prepare: installOldOperator,
  });
  client = createClient(await loadKubeconfig({ path: controlPlane.kubeconfig }), { userAgent: 'spec' });
  await controlPlane.nodesReady();
  audit = new AuditLog(controlPlane.auditLog ?? '');
  await leave();
}, 900_000);

afterAll(async () => {
  stop.abort();
  await audit?.close();
  await client?.close();
  await controlPlane?.stop();
});

it('beside the old operator, with our definitions, Atoll writes nothing but that it backs off', async () => {
  const since = Date.now();
  await install(client);
  await startAtoll();
  for (const name of names)
    await of(name).untilCondition('Stalled', { status: 'True', reason: 'ServedByAnotherController' });
  // The old operator works on with them.
  await eventually(async () => expect((await of('rolling').images())['agent:2']).toBeGreaterThan(0));
  const writes = await writesOf(operatorUser, since);
  const others = writes.filter(
    ({ resource }) => resource !== 'events.events.k8s.io' && !resource.startsWith('self'),
  );
  const kinds = others.map(({ resource, subresource = '' }) => `${resource}/${subresource}`);
  expect([...new Set(kinds)]).toEqual(['extendeddaemonsets.datadoghq.com/status']);
  // Of an object at rest the two do not write against each other.
  expect(others.filter(({ name }) => name === 'steady').length).toBeLessThan(4);
});

describe('when the old operator is stopped', { timeout: 600_000 }, () => {
  it('no pod is written for a minute, and then each object is as it was left', async () => {
    const states = new Map<Name, ExtendedDaemonSetStatus | undefined>();
    await eventually(async () => expect((await of('rolling').images())['agent:2']).toBeGreaterThan(1));
    await old.kill('SIGTERM');
    left = await running();
    for (const name of names) {
      states.set(name, await statusOf(name));
      seen.mostWithout(name);
    }
    expect(ofObject(left, 'rolling').map(imageOf)).toContain('agent:1');
    await untilTakenOver('steady', { status: 'True', reason: 'RolloutComplete' });
    const last = Math.max(...(await writesOf(oldOperatorUser)).map(({ at }) => at));
    const early = (await writesOf(operatorUser)).filter(
      ({ resource, receivedAt }) => resource === 'pods' && receivedAt < last + quietMs - 1000,
    );
    expect(early).toEqual([]);

    for (const name of names) {
      await untilTakenOver(name, { reason: expect.not.stringMatching('ServedByAnotherController') });
      const { state, reason, canary, activeReplicaSet } = states.get(name) ?? {};
      expect(await statusOf(name), name).toMatchObject({
        state,
        activeReplicaSet,
        ...(canary === undefined ? {} : { canary }),
        ...(reason === undefined || reason === '' ? {} : { reason }),
      });
    }
  });

  it('a rollout goes on, each outdated pod replaced once', async () => {
    await of('rolling').untilAll('agent:2', nodeCount);
    const now = uidsOf(await of('rolling').pods());
    const kept = ofObject(left, 'rolling').filter((pod) => imageOf(pod) === 'agent:2');
    expect(now).toEqual(expect.arrayContaining([...uidsOf(kept)]));
    await eventually(async () => expect(await of('rolling').replicaSets()).toHaveLength(1));
  });

  it('pods that a setting and an annotation shaped are there, and the others', async () => {
    const resources = async (node: string) => (await podOn('steady', node))?.spec?.containers[0]?.resources;
    expect(await resources('a-node-1')).toEqual({ requests: { cpu: '300m' } });
    expect(await resources('a-node-2')).toMatchObject({
      requests: { cpu: '200m' },
      limits: { memory: '1Gi' },
    });
    expect(uidsOf(await of('steady').pods())).toEqual(uidsOf(ofObject(left, 'steady')));
  });

  it('kubectl eds shows what was left, with its reasons', async () => {
    const lines = (await eds('get')).split('\n');
    const line = (name: Name) => lines.find((each) => each.includes(` ${name} `));
    expect(line('stuck')).toMatch(/Canary Paused +ImagePullBackOff/);
    expect(line('crashing')).toMatch(/Canary Paused +Error/);
    expect(line('paused')).toMatch(/Canary Paused +Unknown/);
    expect(line('frozen')).toContain('Rollout frozen');
    const [stuck] = ofObject(left, 'stuck').filter((pod) => imageOf(pod) === 'agent:bad-pull');
    expect(await eds('canary', 'pods', 'stuck')).toContain(stuck?.metadata.name);
  });

  it('no pod has gone but the outdated ones of the rollout', async () => {
    const now = await running();
    const gone = [...left.values()].filter(({ metadata }) => !now.has(metadata.uid));
    const outdated = ofObject(left, 'rolling').filter((pod) => imageOf(pod) === 'agent:1');
    // The end of the canary may have come.
    expect(namesOf(gone.filter((pod) => pod.metadata.labels?.['app'] !== 'trying'))).toEqual(
      namesOf(outdated),
    );
  });

  it('the replica set of a failed canary goes two minutes after the failure', async () => {
    await eventually(async () => expect(await of('failed').replicaSets()).toHaveLength(1), 150_000);
    expect(uidsOf(await of('failed').pods())).toEqual(uidsOf(ofObject(left, 'failed')));
  });

  it('a canary is promoted when its duration since its beginning is over', async () => {
    await eventually(async () => expect((await statusOf('trying'))?.canary).toBeUndefined(), 240_000);
    await of('trying').untilAll('agent:2', nodeCount);
    const kept = ofObject(left, 'trying').filter((pod) => imageOf(pod) === 'agent:2');
    expect(uidsOf(await of('trying').pods())).toEqual(expect.arrayContaining([...uidsOf(kept)]));
    const [first] = (await writesOf(operatorUser)).filter(
      ({ verb, resource, name = '' }) =>
        verb === 'delete' && resource === 'pods' && name.startsWith('trying-'),
    );
    const active = (await statusOf('trying'))?.activeReplicaSet;
    const replicaSet = (await of('trying').replicaSets()).find(({ metadata }) => metadata.name === active);
    const began = Date.parse(replicaSet?.metadata.creationTimestamp ?? '');
    expect((first?.receivedAt ?? 0) - began).toBeGreaterThanOrEqual(240_000);
  });

  it('what a person decides with kubectl eds is done', async () => {
    await eds('canary', 'unpause', 'paused');
    await eds('canary', 'validate', 'manual');
    await eds('canary', 'fail', 'stuck');
    await eds('unfreeze-rollout', 'frozen');
    await of('crashing').setImage('agent:3');
    for (const name of ['paused', 'manual', 'frozen'] as const) await of(name).untilAll('agent:2', nodeCount);
    await of('stuck').untilAll('agent:1', nodeCount);
    await eventually(async () => {
      expect(await of('crashing').images()).toEqual({ 'agent:1': nodeCount - 1, 'agent:3': 1 });
      expect(await statusOf('crashing')).toMatchObject({ state: 'Canary', ready: nodeCount });
    });
  });

  it('each pod that had to go was deleted once, with its uid; no node had two, and no object lacked more than one', async () => {
    const now = await running();
    const gone = [...left.values()].filter(({ metadata }) => !now.has(metadata.uid));
    const writes = (await writesOf(operatorUser)).filter(
      ({ resource, subresource }) => resource === 'pods' && subresource === undefined,
    );
    const deleted = writes.filter(({ verb }) => verb === 'delete');
    expect(deleted.map(({ name = '' }) => name).sort()).toEqual(namesOf(gone));
    expect(deleted.every(({ preconditions }) => preconditions.uid !== undefined)).toBe(true);
    const made = [...now.values()].filter(({ metadata }) => !left.has(metadata.uid));
    expect(writes.filter(({ verb }) => verb === 'create')).toHaveLength(made.length);
    const images = gone.map((pod) => `${pod.metadata.labels?.['app']} ${imageOf(pod)}`);
    expect([...new Set(images)].sort()).toEqual([
      'crashing agent:bad-crash',
      'frozen agent:1',
      'manual agent:1',
      'paused agent:1',
      'rolling agent:1',
      'stuck agent:bad-pull',
      'trying agent:1',
    ]);
    expect(seen.doubles).toEqual([]);
    for (const name of names) expect(seen.mostWithout(name), name).toBeLessThanOrEqual(1);
  });
});

describe('on the way back', { timeout: 600_000 }, () => {
  it('the old operator goes on without a restart, but for a template that came meanwhile', async () => {
    const ofAtoll = (await of('crashing').replicaSets()).map(({ metadata }) => metadata.name);
    await ours.kill('SIGTERM');
    const before = await running();
    const commands = guideCommands('docs/users/extended-daemon-set.md', '## Back to the old operator');
    for (const command of commands) await runDocumented(command, controlPlane.kubeconfig);
    old = await startOldOperator(controlPlane);
    await eventually(async () => {
      const canary = (await statusOf('crashing'))?.canary;
      expect(canary?.replicaSet).toMatch(/^crashing-/);
      expect(ofAtoll).not.toContain(canary?.replicaSet);
      expect(await of('crashing').images()).toEqual({ 'agent:1': nodeCount - 1, 'agent:3': 1 });
      expect(await statusOf('crashing')).toMatchObject({ state: 'Canary', ready: nodeCount });
    });
    await of('frozen').setImage('agent:3');
    await of('frozen').untilAll('agent:3', nodeCount);
    for (const name of names) {
      const { conditions = [] } = (await statusOf(name)) ?? {};
      expect(
        conditions.map(({ type }) => type).filter((type) => overallTypes.includes(type)),
        name,
      ).toEqual([]);
    }
    const now = await running();
    const gone = [...before.values()].filter(({ metadata }) => !now.has(metadata.uid));
    const whose = gone.map(({ metadata }) => metadata.labels?.['app'] ?? '').sort();
    expect(whose).toEqual(['crashing', ...Array<string>(nodeCount).fill('frozen')]);
  });

  it('Atoll takes them over again, and no pod restarts', async () => {
    await old.kill('SIGTERM');
    const before = await running();
    await startAtoll();
    await untilTakenOver('steady', { status: 'True', reason: 'RolloutComplete' });
    for (const name of names.filter((each) => each !== 'crashing'))
      await untilTakenOver(name, { status: 'True' });
    await untilTakenOver('crashing', { status: 'False', reason: 'CanaryRunning' });
    expect([...(await running()).keys()].sort()).toEqual([...before.keys()].sort());
    expect(seen.doubles).toEqual([]);
  });
});
