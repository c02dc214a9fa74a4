import { closeSync, existsSync, openSync, readFileSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { ControlPlane } from '@atoll/testbed';

const size = '4m';
const block = Buffer.alloc(4096);

/** A small file system in a mount namespace of its own: only programs that are started in it see it. */
export interface SmallDisk {
  /** What starts a program in it, before the program's own name. */
  readonly enter: readonly [file: string, ...args: string[]];
  /** Writes a file until the kernel answers ENOSPC. */
  fill(): void;
  /** Removes what `fill` wrote. */
  free(): void;
  /** Content of one of its files; undefined: there is none. */
  read(file: string): string | undefined;
}

/**
 * Mounts a tmpfs in a user namespace, which needs no root where the kernel lets users have namespaces. A process holds it until the
 * control plane ends. The directory exists and is empty. Rejects where nothing can be mounted.
 */
export async function mountSmallDisk(
  controlPlane: ControlPlane,
  name: string,
  directory: string,
): Promise<SmallDisk> {
  const seenBy = (pid: number | undefined, file: string): string =>
    join(`/proc/${pid}/root`, directory, file);
  const mount = `mount -t tmpfs -o size=${size},mode=700 none "$0" && touch "$0/mounted" && exec sleep infinity`;
  const { pid } = await controlPlane.runProgram({
    name,
    file: 'unshare',
    args: ['--user', '--map-root-user', '--mount', 'sh', '-c', mount, directory],
    ready: async () => Promise.resolve(existsSync(seenBy(controlPlane.component(name).pid, 'mounted'))),
  });
  const filler = seenBy(pid, 'filler');
  return {
    enter: ['nsenter', `--target=${pid}`, '--user', '--mount', '--preserve-credentials'],
    fill: () => fillWith(filler),
    free: () => unlinkSync(filler),
    read: (file) => {
      try {
        return readFileSync(seenBy(pid, file), 'utf8');
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw error;
      }
    },
  };
}

function fillWith(file: string): void {
  const descriptor = openSync(file, 'w');
  try {
    for (;;) writeSync(descriptor, block);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  } finally {
    closeSync(descriptor);
  }
}
