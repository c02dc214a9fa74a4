// The token of an agent in the wrong hands: what it can do is to upgrade the node that it is bound to, and nothing else.
import { agentNames, agentUser } from '@atoll/api';
import {
  createClient,
  isApiError,
  isReady,
  loadKubeconfig,
  pods,
  type ClusterAccess,
  type OwnerReference,
  type Pod,
  type PodCondition,
  type StreamingClient,
} from '@atoll/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  eventually,
  needUpgrade,
  podsOf,
  setConditions,
  sharedAgentControlPlane,
  startDaemonSet,
  tokenOfNode,
  type AgentControlPlane,
} from './agent-control-plane.ts';

let world: AgentControlPlane;
/** With the token of the agent on node-1. */
let thief: StreamingClient;
/** With a token of the same account that is bound to no node. */
let unbound: StreamingClient;
let daemonSet: OwnerReference;
const namespace = 'default';
const [here, elsewhere] = ['node-1', 'node-2'];
const account = `/api/v1/namespaces/${agentNames.namespace}/serviceaccounts/${agentNames.serviceAccount}/token`;

beforeAll(async () => {
  world = await sharedAgentControlPlane();
  thief = await clientWith(await tokenOfNode(world.client, here));
  unbound = await clientWith(await tokenOfNode(world.client, undefined));
  const [pod] = await startDaemonSet(world.client, 'web');
  const owner = pod?.metadata.ownerReferences?.[0];
  if (owner === undefined) throw new Error('the pods of a DaemonSet have an owner');
  daemonSet = owner;
  // A policy takes effect some moments after it was written.
  const probe = await own('probe', []);
  await eventually(async () => {
    const answered = await attempt(async () =>
      thief.delete(pods, { namespace, name: probe }, { dryRun: true }),
    );
    // Not what the API server says before it has seen the agents' role.
    if (!/PodNeedUpgrade is True|DaemonSet controls/.test(answered))
      throw new Error(`not the policy: ${answered}`);
  });
});

afterAll(async () => {
  await thief?.close();
  await unbound?.close();
  await world?.[Symbol.asyncDispose]();
});

async function clientWith(
  token: string,
  as: Pick<ClusterAccess, 'impersonate'> = {},
): Promise<StreamingClient> {
  // Without the administrator's certificate, which would be believed before the token.
  const { clientCertificate: _, ...access } = await loadKubeconfig({ path: world.controlPlane.kubeconfig });
  return createClient({
    ...access,
    ...as,
    authorization: { type: 'token', token: { from: 'value', value: token } },
  });
}

/** What the API server answers; empty where it does it. */
async function attempt(deed: () => Promise<unknown>): Promise<string> {
  try {
    await deed();
    return '';
  } catch (error) {
    if (!isApiError(error) || error.code !== 403) throw error;
    return error.status?.message ?? '';
  }
}

/** A pod with an owner that never counts it, as its labels are others. */
async function create(
  name: string,
  node: string,
  conditions: readonly PodCondition[],
  owners: readonly OwnerReference[],
): Promise<string> {
  await world.client.create(pods, {
    metadata: { namespace, name, ownerReferences: owners, labels: { test: name } },
    spec: { nodeName: node, containers: [{ name: 'c', image: 'nginx:1' }] },
  });
  if (conditions.length > 0) await setConditions(world.client, name, conditions);
  return name;
}

async function own(name: string, conditions = [needUpgrade('True')]): Promise<string> {
  return create(name, here, conditions, []);
}

async function remove(client: StreamingClient, name: string): Promise<unknown> {
  return client.delete(pods, { namespace, name });
}

async function patchStatus(client: StreamingClient, name: string, body: object): Promise<unknown> {
  return client.patch(pods, { namespace, name }, { type: 'strategic', body }, { subresource: 'status' });
}

const conditions = (...items: readonly object[]): object => ({ status: { conditions: items } });
const imageAsked = { type: 'PodImageReady', status: 'False', message: 'controllerrevision: next' };

/** The pod of the DaemonSet `web` on a node, without one that is going away. */
async function webOn(node: string): Promise<Pod> {
  const found = (await podsOf(world.client, 'web')).find(
    ({ metadata, spec }) => metadata.deletionTimestamp === undefined && spec?.nodeName === node,
  );
  if (found === undefined) throw new Error(`no pod on ${node}`);
  return found;
}

describe('with the token of an agent', () => {
  it('a pod of its node that is to be upgraded can be asked an image for, and deleted', async () => {
    const { name } = (await webOn(here)).metadata;
    await setConditions(world.client, name, [needUpgrade('True')]);
    expect(await attempt(async () => patchStatus(thief, name, conditions(imageAsked)))).toBe('');
    // Again, with another message, over what the operator has answered.
    await setConditions(world.client, name, [{ ...imageAsked, reason: 'PullImageFail' }]);
    const again = { ...imageAsked, reason: null, message: 'controllerrevision: newer' };
    expect(await attempt(async () => patchStatus(thief, name, conditions(again)))).toBe('');
    expect(await attempt(async () => remove(thief, name))).toBe('');
  });

  it('no pod of another node can be deleted or changed', async () => {
    const { name } = (await webOn(elsewhere)).metadata;
    await setConditions(world.client, name, [needUpgrade('True')]);
    expect(await attempt(async () => remove(thief, name))).toMatch(
      /pods of the node that its token is bound to/,
    );
    expect(await attempt(async () => patchStatus(thief, name, conditions(imageAsked)))).toMatch(
      /token is bound to/,
    );
    expect((await webOn(elsewhere)).metadata.name).toBe(name);
  });

  it('no pod that is not to be upgraded can be deleted, nor be made so', async () => {
    const { name } = await eventually(async () => (await webOn(here)).metadata);
    for (const states of [[], [needUpgrade('False')]]) {
      if (states.length > 0) await setConditions(world.client, name, states);
      expect(await attempt(async () => remove(thief, name))).toMatch(/PodNeedUpgrade is True/);
      const claim = conditions(needUpgrade('True'));
      expect(await attempt(async () => patchStatus(thief, name, claim))).toMatch(/PodNeedUpgrade is True/);
    }
  });

  it('no pod can be deleted that no DaemonSet controls', async () => {
    const none = await own('alone');
    expect(await attempt(async () => remove(thief, none))).toMatch(/that a DaemonSet controls/);
    const named = await create('named', here, [needUpgrade('True')], [{ ...daemonSet, controller: false }]);
    expect(await attempt(async () => remove(thief, named))).toMatch(/that a DaemonSet controls/);
  });

  it.each<readonly [string, object, RegExp]>([
    [
      'the address of the pod',
      { status: { podIP: '10.9.9.9', podIPs: [{ $patch: 'replace' }, { ip: '10.9.9.9' }] } },
      /only the condition/,
    ],
    ['its phase', { status: { phase: 'Failed' } }, /only the condition/],
    ['a field that was not there', { status: { message: 'mine' } }, /only the condition/],
    ['a field that goes', { status: { startTime: null } }, /only the condition/],
    ['that it is Ready', conditions({ type: 'Ready', status: 'False' }), /only the condition/],
    ['the condition of the operator', conditions(needUpgrade('True', 'other')), /only the condition/],
    ['a condition of its own', conditions({ type: 'example.com/x', status: 'True' }), /only the condition/],
    ['a condition that goes', conditions({ $patch: 'delete', type: 'Ready' }), /only the condition/],
    ['all conditions', conditions({ $patch: 'replace' }, imageAsked), /only the condition|PodNeedUpgrade/],
    ['that the image is there', conditions({ ...imageAsked, status: 'True' }), /False only/],
    ['its labels', { metadata: { labels: { app: 'web' } }, ...conditions(imageAsked) }, /metadata/],
    ['its annotations', { metadata: { annotations: { a: 'b' } }, ...conditions(imageAsked) }, /metadata/],
    ['its finalizers', { metadata: { finalizers: ['example.com/held'] } }, /metadata/],
  ])('of the status of its pods it cannot change %s', async (what, body, message) => {
    const name = `status-${what.replaceAll(/\W+/g, '-').toLowerCase()}`;
    await own(name);
    const running = await eventually(async () => {
      const pod = await world.client.get(pods, { namespace, name });
      expect([pod.status?.phase, isReady(pod)]).toEqual(['Running', true]);
      return pod;
    });
    expect(await attempt(async () => patchStatus(thief, name, body))).toMatch(message);
    const { metadata, status } = await world.client.get(pods, { namespace, name });
    expect({ metadata, status }).toEqual({ metadata: running.metadata, status: running.status });
  });

  it.each<readonly [string, () => Promise<unknown>]>([
    [
      'deletes all pods',
      async () => thief.raw({ method: 'DELETE', path: '/api/v1/namespaces/default/pods' }),
    ],
    [
      'evicts a pod',
      async () =>
        thief.raw({
          method: 'POST',
          path: '/api/v1/namespaces/default/pods/victim/eviction',
          body: JSON.stringify({
            apiVersion: 'policy/v1',
            kind: 'Eviction',
            metadata: { name: 'victim', namespace },
          }),
        }),
    ],
    ['creates a pod', async () => thief.create(pods, { metadata: { namespace, name: 'mine' } })],
    [
      'changes a pod',
      async () =>
        thief.patch(
          pods,
          { namespace, name: 'victim' },
          { type: 'merge', body: { metadata: { finalizers: [] } } },
        ),
    ],
    [
      'writes the status as a whole',
      async () => {
        const pod = await world.client.get(pods, { namespace, name: 'victim' });
        return thief.update(pods, pod, { subresource: 'status' });
      },
    ],
    [
      'runs a command in a pod',
      async () =>
        thief.raw({ path: '/api/v1/namespaces/default/pods/victim/exec?command=sh', method: 'POST' }),
    ],
    ['reads logs', async () => thief.raw({ path: '/api/v1/namespaces/default/pods/victim/log' })],
    ['reads Secrets', async () => thief.raw({ path: '/api/v1/secrets' })],
    [
      'gets a token for another node',
      async () =>
        thief.raw({
          method: 'POST',
          path: account,
          body: JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} }),
        }),
    ],
    [
      'changes the policy',
      async () =>
        thief.raw({
          method: 'DELETE',
          path: '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings/node-agents.atoll.dev',
        }),
    ],
  ])('nobody %s', async (_, deed) => {
    await own('victim').catch((error: unknown) => {
      if (!isApiError(error, 'AlreadyExists')) throw error;
    });
    expect(await attempt(deed)).toMatch(/cannot/);
  });
});

it('nobody acts for another agent', async () => {
  const extra = { 'authentication.kubernetes.io/node-name': [elsewhere] };
  const other = await clientWith(await tokenOfNode(world.client, here), {
    impersonate: { user: agentUser, groups: [], extra },
  });
  const { name } = (await webOn(elsewhere)).metadata;
  expect(await attempt(async () => remove(other, name))).toMatch(/cannot impersonate/);
  await other.close();
});

it('the pods of all nodes can be read, with the values of their variables, and with a token of no node too', async () => {
  const name = 'with-a-variable';
  const env = [{ name: 'PASSWORD', value: 'in plain text' }];
  await world.client.create(pods, {
    metadata: { namespace, name },
    spec: { nodeName: elsewhere, containers: [{ name: 'c', image: 'nginx:1', env }] },
  });
  for (const reader of [thief, unbound]) {
    const read = await reader.get(pods, { namespace, name });
    expect(read.spec?.containers[0]?.env).toEqual(env);
    const { items } = await reader.list(pods, {});
    expect(new Set(items.map(({ spec }) => spec?.nodeName))).toEqual(new Set([here, elsewhere]));
  }
  await world.client.delete(pods, { namespace, name });
});

it('a token that is bound to no node changes nothing', async () => {
  const { name } = await eventually(async () => (await webOn(here)).metadata);
  await setConditions(world.client, name, [needUpgrade('True')]);
  expect(await attempt(async () => remove(unbound, name))).toMatch(/token is bound to/);
  expect(await attempt(async () => patchStatus(unbound, name, conditions(imageAsked)))).toMatch(
    /token is bound to/,
  );
  // The same is done with the token of the node.
  expect(await attempt(async () => remove(thief, name))).toBe('');
});

it('the API server finds nothing to warn of in the policy', async () => {
  const { body } = await world.client.raw({
    path: '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/node-agents.atoll.dev',
  });
  const policy = JSON.parse(body.toString()) as {
    readonly status?: { readonly typeChecking?: { readonly expressionWarnings?: readonly unknown[] } };
  };
  expect(policy.status?.typeChecking?.expressionWarnings ?? []).toEqual([]);
});
