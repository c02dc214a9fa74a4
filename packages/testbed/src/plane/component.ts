import { readFileSync } from 'node:fs';
import type { Exit, ProgramSpec } from '../supervisor/protocol.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';

/** One running program of the plane, and the faults one can do to it. */
export interface Component {
  readonly name: string;
  /** Undefined while it is not running. */
  readonly pid: number | undefined;
  readonly logFile: string;
  /** SIGSTOP: it holds its connections and says nothing, like a machine that hangs. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Sends the signal (default SIGKILL) and waits for the end. Nothing starts it again by itself. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Kills it where it runs, starts it with the same flags and ports, and waits until it is ready. */
  restart(): Promise<void>;
}

export class SupervisedComponent implements Component {
  readonly #supervisor: Supervisor;
  readonly #spec: ProgramSpec;
  readonly #ready: () => Promise<boolean>;
  readonly #waiting = new Set<() => void>();
  #pid: number | undefined;
  #exit: Exit | undefined;

  constructor(supervisor: Supervisor, spec: ProgramSpec, ready: () => Promise<boolean>) {
    this.#supervisor = supervisor;
    this.#spec = spec;
    this.#ready = ready;
  }

  get name(): string {
    return this.#spec.name;
  }

  get pid(): number | undefined {
    return this.#pid;
  }

  get logFile(): string {
    return this.#spec.logFile;
  }

  async start(deadlineMs: number): Promise<void> {
    this.#exit = undefined;
    this.#pid = await this.#supervisor.start(this.#spec);
    const deadline = Date.now() + deadlineMs;
    while (!(await this.#ready().catch(() => false))) {
      if (this.#exit !== undefined) throw new Error(`${this.name} ended while starting: ${this.lastWords()}`);
      if (Date.now() > deadline)
        throw new Error(`${this.name} is not ready after ${deadlineMs} ms: ${this.lastWords()}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async pause(): Promise<void> {
    await this.#supervisor.signal(this.name, 'SIGSTOP');
  }

  async resume(): Promise<void> {
    await this.#supervisor.signal(this.name, 'SIGCONT');
  }

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const ended = new Promise<void>((resolve) => this.#waiting.add(resolve));
    await this.#supervisor.signal(this.name, signal);
    await ended;
  }

  async restart(): Promise<void> {
    if (this.#pid !== undefined) await this.kill();
    await this.start(30_000);
  }

  /** Told by the plane when the program ends. */
  ended(exit: Exit): void {
    this.#pid = undefined;
    this.#exit = exit;
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }

  /** The end of its log: what an error message can quote. */
  lastWords(): string {
    try {
      const lines = readFileSync(this.logFile, 'utf8').trim().split('\n');
      return lines.slice(-5).join('\n') || 'it wrote no log';
    } catch {
      return 'it wrote no log';
    }
  }
}
