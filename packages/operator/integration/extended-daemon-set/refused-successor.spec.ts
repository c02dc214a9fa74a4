// Pods that would be refused are no reason to delete the ones that run: the API server is asked by dry run before the first of a batch goes.
import {
  extendedDaemonSetLabels,
  extendedDaemonSetReplicaSets,
  extendedDaemonSets,
  extendedDaemonsetSettings,
  replicaSetConditions,
  type ExtendedDaemonSet,
  type ExtendedDaemonSetReplicaSet,
  type ExtendedDaemonsetSetting,
} from '@atoll/api';
import {
  limitRanges,
  namespaces,
  nodes,
  pods,
  resourceQuotas,
  validatingAdmissionPolicies,
  validatingAdmissionPolicyBindings,
  type StreamingClient,
} from '@atoll/kube';
import { AuditLog, type AuditEntry } from '@atoll/testbed';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  operatorUser,
  withoutElection,
  type OperatorControlPlane,
} from '../set-up/operator-control-plane.ts';
import { sharedOperatorControlPlane } from '../set-up/shared-operator-control-plane.ts';
import { eventually } from '../set-up/standing.ts';

const nodeCount = 4;
const name = 'agent';

let world: OperatorControlPlane;
let client: StreamingClient;
let log: AuditLog;

interface Row {
  readonly namespace: string;
  /** What begins to refuse pods while some run. */
  readonly refuses: () => Promise<unknown>;
  readonly template: object;
  readonly wanted: string;
}

const container = { name: 'agent', image: 'agent:2' };

const rows: readonly Row[] = [
  {
    namespace: 'policy',
    refuses: async () => {
      const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] };
      const expression = "object.spec.containers.all(each, !each.image.endsWith(':2'))";
      const validations = [{ expression, message: 'agent:2 is not allowed' }];
      await client.create(validatingAdmissionPolicies, {
        metadata: { name: 'images' },
        spec: { matchConstraints: { resourceRules: [rule] }, validations },
      });
      const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': 'policy' } };
      await client.create(validatingAdmissionPolicyBindings, {
        metadata: { name: 'images' },
        spec: { policyName: 'images', validationActions: ['Deny'], matchResources: { namespaceSelector } },
      });
      await untilRefused('policy', { containers: [container] });
    },
    template: { spec: { containers: [container] } },
    wanted: 'agent:2 is not allowed',
  },
  {
    namespace: 'limits',
    refuses: async () => {
      const limits = [{ type: 'Container', max: { cpu: '1' } }];
      await client.create(limitRanges, {
        metadata: { namespace: 'limits', name: 'small' },
        spec: { limits },
      });
      await untilRefused('limits', { containers: [{ ...container, resources: { limits: { cpu: '2' } } }] });
    },
    template: { spec: { containers: [{ ...container, resources: { limits: { cpu: '2' } } }] } },
    wanted: 'maximum cpu usage per Container is 1',
  },
  {
    namespace: 'restricted',
    refuses: async () => {
      const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
      await client.patch(
        namespaces,
        { name: 'restricted' },
        { type: 'merge', body: { metadata: { labels } } },
      );
      await untilRefused('restricted', { containers: [container] });
    },
    template: { spec: { containers: [container] } },
    wanted: 'violates PodSecurity',
  },
  {
    namespace: 'unquoted',
    refuses: nothingCame,
    template: { spec: { nodeSelector: { tier: 1 } } },
    wanted: 'nodeSelector of type string',
  },
  {
    namespace: 'misspelt',
    refuses: nothingCame,
    template: { spec: placedBy([{ matchExpressions: [{ key: 'tier', operator: 'in', values: ['1'] }] }]) },
    wanted: 'not a valid selector operator',
  },
  {
    namespace: 'termless',
    refuses: nothingCame,
    template: { spec: { containers: [container], ...placedBy([]) } },
    wanted: 'must have at least one node selector term',
  },
];

/** Templates of custom kinds are not typed: the fault is in the template itself. */
async function nothingCame(): Promise<void> {}

function placedBy(nodeSelectorTerms: readonly object[]): object {
  const required = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } };
  return { affinity: { nodeAffinity: required } };
}

function agent(namespace: string): ExtendedDaemonSet {
  const rollingUpdate = {
    maxUnavailable: 1,
    slowStartIntervalDuration: '1ms',
    maxParallelPodCreation: 250,
    slowStartAdditiveIncrease: 250,
  };
  return {
    metadata: { namespace, name },
    spec: {
      strategy: { reconcileFrequency: '100ms', rollingUpdate },
      template: { metadata: { labels: { app: name } }, spec: { containers: [{ name, image: 'agent:1' }] } },
    },
  };
}

/** Policies and limits are known to the API server a moment after they were written. */
async function untilRefused(namespace: string, spec: object): Promise<void> {
  const probe = { metadata: { namespace, name: 'probe' }, spec } as Parameters<typeof client.create>[1];
  await eventually(async () => {
    await expect(client.create(pods, probe as never, { dryRun: true })).rejects.toThrow(/forbidden/);
  });
}

async function podsOf(namespace: string) {
  const labelSelector = `${extendedDaemonSetLabels.name}=${name}`;
  return (await client.list(pods, { namespace, labelSelector })).items;
}

async function uidsOf(namespace: string): Promise<readonly string[]> {
  return (await podsOf(namespace)).map(({ metadata }) => metadata.uid).sort();
}

async function untilAll(namespace: string, image: string): Promise<void> {
  await eventually(async () => {
    const { status, metadata } = await client.get(extendedDaemonSets, { namespace, name });
    const { generation } = metadata;
    const all = { ready: nodeCount, upToDate: nodeCount, current: nodeCount };
    expect(status).toMatchObject({ observedGeneration: generation, ...all });
    const images = (await podsOf(namespace)).map(({ spec }) => spec?.containers[0]?.image);
    expect(images).toEqual(Array<string>(nodeCount).fill(image));
  });
}

async function change(namespace: string, template: object): Promise<void> {
  const body = { spec: { template } };
  await client.patch(extendedDaemonSets, { namespace, name }, { type: 'merge', body });
}

async function writesOf(verb: string, of: string): Promise<readonly AuditEntry[]> {
  await log.readOn();
  return log.entries.filter(
    (entry) =>
      entry.user === operatorUser &&
      entry.verb === verb &&
      entry.resource === 'pods' &&
      entry.namespace === of,
  );
}

/** When batches of deletions were, as the operator recorded them, in whole seconds. */
function batchesIn(entries: readonly AuditEntry[]): readonly number[] {
  const taken = entries.filter(({ user, code }) => user === operatorUser && code < 400);
  const times = taken.flatMap(({ request }) => {
    const { status } = (request ?? {}) as Partial<ExtendedDaemonSetReplicaSet>;
    const batch = status?.conditions?.find(({ type }) => type === replicaSetConditions.podDeletion);
    return batch?.lastUpdateTime ?? [];
  });
  return [...new Set(times)].map((time) => Date.parse(time));
}

beforeAll(async () => {
  world = await sharedOperatorControlPlane({ fleet: { pools: ['a'], nodesPerPool: nodeCount } });
  ({ client } = world);
  await world.controlPlane.nodesReady();
  log = new AuditLog(world.controlPlane.auditLog ?? '');
  await world.start({ args: [...withoutElection, '--controllers=extended-daemon-set'] });
  for (const namespace of [...rows.map((row) => row.namespace), 'full']) {
    await client.create(namespaces, { metadata: { name: namespace } });
    await client.create(extendedDaemonSets, agent(namespace));
  }
}, 120_000);

afterAll(async () => {
  await log?.close();
  await world?.[Symbol.asyncDispose]();
});

describe('a template whose pods are refused', () => {
  it.each(rows)(
    'by what came to $namespace, or is in it, costs no pod, and the object reports why',
    async (row) => {
      const { namespace, refuses, template, wanted } = row;
      await untilAll(namespace, 'agent:1');
      const before = await uidsOf(namespace);
      await refuses();
      await change(namespace, template);
      await eventually(async () => {
        const { status, metadata } = await client.get(extendedDaemonSets, { namespace, name });
        expect(status?.observedGeneration).toBe(metadata.generation);
        const message = expect.stringMatching(
          new RegExp(`the API server would refuse a new Pod, so the old one stays: .*${wanted}`, 's'),
        );
        expect(status?.conditions).toEqual(
          expect.arrayContaining([
            expect.objectContaining({ type: 'Ready', status: 'False', reason: 'ChildRefused', message }),
          ]),
        );
      });
      // Asked again after a second and after ten more, it is still so.
      await eventually(async () => {
        const tries = (await writesOf('create', namespace)).filter(({ dryRun }) => dryRun);
        expect(tries.length).toBeGreaterThan(1);
      });
      expect(await uidsOf(namespace)).toEqual(before);
      expect(await writesOf('delete', namespace)).toEqual([]);
      const containers = [{ name, image: 'agent:1', resources: null }];
      await change(namespace, { spec: { containers, nodeSelector: null, affinity: null } });
      await eventually(async () => {
        const { status } = await client.get(extendedDaemonSets, { namespace, name });
        expect(status?.conditions).toEqual(
          expect.arrayContaining([expect.objectContaining({ type: 'Ready', status: 'True' })]),
        );
      });
      expect(await uidsOf(namespace)).toEqual(before);
    },
  );
});

it('a quota that the pods use up is no refusal: each makes room for the one that replaces it', async () => {
  const namespace = 'full';
  await untilAll(namespace, 'agent:1');
  const metadata = { namespace, name: 'full' };
  await client.create(resourceQuotas, { metadata, spec: { hard: { pods: String(nodeCount) } } });
  await eventually(async () => {
    const { status } = await client.get(resourceQuotas, metadata);
    expect(status).toMatchObject({ used: { pods: String(nodeCount) } });
  });
  await change(namespace, { spec: { containers: [container] } });
  await untilAll(namespace, 'agent:2');
  const tries = (await writesOf('create', namespace)).filter(({ dryRun }) => dryRun);
  expect(tries.map(({ message }) => message)).toEqual([
    expect.stringMatching(/exceeded quota|already exists/),
  ]);
});

/** For the pods of nodes with the label. */
function settingOf(namespace: string, cpu: string): ExtendedDaemonsetSetting {
  return {
    metadata: { namespace, name: 'large' },
    spec: {
      reference: { kind: 'ExtendedDaemonset', name },
      nodeSelector: { matchLabels: { 'example.test/size': 'large' } },
      containers: [{ name, resources: { limits: { cpu }, requests: { cpu } } }],
    },
  };
}

it('a setting whose resources are refused keeps the pods of its nodes, and all others are replaced', async () => {
  const namespace = 'settings';
  const names = (await client.list(nodes)).items.map(({ metadata }) => metadata.name).sort();
  // The first in order: with one pod at a time the others come after them.
  const large = names.slice(0, 2);
  for (const node of large) {
    const labels = { 'example.test/size': 'large' };
    await client.patch(nodes, { name: node }, { type: 'merge', body: { metadata: { labels } } });
  }
  await client.create(namespaces, { metadata: { name: namespace } });
  await client.create(extendedDaemonsetSettings, settingOf(namespace, '2'));
  await client.create(extendedDaemonSets, agent(namespace));
  await untilAll(namespace, 'agent:1');
  const isLarge = (pod: Awaited<ReturnType<typeof podsOf>>[number]): boolean =>
    large.includes(pod.spec?.nodeName ?? '');
  const uidsOfLarge = async () =>
    (await podsOf(namespace)).filter(isLarge).map(({ metadata }) => metadata.uid);
  const before = await uidsOfLarge();

  const limits = [{ type: 'Container', max: { cpu: '1' } }];
  await client.create(limitRanges, { metadata: { namespace, name: 'small' }, spec: { limits } });
  const tooLarge = { ...container, resources: { limits: { cpu: '2' } } };
  await untilRefused(namespace, { containers: [tooLarge] });
  const resources = { limits: { cpu: '500m' } };
  await change(namespace, { spec: { containers: [{ ...container, resources }] } });
  await eventually(async () => {
    const found = (await podsOf(namespace)).filter((pod) => !isLarge(pod));
    expect(found.map(({ spec }) => spec?.containers[0]?.image)).toEqual(['agent:2', 'agent:2']);
    const { status } = await client.get(extendedDaemonSets, { namespace, name });
    const words = `${large.join(', ')}: .*would refuse a new Pod.*maximum cpu usage per Container is 1`;
    const message = expect.stringMatching(new RegExp(words, 's'));
    expect(status).toMatchObject({ ready: nodeCount, upToDate: 2 });
    expect(status?.conditions).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ type: 'Ready', status: 'False', reason: 'ChildRefused', message }),
      ]),
    );
  });
  // Asked again meanwhile, it is still so.
  await eventually(async () => {
    const tries = (await writesOf('create', namespace)).filter(({ dryRun, code }) => dryRun && code === 403);
    expect(tries.length).toBeGreaterThan(1);
  });
  expect((await uidsOfLarge()).sort()).toEqual([...before].sort());
  const deleted = (await writesOf('delete', namespace)).map((entry) => entry.name);
  expect(new Set(deleted).size).toBe(2);

  const { spec } = settingOf(namespace, '1');
  const key = { namespace, name: 'large' };
  await client.patch(extendedDaemonsetSettings, key, { type: 'merge', body: { spec } });
  await untilAll(namespace, 'agent:2');
});

/** As the pod of a node says where it belongs. */
function affinityTo(node: string) {
  const matchFields = [{ key: 'metadata.name', operator: 'In', values: [node] }];
  return {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields }] },
    },
  };
}

it('a node whose pod alone is refused keeps it and is named, and all others are replaced', async () => {
  const namespace = 'one-node';
  await client.create(namespaces, { metadata: { name: namespace } });
  await client.create(extendedDaemonSets, agent(namespace));
  await untilAll(namespace, 'agent:1');
  const [refused = ''] = (await client.list(nodes)).items.map(({ metadata }) => metadata.name).sort();
  const isOfRefused = ({ spec }: Awaited<ReturnType<typeof podsOf>>[number]): boolean =>
    spec?.nodeName === refused;
  const before = (await podsOf(namespace)).find(isOfRefused)?.metadata.uid;

  const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] };
  const terms =
    'object.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms';
  const expression = `!has(object.spec.affinity) || !${terms}.exists(term, term.matchFields.exists(field, '${refused}' in field.values))`;
  await client.create(validatingAdmissionPolicies, {
    metadata: { name: 'nodes' },
    spec: {
      matchConstraints: { resourceRules: [rule] },
      validations: [{ expression, message: 'nothing new on this node' }],
    },
  });
  const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': namespace } };
  await client.create(validatingAdmissionPolicyBindings, {
    metadata: { name: 'nodes' },
    spec: { policyName: 'nodes', validationActions: ['Deny'], matchResources: { namespaceSelector } },
  });
  await untilRefused(namespace, { affinity: affinityTo(refused), containers: [container] });

  await change(namespace, { spec: { containers: [container] } });
  await eventually(async () => {
    const { status } = await client.get(extendedDaemonSets, { namespace, name });
    expect(status).toMatchObject({ ready: nodeCount, upToDate: nodeCount - 1 });
    const words = `${refused}: .*would refuse a new Pod.*nothing new on this node`;
    const message = expect.stringMatching(new RegExp(words, 's'));
    expect(status?.conditions).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ type: 'Ready', status: 'False', reason: 'ChildRefused', message }),
      ]),
    );
  });
  expect((await podsOf(namespace)).find(isOfRefused)?.metadata.uid).toBe(before);

  await client.delete(validatingAdmissionPolicyBindings, { name: 'nodes' });
  await untilAll(namespace, 'agent:2');
});

it('a status of the replica set that is refused keeps outdated pods, as their batch is not recorded, and missing ones are made', async () => {
  const namespace = 'records';
  const everyMs = 3_000;
  const object = agent(namespace);
  const strategy = { ...object.spec.strategy, reconcileFrequency: `${everyMs}ms` };
  await client.create(namespaces, { metadata: { name: namespace } });
  await client.create(extendedDaemonSets, { ...object, spec: { ...object.spec, strategy } });
  await untilAll(namespace, 'agent:1');

  const rule = {
    apiGroups: [extendedDaemonSetReplicaSets.group],
    apiVersions: ['*'],
    operations: ['UPDATE'],
    resources: [`${extendedDaemonSetReplicaSets.plural}/status`],
  };
  await client.create(validatingAdmissionPolicies, {
    metadata: { name: 'records' },
    spec: {
      matchConstraints: { resourceRules: [rule] },
      validations: [{ expression: 'false', message: 'nothing is recorded here' }],
    },
  });
  const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': namespace } };
  await client.create(validatingAdmissionPolicyBindings, {
    metadata: { name: 'records' },
    spec: { policyName: 'records', validationActions: ['Deny'], matchResources: { namespaceSelector } },
  });
  const [first] = (await client.list(extendedDaemonSetReplicaSets, { namespace })).items;
  const body = { status: { ...first?.status, desired: 0 } };
  await eventually(async () => {
    const key = { namespace, name: first?.metadata.name ?? '' };
    const tried = { subresource: 'status', dryRun: true } as const;
    await expect(
      client.patch(extendedDaemonSetReplicaSets, key, { type: 'merge', body }, tried),
    ).rejects.toThrow(/nothing is recorded here/);
  });

  await change(namespace, { spec: { containers: [container] } });
  const words =
    'outdated pods stay until the time of their deletion can be recorded: .*nothing is recorded here';
  await eventually(async () => {
    const { status } = await client.get(extendedDaemonSets, { namespace, name });
    const message = expect.stringMatching(new RegExp(words, 's'));
    expect(status?.conditions).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ type: 'Ready', status: 'False', reason: 'ChildRefused', message }),
      ]),
    );
  });
  const imagesOf = async () =>
    (await podsOf(namespace)).map(({ spec }) => spec?.containers[0]?.image ?? '').sort();
  const [gone] = await podsOf(namespace);
  await client.delete(pods, { namespace, name: gone?.metadata.name ?? '' });
  await eventually(async () => {
    expect(await imagesOf()).toEqual(['agent:1', 'agent:1', 'agent:1', 'agent:2']);
  });
  // Asked again after a second and after ten more, it is still so.
  await eventually(async () => {
    await log.readOn();
    const refused = log.entries.filter(
      (entry) => entry.namespace === namespace && entry.user === operatorUser && entry.code >= 400,
    );
    const records = refused.filter(({ request }) => JSON.stringify(request).includes('pods deleted'));
    expect(records.length).toBeGreaterThan(2);
  });
  expect(await imagesOf()).toEqual(['agent:1', 'agent:1', 'agent:1', 'agent:2']);
  expect(await writesOf('delete', namespace)).toEqual([]);

  await client.delete(validatingAdmissionPolicyBindings, { name: 'records' });
  await untilAll(namespace, 'agent:2');
  const deletedAt = (await writesOf('delete', namespace)).map(({ receivedAt }) => receivedAt);
  const recorded = batchesIn(log.entries.filter((entry) => entry.namespace === namespace));
  expect([deletedAt.length, recorded.length]).toEqual([3, 3]);
  // By the records: a deletion comes some milliseconds after its own.
  for (const [index, at] of recorded.entries()) {
    expect(deletedAt[index]).toBeGreaterThanOrEqual(at);
    expect(at - (recorded[index - 1] ?? 0)).toBeGreaterThanOrEqual(everyMs);
  }
});
