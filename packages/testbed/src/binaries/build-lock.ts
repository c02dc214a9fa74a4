import { constants, linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { formatElapsed } from './format-elapsed.ts';
import { identifyProcess, isRunning, type ProcessIdentity } from '../supervisor/process-identity.ts';

export interface LockOptions {
  /** Told every `everyMs` milliseconds (default 1000) while another process holds the lock. */
  readonly onWait?: (holder: number, waitedMs: number) => void;
  readonly everyMs?: number;
  /** Milliseconds after which a lock that another process holds is waited for no longer. Default: as long as it takes. */
  readonly longestMs?: number;
  readonly signal?: AbortSignal;
}

/**
 * Runs `work` while no other process of this machine does so with the same lock file. A holder that died counts as none. Rejects
 * where one that lives holds it for too long, and where the lock cannot be read. The work must stay correct without the lock: two
 * that find the same dead holder at the same instant may, in theory, both go on.
 */
export async function withLock<T>(
  file: string,
  work: () => Promise<T>,
  options: LockOptions = {},
): Promise<T> {
  const mine = JSON.stringify(identifyProcess(process.pid) ?? { pid: process.pid, started: '' });
  mkdirSync(dirname(file), { recursive: true });
  const begun = Date.now();
  while (!tryLock(file, mine)) {
    const text = readLock(file);
    const holder = parseHolder(text);
    if (holder === undefined || !isRunning(holder)) {
      removeStale(file, text);
      continue;
    }
    const waitedMs = Date.now() - begun;
    if (waitedMs >= (options.longestMs ?? Infinity)) {
      throw new Error(
        `process ${holder.pid} still holds ${file} after ${formatElapsed(waitedMs)}: try again when it has ended, or end it if it hangs`,
      );
    }
    options.onWait?.(holder.pid, waitedMs);
    await delay(
      options.everyMs ?? 1000,
      undefined,
      options.signal === undefined ? {} : { signal: options.signal },
    );
  }
  try {
    return await work();
  } finally {
    if (isLock(file, mine)) rmSync(file, { force: true });
  }
}

/** Appears whole or not at all: a lock that is being written would look like a dead one. */
function tryLock(file: string, content: string): boolean {
  const mine = `${file}.${process.pid}`;
  writeFileSync(mine, content);
  try {
    linkSync(mine, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(mine, { force: true });
  }
}

function removeStale(file: string, seen: string | undefined): void {
  if (seen === undefined) return;
  const aside = `${file}.stale.${process.pid}`;
  try {
    renameSync(file, aside);
    // Someone was quicker: what was moved aside is a living lock.
    if (!isLock(aside, seen)) linkSync(aside, file);
  } catch {
    // Gone already, or taken anew: the next attempt sees it.
  }
  rmSync(aside, { force: true });
}

/**
 * undefined: it is gone. Throws where it is there and cannot be read, because nothing else would end the wait: a folder, a link, the
 * file of another user.
 */
function readLock(file: string): string | undefined {
  try {
    return readFileSync(file, { encoding: 'utf8', flag: constants.O_RDONLY | constants.O_NOFOLLOW });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Error(
      `the lock ${file} cannot be read, so what holds it is not known: remove it if no other process uses it (${(error as Error).message})`,
      { cause: error },
    );
  }
}

function isLock(file: string, content: string): boolean {
  try {
    return readLock(file) === content;
  } catch {
    return false;
  }
}

function parseHolder(text: string | undefined): ProcessIdentity | undefined {
  try {
    return text === undefined ? undefined : (JSON.parse(text) as ProcessIdentity);
  } catch {
    return undefined;
  }
}
