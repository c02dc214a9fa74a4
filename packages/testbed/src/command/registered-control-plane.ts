import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { endAbandoned } from '../supervisor/end-abandoned.ts';
import type { ProcessIdentity } from '../supervisor/process-identity.ts';
import { CommandFailure } from './command-failure.ts';

/** What `up` leaves in the control plane's folder, for `status`, `nodes` and `down` to find. */
export interface RegisteredControlPlane {
  readonly name: string;
  readonly url: string;
  readonly kubeconfig: string;
  /** The process that holds the control plane: the control plane ends when it does. */
  readonly owner: ProcessIdentity;
  /** Names of the programs that it consists of. */
  readonly programs: readonly string[];
  /** RFC 3339. */
  readonly since: string;
  /** RFC 3339; when the lease runs out. */
  readonly until?: string;
}

const fileName = 'plane.json';
const prefix = `atoll-testbed-${userInfo().username}-`;

export function controlPlaneDirectory(name: string): string {
  return join(tmpdir(), `${prefix}${name}`);
}

/** Takes the name: no two control planes of one user have the same. What a dead one left is cleared away first. */
export function claimDirectory(name: string): string {
  const directory = controlPlaneDirectory(name);
  for (let attempt = 1; ; attempt += 1) {
    try {
      mkdirSync(directory, { mode: 0o700 });
      return directory;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      if (attempt < 3 && endAbandoned(directory)) continue;
      throw new CommandFailure(
        `a control plane named ${name} is up already; end it with "atoll-testbed down --name ${name}", or give this one another --name`,
      );
    }
  }
}

export function registerControlPlane(directory: string, controlPlane: RegisteredControlPlane): void {
  const file = join(directory, fileName);
  writeFileSync(`${file}.new`, JSON.stringify(controlPlane), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/** Undefined while it is not up, or not yet. */
export function findControlPlane(name: string): RegisteredControlPlane | undefined {
  try {
    return JSON.parse(
      readFileSync(join(controlPlaneDirectory(name), fileName), 'utf8'),
    ) as RegisteredControlPlane;
  } catch {
    return undefined;
  }
}

/** The names in use, those that are only starting or ending included. */
export function controlPlaneNames(): string[] {
  const own = process.getuid?.();
  return readdirSync(tmpdir())
    .filter((entry) => entry.startsWith(prefix) && ownerOf(join(tmpdir(), entry)) === own)
    .map((entry) => entry.slice(prefix.length))
    .toSorted();
}

function ownerOf(path: string): number | undefined {
  try {
    return statSync(path).uid;
  } catch {
    return undefined;
  }
}
