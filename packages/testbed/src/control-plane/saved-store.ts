import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { StreamingClient } from '@atoll/kube';
import { withLock } from '../binaries/build-lock.ts';
import { copyStore } from './copy-store.ts';
import { startControlPlane } from './start-control-plane.ts';

/**
 * A store for `ControlPlaneOptions.store` in which everything is that a new API server writes by itself, and what
 * `prepare` installs. An API server that finds all that takes half the processor time of one that has to write it. The
 * first who asks for a folder fills it, the others wait for it, in whatever process.
 */
export async function savedStore(
  folder: string,
  prepare: (client: StreamingClient) => Promise<void>,
): Promise<string> {
  await withLock(`${folder}.lock`, async () => {
    if (!existsSync(folder)) await save(folder, prepare);
  });
  return folder;
}

async function save(folder: string, prepare: (client: StreamingClient) => Promise<void>): Promise<void> {
  await using controlPlane = await startControlPlane({ components: [], prepare });
  await controlPlane.component('kube-apiserver').kill('SIGTERM');
  // It writes what it still holds in memory.
  await controlPlane.component('etcd').kill('SIGTERM');
  copyStore(join(controlPlane.directory, 'etcd'), `${folder}.part`);
  renameSync(`${folder}.part`, folder);
}
