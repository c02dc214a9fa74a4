import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { nodePools, operatorNames, unitedDaemonSets, yurtAppDaemons } from '@atoll/api';
import {
  clusterRoleBindings,
  createClient,
  customResourceDefinitions,
  isApiError,
  leases,
  loadKubeconfig,
  mayI,
  namespaces,
  serviceAccountUser,
  validatingWebhookConfigurations,
  type StreamingClient,
} from '@atoll/kube';
import { startControlPlane, startFaultProxy, type ControlPlane } from '@atoll/testbed';
import { oldNodePools } from '../../packages/api/integration/old-crds.ts';
import { StartCommand } from './start-command.ts';

// A control plane of its own: the operator takes every pool and workload of a cluster, those of other tests too.
let controlPlane: ControlPlane;
let client: StreamingClient;
beforeAll(async () => {
  controlPlane = await startControlPlane({ fleet: { pools: ['east'], nodesPerPool: 1 } });
  client = createClient(await loadKubeconfig({ path: controlPlane.kubeconfig }), { userAgent: 'test' });
});
afterAll(async () => {
  await client.close();
  await controlPlane.stop();
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
    timeout: 180_000,
    interval: 50,
  });
}

/** The API server reads bindings through a watch, and `npm start` ends where it may not do what it has to. */
async function untilAllIsGranted(kubeconfig: string): Promise<void> {
  const granted = createClient(await loadKubeconfig({ path: kubeconfig }), { userAgent: 'test' });
  const everything = { verb: '*', group: '*', resource: '*' };
  await vi.waitFor(async () => expect(await mayI(granted, everything)).toMatchObject({ allowed: true }), {
    timeout: 90_000,
    interval: 50,
  });
  await granted.close();
}

describe('npm start with a kubeconfig', { timeout: 400_000 }, () => {
  it('names the missing rights to a user without them, and installs nothing', async () => {
    const kubeconfig = await controlPlane.kubeconfigFor({ namespace: 'default', name: 'nobody' });
    using start = new StartCommand(['--kubeconfig', kubeconfig], { direct: true });
    expect(await start.ended()).toBe(1);
    expect(start.lines).toHaveLength(1);
    expect(start.output).toContain(`You may not install Atoll into the cluster at ${controlPlane.url}`);
    expect(start.output).toContain(
      'create, get, patch, update customresourcedefinitions.apiextensions.k8s.io',
    );
    expect(start.output).toContain('create serviceaccounts/token');
    await start.leavesNothing();
  });

  it('lists what it would create and take over from whom, and changes nothing without a yes', async () => {
    const annotations = { 'meta.helm.sh/release-name': 'yurt-manager' };
    const metadata = { ...oldNodePools.metadata, annotations };
    const owned = { fieldManager: 'helm' };
    const before = await client.create(customResourceDefinitions, { ...oldNodePools, metadata }, owned);
    using start = new StartCommand(['--kubeconfig', controlPlane.kubeconfig], { direct: true });
    expect(await start.ended(), start.output).toBe(2);
    const lines = start.lines.map((line) => line.trim().replaceAll(/ +/g, ' '));
    expect(lines[0]).toMatch(
      new RegExp(`^Into ${controlPlane.url} \\(Kubernetes v.*\\) npm start installs Atoll:$`),
    );
    expect(lines[1]).toBe(
      'takes over CustomResourceDefinition nodepools.apps.openyurt.io from helm, Helm release yurt-manager',
    );
    for (const object of [
      'CustomResourceDefinition uniteddeployments.apps.kruise.io',
      'Namespace atoll-system',
      'Service atoll-system/atoll-webhook',
    ])
      expect(lines).toContain(`creates ${object}`);
    expect(lines.at(-1)).toBe(
      'Nothing was changed, as there is no terminal to ask on: add --yes to the command line.',
    );
    const definitions = (await client.list(customResourceDefinitions)).items;
    const atolls = definitions.filter(({ spec }) => /openyurt|kruise/.test(spec.group));
    expect(atolls.map(({ metadata: { name, generation } }) => [name, generation])).toEqual([
      [before.metadata.name, before.metadata.generation],
    ]);
    const { items } = await client.list(namespaces);
    expect(items.map((namespace) => namespace.metadata.name)).not.toContain(operatorNames.namespace);
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
    using start = new StartCommand(['--kubeconfig', controlPlane.kubeconfig, '--yes']);
    await leads(start);
    await start.shows('\n  kubectl delete validatingwebhookconfiguration old-operator\n');
    const [folder = ''] = start.files();
    const token = readFileSync(join(start.temporary, folder, 'token'), 'utf8');
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8')) as {
      readonly sub: string;
    };
    expect(claims.sub).toBe(serviceAccountUser(operatorNames.namespace, operatorNames.serviceAccount));
    for (const kind of [nodePools, unitedDaemonSets, yurtAppDaemons])
      expect((await client.list(kind)).items).toEqual([]);
    start.interrupt();
    expect(await start.ended(), start.output).toBe(0);
    expect(await leaseHolder()).toBe('');
    await start.leavesNothing();
    await client.delete(validatingWebhookConfigurations, { name: 'old-operator' });
  });

  it('leaves no operator when it is killed: that releases its lease and ends', async () => {
    // kubectl's own rules: an empty value.
    using start = new StartCommand(['--kubeconfig', '', '--yes'], {
      environment: { KUBECONFIG: controlPlane.kubeconfig },
    });
    await leads(start);
    expect(start.output).toMatch(/keeps +\d+ of its objects as they are/);
    expect(start.output).not.toMatch(/^ +(creates|updates|takes over) /m);
    start.interrupt('SIGKILL');
    expect(await start.ended()).toBe(137);
    await start.leavesNothing();
    expect(await leaseHolder()).toBe('');
  });

  it('starts the operator again when that died, and ends with Ctrl-C in between', async () => {
    using start = new StartCommand(['--kubeconfig', controlPlane.kubeconfig, '--yes'], { direct: true });
    await leads(start);
    start.killOperator();
    await start.shows(
      'The operator ended by itself with exit code 1; see its log. It is started again in 1 s',
    );
    start.interrupt();
    expect(await start.ended(), start.output).toBe(0);
    await start.leavesNothing();
  });

  it('works again after the API server was silent for longer than leadership lasts', async () => {
    const account = { namespace: 'default', name: 'administrator' };
    const ofAdministrator = await controlPlane.kubeconfigFor(account);
    await client.create(clusterRoleBindings, {
      metadata: { name: 'administrator' },
      subjects: [{ kind: 'ServiceAccount', ...account }],
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    });
    await untilAllIsGranted(ofAdministrator);
    await using proxy = await startFaultProxy({ target: controlPlane, directory: controlPlane.directory });
    const kubeconfig = await proxy.kubeconfigFrom(ofAdministrator);
    using start = new StartCommand(['--kubeconfig', kubeconfig, '--yes'], { direct: true });
    await start.shows('became leader');
    const first = await leaseHolder();
    proxy.freeze();
    await start.shows('It is started again in 1 s');
    proxy.heal();
    await vi.waitFor(async () => expect(['', first]).not.toContain(await leaseHolder()), {
      timeout: 180_000,
      interval: 50,
    });
    expect(start.output.match(/It is started again/g)).toHaveLength(1);
    start.interrupt();
    expect(await start.ended(), start.output).toBe(0);
    await start.leavesNothing();
  });
});
