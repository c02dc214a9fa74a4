import { CommanderError, type Command } from 'commander';
import { refuseInOneLine } from '@atoll/kube/command-line';
import { complete } from '../completion/complete.ts';
import { completeWord } from '../completion/completion-command.ts';
import { failureText } from './failure-text.ts';
import { optionsBelow, wordsForCommander } from './flags-before-command.ts';

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

/** Runs a program and yields its exit code: 0 done, 1 failed, 2 the command line is wrong, 130 interrupted. Never rejects. */
export async function runProgram(
  { argv, env, stdout, stderr }: Surroundings,
  create: (context: CommandContext) => Command,
): Promise<number> {
  const ending = new AbortController();
  const interrupt = (): void => ending.abort();
  process.once('SIGINT', interrupt);
  process.once('SIGTERM', interrupt);
  // Whoever read the output is gone (`| head`); or it cannot be written, as to a full disk.
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    process.stderr.write(`error: the output cannot be written: ${error.message}\n`);
    process.exit(1);
  });
  const print = (text: string): void => void stdout.write(`${text}\n`);
  const note = (text: string): void => void stderr.write(`${text}\n`);
  try {
    const context = { env, print, note, signal: ending.signal };
    const program = governed(create(context), { stdout, stderr });
    refuseInOneLine(program);
    const [, , first, ...line] = argv;
    if (first === completeWord) await complete(program, line, context);
    else await program.parseAsync([...asCommander(program, argv)]);
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

/** The spellings of kubectl's flags that commander has not: `-n=ns`, `-o=json`, `--watch=true`, `-A=false`; and flags before the command. */
function asCommander(program: Command, argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  const [[node = '', script = '', ...line], rest] =
    end < 0 ? [argv, []] : [argv.slice(0, end), argv.slice(end)];
  const switches = switchesOf(program);
  const spelt = line.flatMap((word) => {
    const [, flag = '', value = ''] = /^(--?[A-Za-z][-A-Za-z]*)=(.*)$/s.exec(word) ?? [];
    if (switches.has(flag)) return value === 'true' ? [flag] : value === 'false' ? [] : [word];
    return /^-[A-Za-z]$/.test(flag) ? [flag, value] : [word];
  });
  return [node, script, ...wordsForCommander(program, spelt), ...rest];
}

function switchesOf(command: Command): ReadonlySet<string> {
  const switches = optionsBelow(command).filter((each) => each.isBoolean());
  return new Set(switches.flatMap(({ short, long }) => [short, long]).filter((each) => each !== undefined));
}

/** A program and all of its commands: they print to these streams, and throw instead of ending the process. */
function governed(command: Command, { stdout, stderr }: Pick<Surroundings, 'stdout' | 'stderr'>): Command {
  command.exitOverride().configureOutput({
    writeOut: (text) => void stdout.write(text),
    writeErr: (text) => void stderr.write(text),
  });
  for (const each of command.commands) governed(each, { stdout, stderr });
  return command;
}
