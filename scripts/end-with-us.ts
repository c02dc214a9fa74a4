import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
let listens = false;

/**
 * A folder below the system's temporary one, which is removed when this process ends: by itself, by Ctrl-C, and by a polite request
 * to end.
 */
export function temporaryFolder(prefix: string): string {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Kills the process when this one ends, as {@link temporaryFolder} is removed. */
export function endsWithUs<T extends ChildProcess>(child: T): T {
  const kill = (): void => void child.kill('SIGKILL');
  child.once('exit', () => process.off('exit', kill));
  atEnd(kill);
  return child;
}

function atEnd(clean: () => void): void {
  process.once('exit', clean);
  if (listens) return;
  listens = true;
  // Without a listener a signal ends the process, and nothing is cleaned up. Who listens too decides how it ends.
  for (const name of signals)
    process.on(name, () => {
      if (process.listenerCount(name) === 1) process.exit(128 + constants.signals[name]);
    });
}
