// Every row of yurthub's HTTP table (reference/openyurt.md 4.4, newest column) against a real API server.
import { agentUser } from '@atoll/api';
import {
  isApiError,
  namespaces,
  nodes,
  pods,
  replicaSets,
  validatingAdmissionPolicies,
  validatingAdmissionPolicyBindings,
  type OwnerReference,
  type Pod,
  type PodCondition,
  type Stored,
} from '@atoll/kube';
import type { RunningAgent } from '@atoll/testbed/node-agent';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  eventually,
  needUpgrade,
  podsOf,
  setConditions,
  sharedAgentControlPlane,
  startDaemonSet,
  type AgentControlPlane,
} from './agent-control-plane.ts';

let world: AgentControlPlane;
let agent: RunningAgent;
let compatible: RunningAgent;
const [here, elsewhere] = ['node-1', 'node-2'];
/** Of these no deletion and no status is accepted. */
const locked = { locked: 'true' };

beforeAll(async () => {
  world = await sharedAgentControlPlane();
  agent = await world.startAgent(here);
  compatible = await world.startAgent(here, ['--compat-status-codes']);
});

afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
});

type Answer = readonly [code: number, body: string, contentType: string | null];

async function request(method: string, path: string, base = agent.url): Promise<Answer> {
  const response = await fetch(`${base}${path}`, { method });
  return [response.status, await response.text(), response.headers.get('content-type')];
}

async function post(pod: string, action: 'upgrade' | 'imagepull', base = agent.url): Promise<Answer> {
  return request('POST', `/openyurt.io/v1/namespaces/default/pods/${pod}/${action}`, base);
}

async function create(
  name: string,
  shape: {
    readonly node?: string;
    readonly owner?: OwnerReference;
    readonly conditions?: readonly PodCondition[];
    readonly labels?: Readonly<Record<string, string>>;
    readonly finalizers?: readonly string[];
  } = {},
): Promise<Stored<Pod>> {
  const { node = here, owner, conditions = [needUpgrade('True')], labels = {}, finalizers = [] } = shape;
  const pod = await world.client.create(pods, {
    metadata: {
      namespace: 'default',
      name,
      labels,
      finalizers,
      ...(owner === undefined ? {} : { ownerReferences: [owner] }),
    },
    spec: { nodeName: node, containers: [{ name: 'c', image: 'nginx:1' }] },
  });
  if (conditions.length > 0) await setConditions(world.client, name, conditions);
  return pod;
}

async function ownPod(daemonSet: string): Promise<Stored<Pod>> {
  const found = (await startDaemonSet(world.client, daemonSet)).find(({ spec }) => spec?.nodeName === here);
  if (found === undefined) throw new Error(`no pod of ${daemonSet} on ${here}`);
  return found;
}

const plain = 'text/plain; charset=utf-8';

describe('routes', () => {
  it.each([
    ['GET', '/openyurt.io/v1/namespaces/default/pods/a/imagepull', 405],
    ['GET', '/openyurt.io/v1/pods', 404],
    ['POST', '/openyurt.io/v1/namespaces/default/pods/a/update', 404],
    ['POST', '/openyurt.io/v1/namespaces/default/pods/a/Upgrade', 404],
    ['DELETE', '/openyurt.io/v1/namespaces/default/pods/a/upgrade', 405],
    ['POST', '/pods', 405],
    ['GET', '/v1/healthz', 200],
    ['GET', '/metrics', 200],
  ])('%s %s is %i', async (method, path, code) => {
    expect((await request(method, path))[0]).toBe(code);
  });

  it('GET /pods is the PodList of this node, and of those that can be upgraded where that is asked for', async () => {
    await create('list-a');
    await create('list-b', { conditions: [needUpgrade('False')] });
    await create('list-c', { node: elsewhere });
    const names = async (query = ''): Promise<readonly string[]> => {
      const [code, body, contentType] = await request('GET', `/pods${query}`);
      expect([code, contentType]).toEqual([200, 'application/json']);
      const list = JSON.parse(body) as { kind: string; apiVersion: string; items: Pod[] };
      expect([list.apiVersion, list.kind]).toEqual(['v1', 'PodList']);
      return list.items.map(({ metadata }) => metadata.name).filter((name) => name.startsWith('list-'));
    };
    await eventually(async () => expect(await names()).toEqual(['list-a', 'list-b']));
    await eventually(async () => expect(await names('?upgradable=true')).toEqual(['list-a']));
    expect((await request('GET', '/v1/readyz'))[0]).toBe(200);
  });
});

describe.each(['upgrade', 'imagepull'] as const)('%s', (action) => {
  it('a pod that does not exist is 404, and 500, as of yurthub, where that is asked for', async () => {
    expect(await post('none', action)).toEqual([404, 'Pod default/none does not exist', plain]);
    expect(await post('none', action, compatible.url)).toEqual([
      500,
      'Get pod failed, pods "none" not found',
      plain,
    ]);
  });

  it('what must not be upgraded is 403', async () => {
    const prefix = (name: string): string =>
      action === 'upgrade'
        ? 'Pre check update pod failed, '
        : `Failed to check pod status default/${name}, error: `;
    const expectRefused = async (name: string, detail: string): Promise<void> =>
      expect(await post(name, action)).toEqual([403, `${prefix(name)}${detail}`, plain]);

    const deleting = `${action}-deleting`;
    await create(deleting, { finalizers: ['example.com/held'] });
    await world.client.delete(pods, { namespace: 'default', name: deleting });
    await expectRefused(deleting, `pod default/${deleting} is being deleted`);
    await world.client.patch(
      pods,
      { namespace: 'default', name: deleting },
      { type: 'merge', body: { metadata: { finalizers: null } } },
    );

    const foreign = `${action}-elsewhere`;
    await create(foreign, { node: elsewhere });
    await expectRefused(foreign, `pod default/${foreign} is on node ${elsewhere}, not on ${here}`);

    const current = `${action}-current`;
    await create(current, { conditions: [needUpgrade('False')] });
    await expectRefused(current, `condition PodNeedUpgrade of pod default/${current} is False, not True`);

    const silent = `${action}-without-condition`;
    await create(silent, { conditions: [] });
    await expectRefused(silent, `condition PodNeedUpgrade of pod default/${silent} is absent, not True`);
  });
});

describe('upgrade', () => {
  it('a pod whose image is not ready, or of another revision, is 403; one that is ready is upgraded', async () => {
    const { metadata } = await ownPod('with-image');
    const image = (status: string, revision: string): PodCondition[] => [
      needUpgrade('True'),
      { type: 'PodImageReady', status, message: `controllerrevision: ${revision}` },
    ];
    await setConditions(world.client, metadata.name, image('False', 'next'));
    const [first, why] = await post(metadata.name, 'upgrade');
    expect([first, why.startsWith('Pre check update pod failed, ')]).toEqual([403, true]);
    await setConditions(world.client, metadata.name, image('True', 'earlier'));
    expect((await post(metadata.name, 'upgrade'))[0]).toBe(403);
    await setConditions(world.client, metadata.name, image('True', 'next'));
    expect((await post(metadata.name, 'upgrade'))[0]).toBe(200);
  });

  it('a pod without owner, or of another kind than DaemonSet, is 400', async () => {
    await create('alone');
    expect(await post('alone', 'upgrade')).toEqual([400, 'Pod has no owner references', plain]);
    const replicaSet = await world.client.create(replicaSets, {
      metadata: { namespace: 'default', name: 'owner' },
      spec: {
        replicas: 0,
        selector: { matchLabels: { app: 'nobody' } },
        template: {
          metadata: { labels: { app: 'nobody' } },
          spec: { containers: [{ name: 'c', image: 'nginx:1' }] },
        },
      },
    });
    const { name, uid } = replicaSet.metadata;
    await create('of-replica-set', { owner: { apiVersion: 'apps/v1', kind: 'ReplicaSet', name, uid } });
    expect(await post('of-replica-set', 'upgrade')).toEqual([
      400,
      'Not support ota upgrade pod type ReplicaSet',
      plain,
    ]);
    const node = await world.client.get(nodes, { name: here });
    const owner = { apiVersion: 'v1', kind: 'Node', name: here, uid: node.metadata.uid };
    await create('static', { owner });
    expect(await post('static', 'upgrade')).toEqual([500, 'Static pod pre-check failed', plain]);
    await create(`static-${here}`, { owner });
    expect(await post(`static-${here}`, 'upgrade')).toEqual([
      403,
      'Configmap for static pod does not exist',
      plain,
    ]);
  });

  it('deletes exactly the pod that was asked for, by its uid, and its DaemonSet makes a new one', async () => {
    const { metadata } = await ownPod('web');
    const before = await podsOf(world.client, 'web');
    await setConditions(world.client, metadata.name, [needUpgrade('True')]);
    expect(await post(metadata.name, 'upgrade')).toEqual([
      200,
      `Start updating pod default/${metadata.name}`,
      'application/json',
    ]);
    const after = await eventually(async () => {
      const now = await podsOf(world.client, 'web');
      if (now.length !== 2 || now.some((pod) => pod.metadata.uid === metadata.uid))
        throw new Error('not replaced');
      return now;
    });
    const kept = before
      .filter(({ metadata: { uid } }) => uid !== metadata.uid)
      .map(({ metadata: { uid } }) => uid);
    expect(after.map((pod) => pod.metadata.uid)).toEqual(expect.arrayContaining(kept));
    // The audit log is written after the answer.
    await eventually(async () => {
      await world.audit.readOn();
      const deletions = world.audit.entries.filter(
        ({ user, verb, name }) => user === agentUser && verb === 'delete' && name === metadata.name,
      );
      expect(deletions).toMatchObject([
        { preconditions: { uid: metadata.uid }, namespace: 'default', code: 200 },
      ]);
    });
    // A second request finds no such pod any more.
    expect((await post(metadata.name, 'upgrade'))[0]).toBe(404);
  });
});

describe('a disk that takes nothing', () => {
  it('keeps every pod from being upgraded, and the answer says why', async () => {
    const { metadata } = await ownPod('unrecorded');
    const key = { namespace: 'default', name: metadata.name };
    await setConditions(world.client, metadata.name, [needUpgrade('True')]);
    const cacheDir = '/dev/null/atoll-agent';
    const { url } = await world.startAgent(here, [`--cache-dir=${cacheDir}`]);
    expect(await post(metadata.name, 'upgrade', url)).toEqual([
      503,
      expect.stringMatching(
        `^Pod default/${metadata.name} is not upgraded: the upgrade cannot be recorded in ${cacheDir}/state: ENOTDIR.*\\. Make sure that the agent can write there, then ask again$`,
      ),
      plain,
    ]);
    const { metadata: after } = await world.client.get(pods, key);
    expect([after.uid, after.deletionTimestamp]).toEqual([metadata.uid, undefined]);
  });
});

describe('imagepull', () => {
  it('writes one condition, leaves those of others, and takes the reason of an earlier failure away', async () => {
    const { metadata } = await ownPod('pulled');
    const key = { namespace: 'default', name: metadata.name };
    const shown = async (): Promise<readonly PodCondition[]> =>
      (await world.client.get(pods, key)).status?.conditions ?? [];
    const others = async (): Promise<readonly PodCondition[]> =>
      (await shown()).filter(({ type }) => type !== 'PodImageReady');
    await setConditions(world.client, metadata.name, [
      needUpgrade('True'),
      { type: 'example.com/Other', status: 'True', reason: 'Kept' },
    ]);
    const before = await others();
    const pull = async (): Promise<void> =>
      expect(await post(metadata.name, 'imagepull')).toEqual([
        200,
        `Image pre-pull requested for pod default/${metadata.name}`,
        'application/json',
      ]);
    const asked = {
      type: 'PodImageReady',
      status: 'False',
      message: 'controllerrevision: next',
      lastTransitionTime: expect.any(String) as string,
      // As the API server shows what was never set.
      lastProbeTime: null,
    };
    await pull();
    expect(await others()).toEqual(before);
    expect((await shown()).find(({ type }) => type === 'PodImageReady')).toEqual(asked);

    await setConditions(world.client, metadata.name, [
      {
        type: 'PodImageReady',
        status: 'False',
        reason: 'PullImageFail',
        message: 'job image-pre-pull-x failed',
      },
    ]);
    await pull();
    expect((await shown()).find(({ type }) => type === 'PodImageReady')).toEqual(asked);
    expect(await others()).toEqual(before);
    const patches = await eventually(async () => {
      await world.audit.readOn();
      const found = world.audit.entries.filter(
        ({ user, verb, name }) => user === agentUser && verb === 'patch' && name === metadata.name,
      );
      expect(found).toHaveLength(2);
      return found;
    });
    for (const patch of patches)
      expect(patch).toMatchObject({
        subresource: 'status',
        fieldManager: 'atoll-agent',
        preconditions: { uid: metadata.uid },
        request: { status: { conditions: [{ type: 'PodImageReady' }] } },
      });
  });
});

describe('imagepull that is taken back', () => {
  it('takes the condition off, leaves those of others, and the pod can be upgraded', async () => {
    const { metadata } = await ownPod('taken-back');
    const key = { namespace: 'default', name: metadata.name };
    const typesOf = async (): Promise<readonly string[]> =>
      ((await world.client.get(pods, key)).status?.conditions ?? []).map(({ type }) => type).sort();
    await setConditions(world.client, metadata.name, [needUpgrade('True')]);
    const before = await typesOf();
    await post(metadata.name, 'imagepull');
    expect(await typesOf()).toEqual([...before, 'PodImageReady'].sort());
    expect((await post(metadata.name, 'upgrade'))[0]).toBe(403);
    const path = `/openyurt.io/v1/namespaces/default/pods/${metadata.name}/imagepull`;
    expect(await request('DELETE', path)).toEqual([
      200,
      `Image pre-pull taken back for pod default/${metadata.name}`,
      'application/json',
    ]);
    expect(await typesOf()).toEqual(before);
    expect((await post(metadata.name, 'upgrade'))[0]).toBe(200);
  });
});

describe('what the API server refuses', () => {
  beforeAll(async () => {
    const metadata = { name: 'locked-pods.example.com' };
    const rule = { apiGroups: [''], apiVersions: ['v1'] };
    await world.client.create(validatingAdmissionPolicies, {
      metadata,
      spec: {
        failurePolicy: 'Fail',
        matchConstraints: {
          objectSelector: { matchLabels: locked },
          resourceRules: [
            { ...rule, operations: ['DELETE'], resources: ['pods'] },
            { ...rule, operations: ['UPDATE'], resources: ['pods/status'] },
          ],
        },
        matchConditions: [{ name: 'agent', expression: `request.userInfo.username == '${agentUser}'` }],
        validations: [{ expression: 'false', message: 'locked' }],
      },
    });
    await world.client.create(validatingAdmissionPolicyBindings, {
      metadata,
      spec: { policyName: metadata.name, validationActions: ['Deny'] },
    });
  });

  it('is 500, and the pod is as it was', async () => {
    const { metadata } = await ownPod('locked');
    const key = { namespace: 'default', name: metadata.name };
    await setConditions(world.client, metadata.name, [needUpgrade('True')]);
    await world.client.patch(pods, key, { type: 'merge', body: { metadata: { labels: locked } } });
    // The policy takes effect some moments after it was written.
    await eventually(async () =>
      expect(await post(metadata.name, 'imagepull')).toEqual([
        500,
        expect.stringMatching(/^Patch pod status for imagepull failed, .*locked/),
        plain,
      ]),
    );
    await setConditions(world.client, metadata.name, [
      { type: 'PodImageReady', status: 'True', message: 'controllerrevision: next' },
    ]);
    expect(await post(metadata.name, 'upgrade')).toEqual([
      500,
      expect.stringMatching(/^Apply update failed, .*locked/),
      plain,
    ]);
    expect(await post(metadata.name, 'upgrade', compatible.url)).toEqual([500, 'Apply update failed', plain]);
    expect((await world.client.get(pods, key)).metadata).toMatchObject({ uid: metadata.uid });
  });

  it('a namespace that does not exist is 404', async () => {
    await expect(world.client.get(namespaces, { name: 'none' })).rejects.toSatisfy((error) =>
      isApiError(error, 'NotFound'),
    );
    const path = '/openyurt.io/v1/namespaces/none/pods/web/upgrade';
    expect(await request('POST', path)).toEqual([404, 'Pod none/web does not exist', plain]);
  });
});
