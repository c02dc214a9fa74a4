import { setTimeout as delay } from 'node:timers/promises';
import { labels, nodePools, unitedDeployments, yurtAppDaemons } from '@atoll/api';
import {
  deployments,
  namespaces,
  nodes,
  pods,
  resourceQuotas,
  validatingAdmissionPolicies,
  validatingAdmissionPolicyBindings,
  type Deployment,
  type StreamingClient,
} from '@atoll/kube';
import { writesOf, type AuditEntry } from '@atoll/testbed';
import { expect } from 'vitest';
import { enforcedQuota } from '../set-up/enforced-quota.ts';
import { apply, daemon, pool } from '../set-up/objects.ts';
import { operatorUser, type OperatorControlPlane } from '../set-up/operator-control-plane.ts';
import { conditionsOf, eventually } from '../set-up/standing.ts';
import { united } from '../united-deployment/objects.ts';

const second = 1_000;
/** What was refused is tried again every thirty seconds; the rest is for the requests. */
export const healsWithinMs = 35 * second;

/** Something that the server refuses to the operator. */
interface Refusal {
  /** Which of the operator's writes it is about. */
  readonly concerns: (write: AuditEntry) => boolean;
  /** Causes reconciles meanwhile, once a second. */
  readonly churn: (round: number) => Promise<void>;
  /** Resolves when the API server, which learns of it through a watch, refuses it no longer. */
  readonly lift: () => Promise<void>;
  readonly isWhole: () => Promise<void>;
}

/**
 * Refuses for so long, while other things cause reconciles, then lifts it and waits until all is well. Returns how many
 * milliseconds after that the write took place.
 */
export async function refuseFor(
  world: OperatorControlPlane,
  refusal: Refusal,
  seconds: number,
): Promise<number> {
  const { concerns, churn, lift, isWhole } = refusal;
  const writes = async (): Promise<readonly AuditEntry[]> =>
    writesOf(await world.recording.history()).flatMap(({ audit }) =>
      audit.user === operatorUser && concerns(audit) ? [audit] : [],
    );
  const first = await eventually(async () => {
    const found = (await writes()).find(({ code }) => code >= 400);
    if (found === undefined) throw new Error('nothing was refused yet');
    return found;
  });
  const tries = async (): Promise<readonly AuditEntry[]> =>
    (await writes()).filter(({ name, at }) => name === first.name && at >= first.at);
  for (let round = 0; Date.now() < first.at + seconds * second; round += 1) {
    await churn(round);
    await delay(second);
  }
  const refused = (await tries()).map(({ code, at }) => [code >= 400, at - first.at] as const);
  expect(refused.map(([is]) => is)).not.toContain(false);
  expect(refused.length).toBeLessThanOrEqual(Math.ceil(seconds / 10));

  await lift();
  const lifted = Date.now();
  await eventually(isWhole);
  // The API server writes a line of its audit log after the answer.
  const passed = await eventually(async () => {
    const found = (await tries()).find(({ code }) => code < 400);
    if (found === undefined) throw new Error('nothing passed yet');
    return found.at;
  });
  // One retry after a second, because some refusals pass; then ten seconds and more between any two.
  const times = [...refused.map(([, at]) => at).filter((at) => at > 5 * second), passed - first.at];
  const pauses = times.slice(1).map((at, index) => at - (times[index] ?? 0));
  expect(Math.min(...pauses)).toBeGreaterThan(9.5 * second);
  return passed - lifted;
}

/** A quota with room for one of the two children of a UnitedDeployment. */
export async function quotaOnChildren({ client }: OperatorControlPlane, namespace: string): Promise<Refusal> {
  await client.create(namespaces, { metadata: { name: namespace } });
  const quota = { namespace, name: 'one-deployment' };
  await enforcedQuota(client, quota, { 'count/deployments.apps': '1' });
  const subsets = ['a', 'b'].map((name) => ({ name, replicas: 2 }));
  const object = united({ name: 'web', replicas: 4, subsets });
  await apply(client, unitedDeployments, { ...object, metadata: { namespace, name: 'web' } });
  return {
    concerns: (write) => write.resource === 'deployments.apps' && write.namespace === namespace,
    churn: async (round) => endPod(client, namespace, round),
    lift: async () => {
      await client.delete(resourceQuotas, quota);
      await eventually(async () => client.create(deployments, probeIn(namespace), { dryRun: true }));
    },
    isWhole: async () => expect((await client.list(deployments, { namespace })).items).toHaveLength(2),
  };
}

/** A policy that refuses the child in one pool of a YurtAppDaemon. */
export async function policyOnChildren(
  { client }: OperatorControlPlane,
  namespace: string,
): Promise<Refusal> {
  await client.create(namespaces, { metadata: { name: namespace } });
  const policy = `no-children-in-${namespace}`;
  const member = `object.metadata.?labels['${labels.poolName}'].orValue('') == 'bj'`;
  const unless = `object.metadata.namespace != '${namespace}' || !(${member})`;
  await refuse(client, policy, ['apps', 'deployments', 'CREATE'], unless);
  const object = daemon({ name: 'web', pools: { tier: 'a' }, replicas: 2 });
  const attempt = async () => client.create(deployments, probeIn(namespace), { dryRun: true });
  await untilRefused(attempt);
  await apply(client, yurtAppDaemons, { ...object, metadata: { namespace, name: 'web' } });
  return {
    concerns: (write) => write.resource === 'deployments.apps' && write.namespace === namespace,
    churn: async (round) => endPod(client, namespace, round),
    lift: async () => {
      await client.delete(validatingAdmissionPolicyBindings, { name: policy });
      await eventually(attempt);
    },
    isWhole: async () => {
      const conditions = await conditionsOf(client, yurtAppDaemons, 'web', namespace);
      expect(conditions['Ready']?.status).toBe('True');
    },
  };
}

/** For dry runs. */
function probeIn(namespace: string): Deployment {
  const app = { app: 'probe' };
  return {
    metadata: { namespace, name: 'probe', labels: { [labels.poolName]: 'bj' } },
    spec: {
      selector: { matchLabels: app },
      template: { metadata: { labels: app }, spec: { containers: [{ name: 'web', image: 'nginx:1.27' }] } },
    },
  };
}

/** A policy that keeps the operator off the nodes of a pool, on which others go on noting things. */
export async function policyOnNodes({ client }: OperatorControlPlane, name: string): Promise<Refusal> {
  const policy = `no-nodes-of-${name}`;
  const isMember = `object.metadata.?labels['${labels.nodePool}'].orValue('') == '${name}'`;
  const isMeant = `request.userInfo.username == '${operatorUser}' || request.dryRun`;
  await refuse(client, policy, ['', 'nodes', 'UPDATE'], `!(${isMember}) || !(${isMeant})`);
  const members = async () => {
    const { items } = await client.list(nodes, { labelSelector: `${labels.nodePool}=${name}` });
    return items;
  };
  const names = (await members()).map(({ metadata }) => metadata.name);
  const note = async (round: number, options: { readonly dryRun?: boolean } = {}): Promise<void> => {
    const body = { metadata: { annotations: { 'example.com/round': String(round) } } };
    await client.patch(nodes, { name: names[0] ?? '' }, { type: 'merge', body }, options);
  };
  await untilRefused(async () => note(-1, { dryRun: true }));
  await apply(client, nodePools, pool(name, {}, { labels: { 'example.com/pool': name } }));
  return {
    concerns: (write) => write.resource === 'nodes' && write.name !== undefined && names.includes(write.name),
    churn: async (round) => note(round),
    lift: async () => {
      await client.delete(validatingAdmissionPolicyBindings, { name: policy });
      await eventually(async () => note(-1, { dryRun: true }));
    },
    isWhole: async () => {
      for (const { metadata } of await members()) expect(metadata.labels?.['example.com/pool']).toBe(name);
      expect((await conditionsOf(client, nodePools, name))['Ready']?.status).toBe('True');
    },
  };
}

/** Every third second a pod ends, so that children become unavailable and available again. */
async function endPod(client: StreamingClient, namespace: string, round: number): Promise<void> {
  if (round % 3 !== 0) return;
  const { items } = await client.list(pods, { namespace });
  const pod = items.find(({ metadata }) => metadata.deletionTimestamp === undefined);
  if (pod !== undefined) await client.delete(pods, { namespace, name: pod.metadata.name });
}

const says = 'not before the change board agrees';

/** The API server takes a moment to know a new policy. `attempt`: a dry run that it is to refuse. */
async function untilRefused(attempt: () => Promise<unknown>): Promise<void> {
  await eventually(async () => expect(attempt()).rejects.toThrow(says));
}

async function refuse(
  client: StreamingClient,
  name: string,
  [group, resource, operation]: readonly [string, string, string],
  unless: string,
): Promise<void> {
  const rule = { apiGroups: [group], apiVersions: ['*'], resources: [resource], operations: [operation] };
  await client.create(validatingAdmissionPolicies, {
    metadata: { name },
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: { resourceRules: [rule] },
      validations: [{ expression: unless, message: says }],
    },
  });
  await client.create(validatingAdmissionPolicyBindings, {
    metadata: { name },
    spec: { policyName: name, validationActions: ['Deny'] },
  });
}
