import type { Command, Option } from 'commander';

/**
 * The words with the flags of a command behind its name, where commander looks for them: kubectl and its plugins take them before it too
 * (`-n edge canary pause agent`). An unknown flag stays first, so that it is the one that is refused.
 */
export function flagsBehindCommand(program: Command, words: readonly string[]): readonly string[] {
  const { path, flags, rest } = read(program, words);
  return [...path, ...flags, ...rest];
}

/**
 * The same for commander, which shows what commands there are only where nothing is given: flags of commands, of which none is named, are left out. It
 * would refuse them as unknown. `help` shows a command of any depth, whatever flags stand beside it.
 */
export function wordsForCommander(program: Command, words: readonly string[]): readonly string[] {
  const { path, flags, rest, namesNone, asksForHelp } = read(program, words);
  if (asksForHelp) return [...path, '--help'];
  const taken = namesNone ? flags.filter((word) => hasOption(program, word)) : flags;
  return [...path, ...taken, ...rest];
}

interface CommandLine {
  /** The names of commands. */
  readonly path: readonly string[];
  /** What stood before or between them, with values. */
  readonly flags: readonly string[];
  readonly rest: readonly string[];
  /** The words end where the name of a command would follow. */
  readonly namesNone: boolean;
  /** `help` stands where the name of a command would, and what follows names one. */
  readonly asksForHelp: boolean;
}

function read(program: Command, words: readonly string[]): CommandLine {
  let command: Command | undefined = program;
  const path: string[] = [];
  const flags: string[] = [];
  let at = 0;
  let asksForHelp = false;
  while (command !== undefined && command.commands.length > 0) {
    const word = words[at];
    if (word === undefined) return { path, flags, rest: [], namesNone: true, asksForHelp };
    if (word === '--') break;
    if (!word.startsWith('-')) {
      at += 1;
      if (word === 'help') {
        asksForHelp = true;
        continue;
      }
      path.push(word);
      command = command.commands.find((each) => each.name() === word);
      continue;
    }
    const length = lengthOf(word, optionsBelow(command));
    if (length === 0) {
      const rest = [...words.slice(at), ...flags];
      return { path, flags: [], rest, namesNone: false, asksForHelp: false };
    }
    flags.push(...words.slice(at, at + length));
    at += length;
  }
  // Where there is no such command, that is the answer.
  return {
    path,
    flags,
    rest: words.slice(at),
    namesNone: false,
    asksForHelp: asksForHelp && command !== undefined,
  };
}

function hasOption({ options }: Command, word: string): boolean {
  return options.some(({ short, long }) => short === word || long === word);
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
