import type { Command, Option } from 'commander';
import { flagsBehindCommand, optionsBelow, takesValue } from '../program/flags-before-command.ts';
import { asCommanderSpells } from '../program/kubectl-spelling.ts';
import { isObjectArgument, type ObjectArgument } from './object-argument.ts';

/** What may come next on a command line. */
export interface NextWords {
  /** The command that the words so far name. */
  readonly command: Command;
  /** The words after its name. */
  readonly given: readonly string[];
  readonly words: readonly string[];
  /** The name of an object of this kind may come next. */
  readonly kind: ObjectArgument['kind'] | undefined;
}

/** Reads the words of a command line; the last one is being written, and may be empty. */
export function nextWords(program: Command, line: readonly string[]): NextWords {
  const current = line.at(-1) ?? '';
  let command = program;
  let given: readonly string[] = [];
  let operands = 0;
  let valueOf: Option | undefined;
  const before = asCommanderSpells(program, line.slice(0, -1));
  for (const word of flagsBehindCommand(program, before)) {
    if (valueOf === undefined && !word.startsWith('-')) {
      const next = command.commands.find((each) => each.name() === word);
      if (next !== undefined) {
        [command, given, operands] = [next, [], 0];
        continue;
      }
      operands += 1;
    }
    valueOf = valueOf === undefined ? optionWithValue(command, word) : undefined;
    given = [...given, word];
  }
  const among = (all: readonly string[]): readonly string[] => all.filter((each) => each.startsWith(current));
  const next = { command, given };
  if (valueOf !== undefined) return { ...next, words: among(valueOf.argChoices ?? []), kind: undefined };
  if (current.startsWith('-')) {
    const flags = command.options.flatMap(({ long, hidden }) => (hidden ? [] : (long ?? [])));
    return { ...next, words: among([...flags, '--help']), kind: undefined };
  }
  const argument = command.registeredArguments[operands];
  const names = command.commands.map((each) => each.name());
  return {
    ...next,
    words: among([...names, ...(argument?.argChoices ?? [])]),
    kind: argument !== undefined && isObjectArgument(argument) ? argument.kind : undefined,
  };
}

/** The flag that the word is, where its value is the next word. */
function optionWithValue(command: Command, word: string): Option | undefined {
  return optionsBelow(command).find(
    (option) => takesValue(option) && (option.long === word || option.short === word),
  );
}
