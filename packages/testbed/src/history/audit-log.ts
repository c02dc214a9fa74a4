import { open, stat } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { WholeLines, splitLines } from '../faults/whole-lines.ts';
import { parseAuditLine } from './audit-entry.ts';
import type { AuditEntry } from './audit-entry.ts';

const chunkBytes = 1024 * 1024;

/**
 * Follows the API server's audit log: entries in the order in which requests were completed. A line that is still
 * being written waits for its end, and a log that was rotated is read to its end before the new one.
 */
export class AuditLog {
  readonly #path: string;
  readonly #entries: AuditEntry[] = [];
  readonly #buffer = Buffer.allocUnsafe(chunkBytes);
  #lines = new WholeLines();
  #file: FileHandle | undefined;
  #inode: number | undefined;
  #offset = 0;
  #unreadable = 0;
  #reading: Promise<void> = Promise.resolve();
  #following: Promise<void> = Promise.resolve();

  constructor(path: string) {
    this.#path = path;
  }

  /** What has been read so far. */
  get entries(): readonly AuditEntry[] {
    return this.#entries;
  }

  /** Whole lines that were not JSON. */
  get unreadable(): number {
    return this.#unreadable;
  }

  /** Reads on as the file grows, until the signal ends. The file may appear later. */
  start(signal: AbortSignal): void {
    this.#following = (async () => {
      while (!signal.aborted) {
        await this.readOn();
        await delay(50, undefined, { signal, ref: false }).catch(() => undefined);
      }
    })();
  }

  /** Reads everything that is in the file now. */
  async readOn(): Promise<void> {
    this.#reading = this.#reading.then(() => this.#readToEnd());
    await this.#reading;
  }

  /** Releases the file. To be called after the signal of {@link start} has ended. */
  async close(): Promise<void> {
    await this.#following;
    await this.#reading;
    await this.#file?.close();
    this.#file = undefined;
  }

  async #readToEnd(): Promise<void> {
    if (this.#file === undefined && !(await this.#open())) return;
    await this.#drain();
    const inode = await inodeOf(this.#path);
    if (inode === undefined || inode === this.#inode) return;
    // Rotated: what was written between the last read and the renaming is still in the old file.
    await this.#drain();
    await this.#file?.close();
    this.#file = undefined;
    if (await this.#open()) await this.#drain();
  }

  async #open(): Promise<boolean> {
    try {
      this.#file = await open(this.#path, 'r');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
      throw error;
    }
    this.#inode = (await this.#file.stat()).ino;
    this.#offset = 0;
    this.#lines = new WholeLines();
    return true;
  }

  async #drain(): Promise<void> {
    if (this.#file === undefined) return;
    for (;;) {
      const { bytesRead } = await this.#file.read(this.#buffer, 0, chunkBytes, this.#offset);
      if (bytesRead === 0) return;
      this.#offset += bytesRead;
      const whole = this.#lines.push(Buffer.from(this.#buffer.subarray(0, bytesRead)));
      if (whole !== undefined) for (const line of splitLines(whole)) this.#take(line);
    }
  }

  #take(line: Buffer): void {
    try {
      this.#entries.push(parseAuditLine(line.toString()));
    } catch {
      this.#unreadable += 1;
    }
  }
}

async function inodeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).ino;
  } catch {
    return undefined;
  }
}
