import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
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
  readonly #process: ChildProcess;
  readonly #pending = new Map<number, Pending>();
  readonly #onExit: (exit: Exit) => void;
  #nextId = 1;
  #ended = false;

  constructor(directory: string, onExit: (exit: Exit) => void) {
    const start: SupervisorStart = { directory };
    this.#onExit = onExit;
    this.#process = fork(fileURLToPath(new URL('./main.ts', import.meta.url)), [JSON.stringify(start)], {
      // A session of its own: Ctrl-C in the terminal reaches the parent only, which then ends the plane in order.
      detached: true,
      execArgv: [],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.#process.on('message', (message: Message) => this.#receive(message));
    this.#process.on('exit', () => this.#lost());
    this.#process.on('error', () => this.#lost());
  }

  get pid(): number | undefined {
    return this.#process.pid;
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

  /** Ends every program, the highest layer first, each at most `graceMs` after SIGTERM; then the supervisor ends. */
  async shutdown(graceMs: number): Promise<void> {
    if (this.#ended) return;
    await this.#ask({ type: 'shutdown', graceMs });
    const gone = new Promise<void>((resolve) => this.#process.once('exit', () => resolve()));
    if (this.#process.connected) this.#process.disconnect();
    if (!this.#ended) await gone;
  }

  async #ask(command: Command): Promise<number | undefined> {
    if (this.#ended) throw new Error('the control plane has ended');
    const id = this.#nextId++;
    return await new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#process.send({ id, command });
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
    this.#ended = true;
    for (const { reject } of this.#pending.values())
      reject(new Error('the supervisor of the control plane has ended'));
    this.#pending.clear();
  }
}
