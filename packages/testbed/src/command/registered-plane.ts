import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { endAbandoned } from '../supervisor/end-abandoned.ts';
import type { ProcessIdentity } from '../supervisor/process-identity.ts';
import { CommandFailure } from './command-failure.ts';

/** What `up` leaves in the plane's folder, for `status`, `nodes` and `down` to find. */
export interface RegisteredPlane {
  readonly name: string;
  readonly url: string;
  readonly kubeconfig: string;
  /** The process that holds the plane: the plane ends when it does. */
  readonly owner: ProcessIdentity;
  /** RFC 3339. */
  readonly since: string;
  /** RFC 3339; when the lease runs out. */
  readonly until?: string;
}

const fileName = 'plane.json';
const prefix = `atoll-testbed-${userInfo().username}-`;

export function planeDirectory(name: string): string {
  return join(tmpdir(), `${prefix}${name}`);
}

/** Takes the name: no two planes of one user have the same. What a dead one left is cleared away first. */
export function claimDirectory(name: string): string {
  const directory = planeDirectory(name);
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

export function registerPlane(directory: string, plane: RegisteredPlane): void {
  const file = join(directory, fileName);
  writeFileSync(`${file}.new`, JSON.stringify(plane), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/** Undefined while it is not up, or not yet. */
export function findPlane(name: string): RegisteredPlane | undefined {
  try {
    return JSON.parse(readFileSync(join(planeDirectory(name), fileName), 'utf8')) as RegisteredPlane;
  } catch {
    return undefined;
  }
}

/** The names in use, those that are only starting or ending included. */
export function planeNames(): string[] {
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
