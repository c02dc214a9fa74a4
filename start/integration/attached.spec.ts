import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { nodePools, operatorNames, unitedDaemonSets, yurtAppDaemons } from '@atoll/api';
import {
  createClient,
  isApiError,
  leases,
  loadKubeconfig,
  validatingWebhookConfigurations,
  type StreamingClient,
} from '@atoll/kube';
import { startControlPlane, type ControlPlane } from '@atoll/testbed';
import { StartCommand } from './start-command.ts';

// A plane of its own: the operator takes every pool and workload of a cluster, those of other tests too.
let plane: ControlPlane;
let client: StreamingClient;
beforeAll(async () => {
  plane = await startControlPlane({ fleet: { pools: ['east'], nodesPerPool: 1 } });
  client = createClient(await loadKubeconfig({ path: plane.kubeconfig }), { userAgent: 'test' });
});
afterAll(async () => {
  await client.close();
  await plane.stop();
});

const lease = { namespace: operatorNames.namespace, name: operatorNames.lease };

async function leaseHolder(): Promise<string> {
  try {
    return (await client.get(leases, lease)).spec?.holderIdentity ?? '';
  } catch (error) {
    if (isApiError(error, 'NotFound')) return '';
    throw error;
  }
}

async function leads(start: StartCommand): Promise<void> {
  await vi.waitFor(async () => expect(await leaseHolder(), start.output).not.toBe(''), {
    timeout: 60_000,
    interval: 50,
  });
}

describe('npm start with a kubeconfig', { timeout: 120_000 }, () => {
  it('tells a user without the rights which are missing, and installs nothing', async () => {
    const kubeconfig = await plane.kubeconfigFor({ namespace: 'default', name: 'nobody' });
    using start = new StartCommand(['--kubeconfig', kubeconfig], { direct: true });
    expect(await start.ended()).toBe(1);
    expect(start.lines).toHaveLength(1);
    expect(start.output).toContain(`You may not install Atoll into the cluster at ${plane.url}`);
    expect(start.output).toContain(
      'create, get, patch, update customresourcedefinitions.apiextensions.k8s.io',
    );
    expect(start.output).toContain('create serviceaccounts/token');
    await start.leavesNothing();
  });

  it('installs, operates as its own ServiceAccount, and ends with Ctrl-C and 0', async () => {
    await client.create(validatingWebhookConfigurations, {
      metadata: { name: 'old-operator' },
      webhooks: [
        {
          name: 'v.v1beta1.nodepool.kb.io',
          admissionReviewVersions: ['v1'],
          sideEffects: 'None',
          failurePolicy: 'Fail',
          clientConfig: { service: { namespace: 'kube-system', name: 'gone' } },
          rules: [
            {
              apiGroups: ['apps.openyurt.io'],
              apiVersions: ['v1beta1'],
              operations: ['CREATE', 'UPDATE', 'DELETE'],
              resources: ['nodepools'],
            },
          ],
        },
      ],
    });
    using start = new StartCommand(['--kubeconfig', plane.kubeconfig]);
    await leads(start);
    expect(start.lines).toContain('  kubectl delete validatingwebhookconfiguration old-operator');
    const [folder = ''] = start.files();
    const token = readFileSync(join(start.temporary, folder, 'token'), 'utf8');
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8')) as {
      readonly sub: string;
    };
    expect(claims.sub).toBe(
      `system:serviceaccount:${operatorNames.namespace}:${operatorNames.serviceAccount}`,
    );
    for (const kind of [nodePools, unitedDaemonSets, yurtAppDaemons])
      expect((await client.list(kind)).items).toEqual([]);
    start.interrupt();
    expect(await start.ended(), start.output).toBe(0);
    expect(await leaseHolder()).toBe('');
    await start.leavesNothing();
    await client.delete(validatingWebhookConfigurations, { name: 'old-operator' });
  });

  it('leaves no operator when it is killed: that releases its lease and ends', async () => {
    using start = new StartCommand([], { environment: { KUBECONFIG: plane.kubeconfig } });
    await leads(start);
    start.interrupt('SIGKILL');
    expect(await start.ended()).toBe(137);
    await start.leavesNothing();
    expect(await leaseHolder()).toBe('');
  });

  it('ends with a message and not 0 when the operator dies', async () => {
    using start = new StartCommand(['--kubeconfig', plane.kubeconfig], { direct: true });
    await leads(start);
    start.killOperator();
    expect(await start.ended()).toBe(1);
    expect(start.lines.at(-1)).toContain('The operator ended by itself');
    await start.leavesNothing();
  });
});
