import { operatorNames } from '@atoll/api';
import { createClient, loadKubeconfig } from '@atoll/kube';
import type { KindDefinition } from '../../src/definitions/kind-definition.ts';
import { kindDefinitions } from '../../src/definitions/kind-definitions.ts';
import { leaseRights, neededRights } from '../../src/start-up/preflight/needed-rights.ts';
import { preflight } from '../../src/start-up/preflight/preflight.ts';
import { eventually } from './standing.ts';

/**
 * Waits until the account of a kubeconfig is granted what an operator needs: the API server reads roles and bindings through a watch, and an
 * operator that is refused something ends.
 */
export async function untilGranted(
  kubeconfig: string,
  definitions: readonly KindDefinition[] = kindDefinitions,
): Promise<void> {
  const client = createClient(await loadKubeconfig({ path: kubeconfig }), { userAgent: 'spec' });
  const rights = [
    ...neededRights(definitions),
    ...leaseRights({ namespace: operatorNames.namespace, name: operatorNames.lease }),
  ];
  try {
    await eventually(async () => preflight(client, 'here', rights, AbortSignal.timeout(30_000)));
  } finally {
    await client.close();
  }
}
