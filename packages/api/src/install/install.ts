import {
  customResourceDefinitions,
  readDefinition,
  untilServed,
  type Client,
  type Clock,
  type CustomResourceDefinition,
} from '@atoll/kube';
import { fieldManagers } from '../names.ts';
import { customResourceDefinition } from '../schema/custom-resource-definition.ts';
import { installObjects, kindsAlone, type Installation } from './install-objects.ts';

export interface InstallOptions {
  /** Default: {@link kindsAlone}. `@atoll/operator/install` installs what its operator needs. */
  readonly installation?: Installation;
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
  /** How long to wait, in milliseconds, until the API server serves all kinds. Default 30,000. */
  readonly timeoutMs?: number;
}

/**
 * Applies everything of `installObjects()` by server-side apply, taking over what an older installation or the old
 * operators hold, and resolves when the API server serves all kinds. Safe to repeat. Rejects with the `ApiError` of
 * the first refused write, or with an error that names the kinds which are not served in time and why.
 */
export async function install(client: Client, options: InstallOptions = {}): Promise<void> {
  const { signal, installation = kindsAlone } = options;
  const crds = installation.kinds.map(customResourceDefinition);
  await releaseConversionWebhooks(client, crds, signal);
  for (const { resource, object } of installObjects(installation)) {
    await client.apply(resource, object, { fieldManager: fieldManagers.install, force: true, signal });
  }
  const names = crds.map((crd) => crd.metadata.name);
  await untilServed(client, names, options);
}

/**
 * The old operators' CRDs convert by webhook. Apply would leave the webhook's configuration in place, because another
 * manager owns it, and the API server refuses it beside the strategy `None`; so the whole spec is replaced first.
 */
async function releaseConversionWebhooks(
  client: Client,
  crds: readonly CustomResourceDefinition[],
  signal: AbortSignal | undefined,
): Promise<void> {
  for (const wanted of crds) {
    const found = await readDefinition(client, wanted.metadata.name, signal);
    if (found?.spec.conversion?.strategy !== 'Webhook') continue;
    const { managedFields: _, ...metadata } = found.metadata as typeof found.metadata & {
      managedFields?: unknown;
    };
    await client.update(
      customResourceDefinitions,
      { ...wanted, metadata },
      { fieldManager: fieldManagers.install, signal },
    );
  }
}
