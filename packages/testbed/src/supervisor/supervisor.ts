import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ownFiles } from '../own-files.ts';
import { endAbandoned } from './end-abandoned.ts';
import type { Command, Exit, Message, ProgramSpec, SupervisorStart } from './protocol.ts';

interface Pending {
  readonly resolve: (pid: number | undefined) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Starts and signals programs through a process of its own, which ends them and removes the directory when
 * this process ends in whatever way.
 */
export class Supervisor {
  readonly #directory: string;
  readonly #process: ChildProcess;
  readonly #ended: Promise<void>;
  readonly #pending = new Map<number, Pending>();
  readonly #onExit: (exit: Exit) => void;
  #nextId = 1;
  #shutdown: Promise<void> | undefined;
  #over = false;

  /** `file`, where given, is removed with the directory. */
  constructor(directory: string, file: string | undefined, onExit: (exit: Exit) => void) {
    const start: SupervisorStart = {
      directory,
      ownerPid: process.pid,
      ...(file === undefined ? {} : { file }),
    };
    this.#directory = directory;
    this.#onExit = onExit;
    this.#process = fork(fileURLToPath(ownFiles.supervisor), [JSON.stringify(start)], {
      // A session of its own: Ctrl-C in the terminal reaches the owner only, which then ends the control plane in order.
      detached: true,
      execArgv: [],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.#ended = new Promise((resolve) => {
      this.#process.once('exit', () => {
        this.#lost();
        resolve();
      });
      this.#process.once('error', () => {
        this.#lost();
        resolve();
      });
    });
    this.#process.on('message', (message: Message) => this.#receive(message));
  }

  /** Resolves when it is over, in whatever way. */
  get ended(): Promise<void> {
    return this.#ended;
  }

  /** Yields the pid. */
  async start(spec: ProgramSpec): Promise<number> {
    const pid = await this.#ask({ type: 'start', spec });
    if (pid === undefined) throw new Error(`${spec.name} has no process id`);
    return pid;
  }

  async signal(name: string, signal: NodeJS.Signals): Promise<void> {
    await this.#ask({ type: 'signal', name, signal });
  }

  /**
   * Ends every program, the highest layer first, each at most `graceMs` milliseconds after SIGTERM, removes the
   * directory and ends the supervisor. Later calls wait for the same end.
   */
  async shutdown(graceMs: number): Promise<void> {
    this.#shutdown ??= this.#end(graceMs);
    await this.#shutdown;
  }

  async #end(graceMs: number): Promise<void> {
    try {
      await this.#ask({ type: 'shutdown', graceMs });
    } catch {
      // The supervisor was killed: what it leaves is dealt with when its end is noticed.
    }
    if (this.#process.connected) this.#process.disconnect();
    await this.#ended;
  }

  async #ask(command: Command): Promise<number | undefined> {
    if (this.#over) throw new Error('the control plane has ended');
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#process.send({ id, command }, (error) => {
        if (error !== null && this.#pending.delete(id)) reject(error);
      });
    });
  }

  #receive(message: Message): void {
    if (message.type === 'exit') {
      this.#onExit(message.exit);
      return;
    }
    const pending = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    if (message.type === 'done') pending?.resolve(message.pid);
    else pending?.reject(new Error(message.message));
  }

  #lost(): void {
    this.#over = true;
    // Does nothing after an orderly end. After the supervisor's own violent one, the programs are orphans.
    endAbandoned(this.#directory);
    for (const { reject } of this.#pending.values())
      reject(new Error('the supervisor of the control plane has ended'));
    this.#pending.clear();
  }
}
