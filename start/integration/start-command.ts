import { programFile } from '../../scripts/build/program-file.ts';
import { WatchedCommand } from '../../scripts/integration/watched-command.ts';

export interface StartOptions {
  readonly environment?: Readonly<Record<string, string>>;
  /** Through `scripts/run.mjs`, as `npm start` does, or `start/main.ts` itself. Default: as `npm start` does. */
  readonly direct?: boolean;
}

/** `npm start -- …`. */
export class StartCommand extends WatchedCommand {
  constructor(args: readonly string[], { environment = {}, direct = false }: StartOptions = {}) {
    super([...(direct ? [] : ['scripts/run.mjs']), 'start/main.ts', ...args], environment);
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
}
