import { CommanderError } from 'commander';
import { CommandFailure, exitCodes } from './command-failure.ts';
import { createProgram, type CommandContext } from './program.ts';

/** Runs `atoll-testbed` with these arguments; yields its exit code. Never rejects. */
export async function runCommand(context: CommandContext): Promise<number> {
  try {
    await createProgram(context).parseAsync(context.args, { from: 'user' });
    return 0;
  } catch (error) {
    // Commander has printed what was wrong already; help ends with 0.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodes.usage;
    if (context.signal.aborted && !(error instanceof CommandFailure)) {
      context.streams.err.write('atoll-testbed: interrupted\n');
      return exitCodes.interrupted;
    }
    const message = error instanceof Error ? error.message : String(error);
    if (message !== '') context.streams.err.write(`atoll-testbed: ${message}\n`);
    return error instanceof CommandFailure ? error.exitCode : exitCodes.failed;
  }
}
