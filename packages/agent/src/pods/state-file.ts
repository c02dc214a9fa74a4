import { createHash } from 'node:crypto';
import { mkdir, open, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger, Pod, Stored } from '@atoll/kube';
import type { UpgradeRecord } from '../ota/upgrade-record.ts';
import { readRegularFile } from '../regular-file.ts';

/** What the agent keeps on disk. */
export interface AgentState {
  readonly nodeName: string;
  /** The pods of the node; undefined: they were never listed. */
  readonly pods: readonly Stored<Pod>[] | undefined;
  readonly upgrades: readonly UpgradeRecord[];
}

/** What of Node's file system is used; replaced in tests of a full disk. */
export const nodeFiles = { mkdir, open, rename, unlink };
export type Files = typeof nodeFiles;

const format = 'atoll-agent-state-1';

/** More than the pods of a node are; all of it is in memory at the start. */
const mostBytes = 64 * 1024 * 1024;

/**
 * One file that holds the last good state, whatever ends the process or the machine: it is written beside the old one, flushed,
 * and renamed over it. Specs hold secrets, so only its owner may read it.
 */
export class StateFile {
  readonly path: string;
  readonly #directory: string;
  readonly #files: Files;

  constructor(directory: string, files: Files = nodeFiles) {
    this.#directory = directory;
    this.path = join(directory, 'state');
    this.#files = files;
  }

  /** Undefined where there is none that can be used; why is logged. Never rejects. */
  async read(nodeName: string, logger: Logger): Promise<AgentState | undefined> {
    let text: string;
    try {
      text = await readRegularFile(this.path, mostBytes);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
        logger.warn({ err: error, file: this.path }, 'state file cannot be read');
      return undefined;
    }
    try {
      const state = decode(text);
      if (state.nodeName === nodeName) return state;
      logger.warn({ file: this.path, node: state.nodeName }, 'state file is of another node; ignored');
    } catch (error) {
      logger.warn({ err: error, file: this.path }, 'state file is corrupt; ignored');
    }
    return undefined;
  }

  /** Rejects where it cannot be written; the last good file stays. One call at a time. */
  async write(state: AgentState): Promise<void> {
    await this.#files.mkdir(this.#directory, { recursive: true, mode: 0o700 });
    const temporary = `${this.path}.new`;
    try {
      // A file that is there would keep its mode, and a link would lead elsewhere.
      await this.#files.unlink(temporary).catch(() => undefined);
      const handle = await this.#files.open(temporary, 'wx', 0o600);
      try {
        await handle.writeFile(encode(state));
        await handle.sync();
      } finally {
        await handle.close();
      }
      await this.#files.rename(temporary, this.path);
    } catch (error) {
      // What is left of it would take the room that is missing.
      await this.#files.unlink(temporary).catch(() => undefined);
      throw error;
    }
    await this.#flushDirectory();
  }

  /** Without it a power failure may undo the rename. */
  async #flushDirectory(): Promise<void> {
    const directory = await this.#files.open(this.#directory, 'r');
    try {
      await directory.sync();
    } catch (error) {
      if (!cannotFlushDirectories.has((error as NodeJS.ErrnoException).code)) throw error;
    } finally {
      await directory.close();
    }
  }
}

/** As some file systems answer, of the network above all: the file itself is flushed there too. */
const cannotFlushDirectories: ReadonlySet<string | undefined> = new Set(['EINVAL', 'ENOTSUP', 'EPERM']);

function encode(state: AgentState): string {
  const body = JSON.stringify(state);
  return `${format} ${sum(body)}\n${body}`;
}

function decode(text: string): AgentState {
  const end = text.indexOf('\n');
  const [found, checksum] = text.slice(0, Math.max(end, 0)).split(' ');
  const body = text.slice(end + 1);
  if (found !== format) throw new Error(`expected the format ${format}`);
  if (checksum !== sum(body)) throw new Error('the checksum differs');
  return JSON.parse(body) as AgentState;
}

function sum(body: string): string {
  return createHash('sha256').update(body).digest('hex');
}
