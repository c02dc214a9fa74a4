import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClusterAccess } from './cluster-access.ts';
import { CredentialError } from './credential-error.ts';
import type { Environment } from './load-kubeconfig.ts';

const SERVICE_ACCOUNT_FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Whether this process runs in a pod that may talk to its API server. */
export function isInCluster(environment: Environment): boolean {
  return Boolean(environment['KUBERNETES_SERVICE_HOST'] && environment['KUBERNETES_SERVICE_PORT']);
}

/**
 * The cluster that this pod runs in, as its service account. Token and certificate authority are files that the
 * kubelet replaces, so they are read again while the client lives. Throws a `CredentialError` outside a pod.
 */
export async function inClusterAccess(
  environment: Environment,
  folder: string = SERVICE_ACCOUNT_FOLDER,
): Promise<ClusterAccess> {
  const host = environment['KUBERNETES_SERVICE_HOST'];
  const port = environment['KUBERNETES_SERVICE_PORT'];
  if (!host || !port) {
    throw new CredentialError(
      'not in a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set; give a kubeconfig',
    );
  }
  const namespace = await readFile(join(folder, 'namespace'), 'utf8').then(
    (text) => text.trim() || undefined,
    () => undefined,
  );
  return {
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    certificateAuthority: { from: 'file', path: join(folder, 'ca.crt') },
    insecureSkipTlsVerify: false,
    authorization: { type: 'token', token: { from: 'file', path: join(folder, 'token') } },
    ...(namespace === undefined ? {} : { namespace }),
  };
}
