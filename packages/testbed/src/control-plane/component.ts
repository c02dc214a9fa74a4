import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { waitFor } from '../faults/wait-for.ts';
import { isStopped } from '../supervisor/process-identity.ts';
import type { Exit, ProgramSpec } from '../supervisor/protocol.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';

/** An exit code, or the signal that ended it. */
export type ComponentExit = Pick<Exit, 'code' | 'signal'>;

/** One running program of the control plane, and the faults one can do to it. */
export interface Component {
  readonly name: string;
  /** Undefined while it is not running. */
  readonly pid: number | undefined;
  readonly logFile: string;
  /** How it ended the last time; undefined until it has. */
  readonly lastExit: ComponentExit | undefined;
  /** How often it was started again because it had ended by itself. */
  readonly restarts: number;
  /** SIGSTOP: it keeps its connections and answers nothing, like a machine that hangs. Resolves when it has stopped. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Sends the signal (default SIGKILL) and waits for the end. Nothing starts it again by itself. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Kills it where it runs, starts it with the same flags and ports, and waits until it is ready. */
  restart(): Promise<void>;
  /** The end of its log. */
  lastWords(): string;
}

/** A program ended instead of becoming ready; `log` is the end of what it wrote. */
export class StartFailure extends Error {
  readonly log: string;

  constructor(message: string, log: string) {
    super(`${message}:\n${log}`);
    this.name = 'StartFailure';
    this.log = log;
  }
}

/** How long a program may take to be ready: seconds on a machine at rest, more than a minute on one that is busy. */
const startMs = 150_000;

/** A program that ends by itself twice within so many milliseconds is not started again. */
const crashLoopMs = 60_000;

export class SupervisedComponent implements Component {
  readonly #supervisor: Supervisor;
  readonly #spec: ProgramSpec;
  readonly #ready: () => Promise<boolean>;
  #pid: number | undefined;
  /** Its end may be reported before the answer that names its process is taken. */
  #isRunning = false;
  #ended = Promise.withResolvers<Exit>();
  #wanted = false;
  #lastExit: ComponentExit | undefined;
  readonly #startsAgain: boolean;
  #restarts = 0;
  #restartedAt = -Infinity;

  /** `ready` may reject; that counts as not yet. `startsAgain`: when it ends by itself, as a pod does on its node. */
  constructor(
    supervisor: Supervisor,
    spec: ProgramSpec,
    ready: () => Promise<boolean>,
    { startsAgain = false }: { readonly startsAgain?: boolean | undefined } = {},
  ) {
    this.#supervisor = supervisor;
    this.#spec = spec;
    this.#ready = ready;
    this.#startsAgain = startsAgain;
  }

  get name(): string {
    return this.#spec.name;
  }

  get pid(): number | undefined {
    return this.#isRunning ? this.#pid : undefined;
  }

  get logFile(): string {
    return this.#spec.logFile;
  }

  get lastExit(): ComponentExit | undefined {
    return this.#lastExit;
  }

  get restarts(): number {
    return this.#restarts;
  }

  /** Resolves when it is ready; rejects with a {@link StartFailure} when it ends first or takes too long. */
  async start(deadlineMs = startMs): Promise<void> {
    this.#ended = Promise.withResolvers();
    this.#wanted = true;
    this.#isRunning = true;
    this.#pid = undefined;
    this.#pid = await this.#supervisor.start(this.#spec);
    const deadline = Date.now() + deadlineMs;
    while (!(await this.#ready().catch(() => false))) {
      if (!this.#isRunning) {
        const { code, signal } = await this.#ended.promise;
        throw new StartFailure(
          `${this.name} ended while starting (${signal ?? `exit code ${code}`})`,
          this.lastWords(),
        );
      }
      if (Date.now() > deadline) {
        throw new StartFailure(`${this.name} is not ready after ${deadlineMs / 1000} s`, this.lastWords());
      }
      await delay(25);
    }
  }

  async pause(): Promise<void> {
    await this.#supervisor.signal(this.name, 'SIGSTOP');
    const { pid } = this;
    if (pid !== undefined) await waitFor(() => isStopped(pid), `${this.name} to stop`);
  }

  async resume(): Promise<void> {
    await this.#supervisor.signal(this.name, 'SIGCONT');
  }

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const { promise } = this.#ended;
    const wasRunning = this.pid !== undefined;
    this.#wanted = false;
    try {
      await this.#supervisor.signal(this.name, signal);
    } catch (error) {
      // It ended meanwhile, as by a kill that was under way: that is what was asked for.
      if (!wasRunning || this.pid !== undefined) throw error;
    }
    await promise;
  }

  async restart(): Promise<void> {
    if (this.pid !== undefined) await this.kill();
    await this.start();
  }

  /** Called by the one that watches the program. Yields whether nobody asked for that end. */
  ended(exit: Exit): boolean {
    this.#isRunning = false;
    this.#lastExit = { code: exit.code, signal: exit.signal };
    this.#ended.resolve(exit);
    return this.#wanted;
  }

  /** After an end that nobody asked for. Yields whether it runs again; false where it is not to, or ends again and again. */
  async startAgain(): Promise<boolean> {
    if (!this.#startsAgain || Date.now() - this.#restartedAt < crashLoopMs) return false;
    this.#restartedAt = Date.now();
    try {
      await this.start();
    } catch {
      return false;
    }
    this.#restarts += 1;
    return true;
  }

  lastWords(): string {
    try {
      const lines = readFileSync(this.logFile, 'utf8').trim().split('\n');
      return lines.slice(-8).join('\n') || 'it wrote no log';
    } catch {
      return 'it wrote no log';
    }
  }
}
