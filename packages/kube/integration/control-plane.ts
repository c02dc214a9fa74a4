import { setTimeout as delay } from 'node:timers/promises';
import { inject } from 'vitest';
import {
  createClient,
  isApiError,
  loadKubeconfig,
  mayI,
  namespaces,
  type ClientOptions,
  type ClusterAccess,
  type ResourceAttributes,
  type StreamingClient,
} from '@atoll/kube';

/** The administrator's access to the control plane that all integration tests share. */
export function controlPlaneAccess(): Promise<ClusterAccess> {
  return loadKubeconfig({ path: inject('kubeconfig') });
}

/** A client that is closed with its test. */
export async function connect(
  options: ClientOptions = {},
  change: (access: ClusterAccess) => ClusterAccess = (access) => access,
): Promise<StreamingClient & AsyncDisposable> {
  const client = createClient(change(await controlPlaneAccess()), { userAgent: 'kube-spec', ...options });
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() });
}

/** The same cluster with a bearer token instead of the administrator's certificate. */
export function withToken(access: ClusterAccess, token: string): ClusterAccess {
  const { server, insecureSkipTlsVerify, certificateAuthority } = access;
  return {
    server,
    insecureSkipTlsVerify,
    authorization: { type: 'token', token: { from: 'value', value: token } },
    ...(certificateAuthority === undefined ? {} : { certificateAuthority }),
  };
}

/** Makes a namespace for one test and yields its name. */
export async function newNamespace(client: StreamingClient, prefix: string): Promise<string> {
  const name = `${prefix}-${Math.random().toString(36).slice(2, 8)}`;
  await client.create(namespaces, { metadata: { name } });
  return name;
}

/**
 * Waits until the account of this token may do that, or everything: the API server reads roles and bindings through a watch. The test's own
 * deadline ends it where that never comes.
 */
export async function untilGranted(
  token: string,
  attributes: ResourceAttributes = { verb: '*', group: '*', resource: '*' },
): Promise<void> {
  await using client = await connect({}, (access) => withToken(access, token));
  while (!(await mayI(client, attributes)).allowed) await delay(50);
}

/** True where the request was refused as not found, false where it succeeded. */
export async function isAbsent(work: Promise<unknown>): Promise<boolean> {
  try {
    await work;
    return false;
  } catch (error) {
    if (isApiError(error, 'NotFound')) return true;
    throw error;
  }
}
