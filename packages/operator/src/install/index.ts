/** What the operator needs in a cluster. Loads zod: for `npm start`, the generator and tests. */
import * as api from '@atoll/api/install';
import type { Client } from '@atoll/kube';
import { shippedInstallation } from './installation.ts';

export { kindDefinitions } from '../definitions/kind-definitions.ts';
export * from './installation.ts';

/** Installs the operator's kinds and roles; see `install` of `@atoll/api/install`. */
export async function install(client: Client, options: api.InstallOptions = {}): Promise<void> {
  await api.install(client, { installation: shippedInstallation, ...options });
}

/** Everything that {@link install} applies, in order. */
export function installObjects(): readonly api.InstallObject[] {
  return api.installObjects(shippedInstallation);
}
