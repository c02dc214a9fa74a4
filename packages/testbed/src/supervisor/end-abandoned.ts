import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isRunning, signalProcess } from './process-identity.ts';
import { readProcessRecord } from './process-record.ts';

/** How long a directory without a record may be one whose supervisor is only just starting. */
const startingMs = 60_000;

/**
 * Ends what a control plane left behind when its owner and its supervisor were killed both. A control plane that is looked
 * after is not touched. Yields whether the directory is gone.
 */
export function endAbandoned(directory: string): boolean {
  const record = readProcessRecord(directory);
  if (record === undefined) {
    if (!isOldAndOurs(directory)) return false;
  } else {
    if (isRunning(record.supervisor)) return false;
    for (const program of record.programs) signalProcess(program, 'SIGKILL');
    if (record.file !== undefined) rmSync(record.file, { force: true });
  }
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  return true;
}

/** Does so for every directory in `parent` whose name begins with `prefix`; yields those that it removed. */
export function sweepAbandoned(parent: string, prefix: string): string[] {
  const directories = readdirSync(parent)
    .filter((name) => name.startsWith(prefix))
    .map((name) => join(parent, name));
  return directories.filter(endAbandoned);
}

function isOldAndOurs(directory: string): boolean {
  try {
    const { uid, mtimeMs } = statSync(directory);
    return uid === process.getuid?.() && Date.now() - mtimeMs > startingMs;
  } catch {
    return false;
  }
}
