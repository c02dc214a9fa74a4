import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { vi } from 'vitest';
import { root } from '../checks.ts';

export interface StartedProcess {
  readonly pid: number;
  readonly command: string;
}

/** A command of this project away from a terminal, with a temporary folder of its own, so that what it leaves can be seen. */
export class WatchedCommand implements Disposable {
  readonly #temporary = mkdtempSync(join(tmpdir(), 'atoll-watched-'));
  readonly #child: ChildProcess;
  readonly #ended: Promise<number>;
  readonly #closed: Promise<void>;
  #output = '';

  /** `args`: of Node, as `['scripts/run.mjs', 'start/main.ts', '--once']`. */
  constructor(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
    const { KUBECONFIG: _, ...inherited } = process.env;
    this.#child = spawn(process.execPath, [...args], {
      cwd: root,
      env: { ...inherited, TMPDIR: this.#temporary, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A group of its own, as the shell of a terminal gives to each command.
      detached: true,
    });
    const { promise, resolve } = Promise.withResolvers<number>();
    this.#ended = promise;
    this.#child.once('exit', (code, signal) => {
      resolve(signal === null ? (code ?? -1) : 128 + constants.signals[signal]);
    });
    this.#closed = new Promise((resolve) => this.#child.once('close', () => resolve()));
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on('data', (chunk: Buffer) => (this.#output += chunk.toString('utf8')));
  }

  get temporary(): string {
    return this.#temporary;
  }

  /** All that it wrote so far, standard output and error. */
  get output(): string {
    return this.#output;
  }

  get lines(): readonly string[] {
    return this.#output.split('\n').filter((line) => line !== '');
  }

  async shows(text: string, timeoutMs = 180_000): Promise<void> {
    await vi.waitFor(
      () => {
        if (!this.#output.includes(text)) throw new Error(`its output lacks "${text}":\n${this.#output}`);
      },
      { timeout: timeoutMs, interval: 20 },
    );
  }

  /** To every process of its group, as a terminal does with Ctrl-C. */
  interrupt(signal: NodeJS.Signals = 'SIGINT'): void {
    if (this.#child.pid === undefined) throw new Error('it was never started');
    process.kill(-this.#child.pid, signal);
  }

  /**
   * The exit code; 128 and the number of the signal that ended it. Its last words may arrive after the news of its end; whom it leaves behind may
   * hold its output open for ever, so they are not waited for that long.
   */
  async ended(): Promise<number> {
    const code = await this.#ended;
    await Promise.race([this.#closed, delay(5_000)]);
    return code;
  }

  /** Processes that it started, or those did, and that still run: all inherit its temporary folder's name. */
  processes(): readonly StartedProcess[] {
    const mark = `TMPDIR=${this.#temporary}\0`;
    return readdirSync('/proc')
      .filter((pid) => /^\d+$/.test(pid) && read(`/proc/${pid}/environ`).includes(mark))
      .map((pid) => ({
        pid: Number(pid),
        command: read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim(),
      }))
      .filter(({ command }) => command !== '');
  }

  /** What is in its temporary folder, but for Node's own cache of compiled code. */
  files(): readonly string[] {
    return readdirSync(this.#temporary).filter((name) => name !== 'node-compile-cache');
  }

  /** Waits until nothing of it is left. */
  async leavesNothing(): Promise<void> {
    await vi.waitFor(
      () => {
        const left = [...this.processes().map(({ command }) => command), ...this.files()];
        if (left.length > 0) throw new Error(`left: ${left.join('; ')}`);
      },
      { timeout: 60_000, interval: 50 },
    );
  }

  [Symbol.dispose](): void {
    try {
      this.interrupt('SIGKILL');
    } catch {
      // It ended, as it should.
    }
    rmSync(this.#temporary, { recursive: true, force: true });
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // The process ended meanwhile, or is not ours.
    return '';
  }
}
