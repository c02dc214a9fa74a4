import { join } from 'node:path';
import { install } from '@atoll/operator/install';
import { savedStore } from '@atoll/testbed';
import { inject } from 'vitest';

/** The store of a control plane in which Atoll is installed. */
export async function installedStore(): Promise<string> {
  return savedStore(join(inject('sharedFolder'), 'installed-store'), install);
}
