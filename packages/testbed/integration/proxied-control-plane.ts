import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { inject } from 'vitest';
import {
  clusterRoleBindings,
  createClient,
  isApiError,
  leases,
  loadKubeconfig,
  namespaces,
  serviceAccountUser,
  type ClientOptions,
  type Lease,
  type Stored,
  type StreamingClient,
} from '@atoll/kube';
import type { FaultProxy } from '../src/faults/fault-proxy.ts';
import { startFaultProxy } from '../src/faults/start-fault-proxy.ts';
import { kubeconfigOf } from '../src/control-plane/kubeconfig.ts';
import { accountToken } from '../src/control-plane/service-account.ts';

/** The shared control plane, a namespace of its own, and a proxy through which one ServiceAccount reaches it. */
export interface ProxiedControlPlane extends AsyncDisposable {
  readonly proxy: FaultProxy;
  readonly namespace: string;
  /** The user whose requests go through the proxy, as the audit log names it. */
  readonly user: string;
  /** Straight to the API server, as administrator. */
  readonly direct: StreamingClient;
  /** Through the proxy, as `user`; tries nothing twice. */
  readonly proxied: StreamingClient;
  /** Leads through the proxy. */
  readonly proxiedKubeconfig: string;
}

const once: ClientOptions = { retry: { attempts: 1 } };

export async function openProxiedControlPlane(prefix: string): Promise<ProxiedControlPlane> {
  const access = await loadKubeconfig({ path: inject('kubeconfig') });
  const direct = createClient(access, { userAgent: 'spec' });
  const namespace = `${prefix}-${Math.random().toString(36).slice(2, 8)}`;
  await direct.create(namespaces, { metadata: { name: namespace } });
  const token = await accountToken(direct, { namespace, name: 'operator' });
  await direct.create(clusterRoleBindings, {
    metadata: { name: namespace },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', namespace, name: 'operator' }],
  });
  const directory = await mkdtemp(join(tmpdir(), 'atoll-proxy-'));
  const caPem = access.certificateAuthority?.from === 'value' ? access.certificateAuthority.value : '';
  const original = join(directory, 'operator.kubeconfig');
  await writeFile(original, kubeconfigOf(access.server, caPem, { name: 'operator', namespace, token }));
  await untilGranted(original, namespace);
  const proxy = await startFaultProxy({ target: { url: access.server, caData: caPem }, directory });
  const proxiedKubeconfig = await proxy.kubeconfigFrom(original);
  const proxied = createClient(await loadKubeconfig({ path: proxiedKubeconfig }), once);
  return {
    proxy,
    namespace,
    user: serviceAccountUser(namespace, 'operator'),
    direct,
    proxied,
    proxiedKubeconfig,
    async [Symbol.asyncDispose]() {
      await proxied.close();
      await proxy.close();
      await direct.delete(clusterRoleBindings, { name: namespace });
      await direct.delete(namespaces, { name: namespace });
      await direct.close();
      await rm(directory, { recursive: true });
    },
  };
}

/**
 * Waits until the bearer may do what its binding says: the API server reads bindings through a watch, and the tests count writes. The
 * test's own deadline ends it where that never comes.
 */
async function untilGranted(kubeconfig: string, namespace: string): Promise<void> {
  const client = createClient(await loadKubeconfig({ path: kubeconfig }), once);
  while (!(await mayList(client, namespace))) await delay(50);
  await client.close();
}

async function mayList(client: StreamingClient, namespace: string): Promise<boolean> {
  return client.list(leases, { namespace }).then(
    () => true,
    (error: unknown) => {
      if (isApiError(error, 'Forbidden')) return false;
      throw error;
    },
  );
}

/** Leases are cheap, audited with their bodies, and nobody else touches these. */
export function lease(namespace: string, name: string, holderIdentity = '0'): Lease {
  return { metadata: { namespace, name }, spec: { holderIdentity } };
}

export async function setHolder(
  client: StreamingClient,
  namespace: string,
  name: string,
  holderIdentity: string,
): Promise<Stored<Lease>> {
  const patch = { type: 'merge', body: { spec: { holderIdentity } } } as const;
  return client.patch(leases, { namespace, name }, patch);
}
