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
  /** What of the word that is being written stands before what is completed: `--output=`. */
  readonly prefix: string;
  /** Without the prefix. */
  readonly words: readonly string[];
  /** The name of an object of this kind may come next. */
  readonly kind: ObjectArgument['kind'] | undefined;
  /** A file may come next. */
  readonly isFile: boolean;
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
  const next = { command, given, prefix: '', kind: undefined, isFile: false };
  const [, flag = '', begun = ''] = /^(-[^=]+)=(.*)$/s.exec(current) ?? [];
  const option = valueOf ?? optionWithValue(command, flag.startsWith('--') ? flag : `-${flag.slice(-1)}`);
  if (option !== undefined) {
    const prefix = valueOf === undefined ? `${flag}=` : '';
    const words = beginning(valueOf === undefined ? begun : current, option.argChoices ?? []);
    return { ...next, prefix, words, isFile: /<(file|folder)>$/.test(option.flags) };
  }
  if (current.startsWith('-')) {
    const flags = command.options.flatMap(({ long, hidden }) => (hidden ? [] : (long ?? [])));
    return { ...next, words: beginning(current, [...flags, '--help']) };
  }
  const argument = command.registeredArguments[operands];
  // Behind a word that is no command none follows.
  const names = operands > 0 ? [] : command.commands.map((each) => each.name());
  return {
    ...next,
    words: beginning(current, [...names, ...(argument?.argChoices ?? [])]),
    kind: argument !== undefined && isObjectArgument(argument) ? argument.kind : undefined,
  };
}

function beginning(current: string, all: readonly string[]): readonly string[] {
  return all.filter((each) => each.startsWith(current));
}

/** The flag that the word is, where its value is the next word. */
function optionWithValue(command: Command, word: string): Option | undefined {
  return optionsBelow(command).find(
    (option) => takesValue(option) && (option.long === word || option.short === word),
  );
}
