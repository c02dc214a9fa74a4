import { CommanderError, type Command } from 'commander';
import { refuseInOneLine, visible } from '@atoll/kube/command-line';
import { complete, completeLine, completeLineWord, completeWord } from '../completion/complete.ts';
import { failureText } from './failure-text.ts';
import { wordsForCommander } from './flags-before-command.ts';
import { asCommanderSpells } from './kubectl-spelling.ts';

/** What a command sees of its process. */
export interface Surroundings {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
}

/** What an action is given. */
export interface CommandContext {
  readonly env: Surroundings['env'];
  readonly print: (text: string) => void;
  /** For what is no result: hints and progress. */
  readonly note: (text: string) => void;
  /** Ends at Ctrl-C or SIGTERM. */
  readonly signal: AbortSignal;
}

/** What a program is for. */
export interface Purpose {
  /** The output, by default: where nobody reads it any more the program is done. Otherwise the exit code. */
  readonly isOutput?: boolean;
}

/** Runs a program and yields its exit code: 0 done, 1 failed, 2 the command line is wrong, 130 interrupted. Never rejects. */
export async function runProgram(
  { argv, env, stdout, stderr }: Surroundings,
  create: (context: CommandContext) => Command,
  { isOutput = true }: Purpose = {},
): Promise<number> {
  const ending = new AbortController();
  const interrupt = (): void => ending.abort();
  process.once('SIGINT', interrupt);
  process.once('SIGTERM', interrupt);
  // Whoever read the output is gone (`| head`); or it cannot be written, as to a full disk.
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') {
      if (isOutput) process.exit(0);
      return;
    }
    process.stderr.write(`error: the output cannot be written: ${error.message}\n`);
    process.exit(1);
  });
  // A hint that nobody reads, or that cannot be written, is no reason to end.
  stderr.on('error', () => undefined);
  const print = (text: string): void => void stdout.write(`${visible(text)}\n`);
  const note = (text: string): void => void stderr.write(`${visible(text)}\n`);
  try {
    const context = { env, print, note, signal: ending.signal };
    const program = governed(create(context), { stdout, stderr });
    refuseInOneLine(program);
    const [node = '', script = '', ...words] = argv;
    const [first, ...line] = words;
    if (first === completeWord) await complete(program, line, context);
    else if (first === completeLineWord) await completeLine(program, line, context);
    else {
      const spelt = asCommanderSpells(program, words, (why) => program.error(why));
      await program.parseAsync([node, script, ...wordsForCommander(program, spelt)]);
    }
    // A command that watches returns when it is interrupted; for the shell it ended as kubectl does.
    return ending.signal.aborted ? 130 : 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (ending.signal.aborted) return 130;
    note(`error: ${await failureText(error)}`);
    return 1;
  } finally {
    process.off('SIGINT', interrupt);
    process.off('SIGTERM', interrupt);
  }
}

/** A program and all of its commands: they print to these streams, and throw instead of ending the process. */
function governed(command: Command, { stdout, stderr }: Pick<Surroundings, 'stdout' | 'stderr'>): Command {
  command.exitOverride().configureOutput({
    writeOut: (text) => void stdout.write(text),
    writeErr: (text) => void stderr.write(visible(text)),
  });
  for (const each of command.commands) governed(each, { stdout, stderr });
  return command;
}
