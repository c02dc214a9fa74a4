import type { Command } from 'commander';
import { connect } from '../program/connection.ts';
import type { CommandContext } from '../program/run-program.ts';
import { readBashLine } from './bash-line.ts';
import { nextWords, type NextWords } from './next-words.ts';

/** The hidden command that answers with what may come next. Its name and its answer are those that kubectl asks plugins for. */
export const completeWord = '__complete';

/** The same for bash, which asks with `$COMP_WORDBREAKS` and the line up to the cursor. */
export const completeLineWord = '__complete-line';

/** So long a person waits for names at most; without them the rest is completed. */
const patience = '2s';

/** Cobra's `ShellCompDirectiveDefault` and `ShellCompDirectiveNoFileComp`, which kubectl reads: whether a file may come next. */
const directives = { files: ':0', noFiles: ':4' } as const;

/** Prints what may come next behind these words, one in each line, and then what kubectl wants to know. */
export async function complete(
  program: Command,
  words: readonly string[],
  context: CommandContext,
): Promise<void> {
  const next = nextWords(program, words);
  context.print([...(await allWords(next, words, context)), directiveOf(next)].join('\n'));
}

/** Prints what bash is to put behind what it keeps. */
export async function completeLine(
  program: Command,
  [breaks = '', line = '']: readonly string[],
  context: CommandContext,
): Promise<void> {
  const { words, kept } = readBashLine(line, breaks);
  const next = nextWords(program, words.slice(1));
  const whole = (await allWords(next, words, context)).map((word) => `${next.prefix}${word}`);
  const found = whole.filter((word) => word.startsWith(kept)).map((word) => word.slice(kept.length));
  context.print([...found, directiveOf(next)].join('\n'));
}

function directiveOf({ isFile }: NextWords): string {
  return isFile ? directives.files : directives.noFiles;
}

async function allWords(
  next: NextWords,
  words: readonly string[],
  context: CommandContext,
): Promise<readonly string[]> {
  const names = await namesOf(next, context).catch(() => []);
  const current = words.at(-1) ?? '';
  return [...next.words, ...names.filter((name) => name.startsWith(current))];
}

async function namesOf(
  { command, given, kind }: NextWords,
  context: CommandContext,
): Promise<readonly string[]> {
  if (kind === undefined) return [];
  command.parseOptions([...given]);
  command.setOptionValue('requestTimeout', patience);
  await using connection = await connect(command, context, false);
  const { client, namespace } = connection;
  const { items } = await client.list(await kind(), { namespace });
  // A shell may run what stands in a name that no real API server gives.
  return items
    .map(({ metadata }) => metadata.name)
    .filter((name) => /^[a-z0-9][-.a-z0-9]*$/.test(name))
    .sort();
}
