import type { Command, Option } from 'commander';

/**
 * The words with the flags of a command behind its name, where commander looks for them: kubectl and its plugins take them before it too
 * (`-n edge canary pause agent`). What is no flag of any command stays first, so that it is what is refused.
 */
export function flagsBehindCommand(program: Command, words: readonly string[]): readonly string[] {
  let command: Command | undefined = program;
  const path: string[] = [];
  const flags: string[] = [];
  let at = 0;
  while (command !== undefined && command.commands.length > 0 && at < words.length) {
    const word = words[at] ?? '';
    if (!word.startsWith('-')) {
      path.push(word);
      at += 1;
      command = command.commands.find((each) => each.name() === word);
      continue;
    }
    const length = lengthOf(word, optionsBelow(command));
    if (length === 0) return [...path, ...words.slice(at), ...flags];
    flags.push(...words.slice(at, at + length));
    at += length;
  }
  return [...path, ...flags, ...words.slice(at)];
}

/** The options of a command, and of all commands below it. */
export function optionsBelow(command: Command): readonly Option[] {
  return [...command.options, ...command.commands.flatMap((each) => optionsBelow(each))];
}

/** How many words the flag is with its value; 0: it is none of these options. */
function lengthOf(word: string, options: readonly Option[]): number {
  if (word.startsWith('--')) {
    const [name, value] = word.split('=', 2);
    const option = options.find(({ long }) => long === name);
    if (option === undefined) return 0;
    return takesValue(option) && value === undefined ? 2 : 1;
  }
  // `-A`, `-n edge`, `-nedge`, `-wA`.
  for (let index = 1; index < word.length; index += 1) {
    const option = options.find(({ short }) => short === `-${word.charAt(index)}`);
    if (option === undefined) return 0;
    if (takesValue(option)) return index === word.length - 1 ? 2 : 1;
  }
  return word.length > 1 ? 1 : 0;
}

/** Whether the next word is the value of the option, where the flag itself has none. */
export function takesValue({ required, optional }: Option): boolean {
  return required || optional;
}
