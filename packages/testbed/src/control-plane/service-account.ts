import { setTimeout as delay } from 'node:timers/promises';
import {
  ApiError,
  namespaces,
  requestToken,
  serviceAccounts,
  type ObjectKey,
  type StreamingClient,
} from '@atoll/kube';
import type { ServiceAccountName } from './control-plane.ts';

/** Seconds; longer than any control plane is needed. */
const tokenSeconds = 86_400;

/** A token of this ServiceAccount (TokenRequest), bound to the node if any. Creates the namespace and the account where they are absent. */
export async function accountToken(
  client: StreamingClient,
  { namespace, name }: ServiceAccountName,
  node?: string,
): Promise<string> {
  await ignoreExisting(client.create(namespaces, { metadata: { name: namespace } }));
  await ignoreExisting(client.create(serviceAccounts, { metadata: { namespace, name } }));
  const bound = node === undefined ? {} : { boundObjectRef: { apiVersion: 'v1', kind: 'Node', name: node } };
  const spec = { expirationSeconds: tokenSeconds, ...bound };
  return (await requestToken(client, { namespace, name }, spec)).token;
}

/** Without it no pod is admitted: the ServiceAccount admission plugin refuses them. */
export async function awaitDefaultServiceAccount(client: StreamingClient): Promise<void> {
  const key: ObjectKey = { namespace: 'default', name: 'default' };
  const deadline = Date.now() + 90_000;
  for (;;) {
    try {
      await client.get(serviceAccounts, key);
      return;
    } catch (error) {
      if (!isRefused(error, 'NotFound')) throw error;
      if (Date.now() > deadline) {
        throw new Error('the controller manager made no default ServiceAccount within 90 s', {
          cause: error,
        });
      }
      await delay(25);
    }
  }
}

async function ignoreExisting(creation: Promise<unknown>): Promise<void> {
  try {
    await creation;
  } catch (error) {
    if (!isRefused(error, 'AlreadyExists')) throw error;
  }
}

function isRefused(error: unknown, reason: string): boolean {
  return error instanceof ApiError && error.reason === reason;
}
