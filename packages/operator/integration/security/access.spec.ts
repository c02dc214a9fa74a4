// Who sees metrics and debug pages is decided by the cluster's own tokens and roles, on the real API server.
import { nodePools, operatorNames } from '@atoll/api';
import { operatorObjects } from '@atoll/api/install';
import {
  clusterRoleBindings,
  clusterRoles,
  namespaces,
  pods,
  requestToken,
  serviceAccounts,
  type Deployment,
  type PodSpec,
  type StreamingClient,
} from '@atoll/kube';
import type { RunningOperator } from '@atoll/testbed';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apply, pool } from '../set-up/objects.ts';
import { withoutElection, type OperatorControlPlane } from '../set-up/operator-control-plane.ts';
import { sharedOperatorControlPlane } from '../set-up/shared-operator-control-plane.ts';
import { eventually } from '../set-up/standing.ts';

let world: OperatorControlPlane;
let client: StreamingClient;
let operator: RunningOperator;
const namespace = 'monitoring';

beforeAll(async () => {
  world = await sharedOperatorControlPlane({ fleet: { pools: ['hz'], nodesPerPool: 1 } });
  ({ client } = world);
  await client.create(namespaces, { metadata: { name: namespace } });
  const args = [...withoutElection, '--metrics-require-token=true', '--debug-objects=true'];
  operator = await world.start({ args });
});

afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
});

/** A token of a new account to which this role is bound. */
async function tokenOf(name: string, role?: string): Promise<string> {
  await client.create(serviceAccounts, { metadata: { namespace, name } });
  if (role !== undefined) {
    await client.create(clusterRoleBindings, {
      metadata: { name: `access-${name}` },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
      subjects: [{ kind: 'ServiceAccount', namespace, name }],
    });
  }
  return (await requestToken(client, { namespace, name })).token;
}

async function ask(
  path: string,
  token?: string,
  init: RequestInit = {},
): Promise<{ readonly code: number; readonly text: string }> {
  const headers = token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } };
  const response = await fetch(operator.url + path, { ...init, ...headers });
  return { code: response.status, text: await response.text() };
}

describe('metrics', () => {
  it('are shown to an account with the role atoll-metrics-reader', async () => {
    const token = await tokenOf('prometheus', operatorNames.metricsReader);
    // The authorizer reads the binding through a watch; a refusal is remembered for ten seconds.
    await eventually(async () => {
      const { code, text } = await ask('/metrics', token);
      expect([code, text]).toEqual([200, expect.stringContaining('workqueue_depth')]);
    });
    expect((await ask('/debug/log-level', token)).code).toBe(403);
  });

  it('are not shown without a token, with one that is none, or without the right', async () => {
    const none = await ask('/metrics');
    expect([none.code, none.text]).toEqual([401, expect.stringContaining('kubectl create token')]);
    const forged = await ask('/metrics', 'eyJhbGciOiJub25lIn0.e30.');
    expect([forged.code, forged.text]).toEqual([401, expect.stringContaining('does not accept this token')]);
    const stranger = await ask('/metrics', await tokenOf('stranger'));
    expect(stranger.code).toBe(403);
    expect(stranger.text).toContain(
      'User "system:serviceaccount:monitoring:stranger" may not get /metrics: bind it to a ClusterRole',
    );
  });

  it('leave health to everybody', async () => {
    expect((await ask('/healthz')).code).toBe(200);
    // It is ready when it has listed what it reads.
    await expect.poll(async () => (await ask('/readyz')).code).toBe(200);
  });
});

describe('debug pages', () => {
  let token: string;

  beforeAll(async () => {
    await client.create(clusterRoles, {
      metadata: { name: 'access-debug' },
      rules: [{ nonResourceURLs: ['/debug/*'], verbs: ['get', 'put'] }],
    });
    token = await tokenOf('engineer', 'access-debug');
    await eventually(async () => {
      const { code, text } = await ask('/debug/log-level', token);
      if (code !== 200) throw new Error(text);
    });
  });

  afterAll(async () => {
    await client.delete(clusterRoles, { name: 'access-debug' });
    for (const name of ['prometheus', 'engineer'])
      await client.delete(clusterRoleBindings, { name: `access-${name}` });
  });

  it('show what is seen of an object and planned for it', async () => {
    await apply(client, nodePools, pool('hz', { tier: 'a' }));
    const path = '/debug/objects/nodepools/hz';
    expect((await ask(path)).code).toBe(401);
    await eventually(async () => {
      const { code, text } = await ask(path, token);
      expect(code, text).toBe(200);
      expect(JSON.parse(text)).toMatchObject({
        leads: true,
        key: { name: 'hz' },
        views: [{ controller: 'node-pool', holds: [], plan: { stages: [] }, snapshot: {} }],
      });
    });
  });

  it('change the level of the log while the operator runs', async () => {
    expect((await ask('/debug/log-level', undefined, { method: 'PUT', body: 'debug' })).code).toBe(401);
    expect(await ask('/debug/log-level', token, { method: 'PUT', body: 'debug' })).toEqual({
      code: 200,
      text: 'debug\n',
    });
    expect(await ask('/debug/log-level', token)).toEqual({ code: 200, text: 'debug\n' });
  });
});

describe('a namespace that enforces the Pod Security Standard restricted', () => {
  const restricted = 'restricted-operator';

  beforeAll(async () => {
    const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
    await client.create(namespaces, { metadata: { name: restricted, labels } });
    await client.create(serviceAccounts, {
      metadata: { namespace: restricted, name: operatorNames.serviceAccount },
    });
  });

  async function admit(spec: PodSpec): Promise<unknown> {
    return client.create(
      pods,
      { metadata: { namespace: restricted, name: 'atoll' }, spec },
      { dryRun: true },
    );
  }

  it('takes the operator as it is shipped', async () => {
    const deployment = operatorObjects().find(({ object }) => object.kind === 'Deployment')
      ?.object as Deployment;
    const { spec } = deployment.spec?.template ?? {};
    if (spec === undefined) throw new Error('the Deployment has no pods');
    await expect(admit(spec)).resolves.toMatchObject({ metadata: { name: 'atoll' } });
    const [container] = spec.containers;
    if (container === undefined) throw new Error('the pods have no container');
    const { securityContext: _, ...loose } = container;
    await expect(admit({ ...spec, containers: [loose] })).rejects.toThrow('violates PodSecurity');
  });
});
