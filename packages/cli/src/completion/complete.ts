import type { Command } from 'commander';
import { connect } from '../program/connection.ts';
import type { CommandContext } from '../program/run-program.ts';
import { nextWords, type NextWords } from './next-words.ts';

/** So long a person waits for names at most; without them the rest is completed. */
const patience = '2s';

/** Cobra's `ShellCompDirectiveNoFileComp`, which kubectl reads: what comes next is no file. */
const noFiles = ':4';

/** Prints what may come next, one in each line, and then what kubectl wants to know. */
export async function complete(
  program: Command,
  line: readonly string[],
  context: CommandContext,
): Promise<void> {
  const next = nextWords(program, line);
  const names = await namesOf(next, context).catch(() => []);
  const current = line.at(-1) ?? '';
  const found = [...next.words, ...names.filter((name) => name.startsWith(current))];
  context.print([...found, noFiles].join('\n'));
}

async function namesOf(
  { command, given, kind }: NextWords,
  context: CommandContext,
): Promise<readonly string[]> {
  if (kind === undefined) return [];
  command.parseOptions([...given]);
  command.setOptionValue('requestTimeout', patience);
  await using connection = await connect(command, context);
  const { client, namespace } = connection;
  const { items } = await client.list(await kind(), { namespace });
  return items.map(({ metadata }) => metadata.name).sort();
}
