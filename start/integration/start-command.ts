import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { vi } from 'vitest';
import { programFile } from '../../scripts/build/program-file.ts';

const root = join(import.meta.dirname, '..', '..');

export interface StartOptions {
  readonly environment?: Readonly<Record<string, string>>;
  /** Through `scripts/run.mjs`, as `npm start` does, or `start/main.ts` itself. Default: as `npm start` does. */
  readonly direct?: boolean;
}

export interface StartedProcess {
  readonly pid: number;
  readonly command: string;
}

/** `npm start -- …` away from a terminal, with a temporary folder of its own, so that what it leaves can be seen. */
export class StartCommand implements Disposable {
  readonly #temporary = mkdtempSync(join(tmpdir(), 'atoll-start-test-'));
  readonly #child: ChildProcess;
  readonly #ended: Promise<number>;
  readonly #said: Promise<void>;
  #output = '';

  constructor(args: readonly string[], { environment = {}, direct = false }: StartOptions = {}) {
    const script = direct ? ['start/main.ts'] : ['scripts/run.mjs', 'start/main.ts'];
    const { KUBECONFIG: _, ...inherited } = process.env;
    this.#child = spawn(process.execPath, [...script, ...args], {
      cwd: root,
      env: { ...inherited, TMPDIR: this.#temporary, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A group of its own, as the shell of a terminal gives to each command.
      detached: true,
    });
    const { promise, resolve } = Promise.withResolvers<number>();
    this.#ended = promise;
    this.#child.once('exit', (code, signal) => resolve(signal === 'SIGKILL' ? 137 : (code ?? -1)));
    this.#said = new Promise((heard) => this.#child.once('close', () => heard()));
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

  async says(text: string, timeoutMs = 180_000): Promise<void> {
    await vi.waitFor(
      () => {
        if (!this.#output.includes(text)) throw new Error(`it has not said "${text}", but:\n${this.#output}`);
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
   * The exit code; 137 where it was killed. Its last words may arrive after the news of its end; whom it leaves behind may
   * hold its output open for ever, so they are not waited for that long.
   */
  async ended(): Promise<number> {
    const code = await this.#ended;
    await Promise.race([this.#said, delay(2_000)]);
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

  /** The operator that it runs, and nothing else: a process id of 0 would be the whole group of the test. */
  killOperator(): void {
    const running = this.processes();
    const operator = running.find(({ command }) => command.includes(programFile('atoll-operator')));
    if (operator === undefined) {
      throw new Error(`no operator runs, but:\n${running.map(({ command }) => command).join('\n')}`);
    }
    process.kill(operator.pid, 'SIGKILL');
  }

  /** What is in its temporary folder. */
  files(): readonly string[] {
    // Node's own cache of compiled code, where it is switched on.
    return readdirSync(this.#temporary);
  }

  /** Waits until nothing of it is left. */
  async leavesNothing(): Promise<void> {
    await vi.waitFor(
      () => {
        const left = [...this.processes().map(({ command }) => command), ...this.files()];
        if (left.length > 0) throw new Error(`left: ${left.join('; ')}`);
      },
      { timeout: 20_000, interval: 50 },
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
