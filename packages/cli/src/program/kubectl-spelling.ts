import type { Command, Option } from 'commander';
import { optionsBelow, takesValue } from './flags-before-command.ts';

/**
 * The words in the spelling of commander, which has not all of kubectl's: `-n=ns`, `-wn=ns`, `-o=json`, `--watch=true`, `-A=F`. `refuse` is told of
 * a switch whose value is neither yes nor no.
 */
export function asCommanderSpells(
  program: Command,
  words: readonly string[],
  refuse: (why: string) => void = () => undefined,
): readonly string[] {
  const options = optionsBelow(program);
  let spelt: readonly Spelt[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (word === '--') return [...spelt.flatMap((each) => each.words), ...words.slice(at)];
    const flags = word.startsWith('--') ? longFlag(word, options) : shortFlags(word, options);
    for (const flag of flags ?? [{ words: [word] }]) {
      if (flag.wrong !== undefined) refuse(flag.wrong);
      // What is switched off was perhaps switched on before: the last word counts.
      if (flag.off !== undefined) spelt = spelt.filter((each) => each.on !== flag.off);
      spelt = [...spelt, flag];
    }
    // The next word is a value, whatever it looks like.
    if (flags?.at(-1)?.wantsValue === true) spelt = [...spelt, { words: words.slice((at += 1), at + 1) }];
  }
  return spelt.flatMap((each) => each.words);
}

/** A flag, or a word that is none. */
interface Spelt {
  readonly words: readonly string[];
  /** The switch that it turns on, or off, by its long name. */
  readonly on?: string | undefined;
  readonly off?: string | undefined;
  readonly wantsValue?: boolean;
  /** Why it is refused. */
  readonly wrong?: string;
}

/** undefined: it is none of the options. */
function longFlag(word: string, options: readonly Option[]): readonly Spelt[] | undefined {
  const [, name, value] = /^(--[^=]+)(?:=(.*))?$/s.exec(word) ?? [];
  const option = options.find(({ long }) => long === name);
  if (option === undefined) return undefined;
  if (takesValue(option)) return [{ words: [word], wantsValue: value === undefined }];
  return [switched(option, value)];
}

/** The flags of `-wn=ns`, each as a word of its own. undefined: not all of them are options. */
function shortFlags(word: string, options: readonly Option[]): readonly Spelt[] | undefined {
  if (!word.startsWith('-')) return undefined;
  const flags: Spelt[] = [];
  for (let at = 1; at < word.length; at += 1) {
    const flag = `-${word.charAt(at)}`;
    const option = options.find(({ short }) => short === flag);
    if (option === undefined) return undefined;
    const rest = word.slice(at + 1);
    if (takesValue(option))
      return [
        ...flags,
        rest === '' ? { words: [flag], wantsValue: true } : { words: [flag, rest.replace(/^=/, '')] },
      ];
    if (rest.startsWith('=')) return [...flags, switched(option, rest.slice(1))];
    flags.push(switched(option, undefined));
  }
  return flags.length === 0 ? undefined : flags;
}

/** The words for which Go's `strconv.ParseBool` says yes, and no. */
const yes: ReadonlySet<string> = new Set(['1', 't', 'T', 'TRUE', 'true', 'True']);
const no: ReadonlySet<string> = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False']);

/** Commander knows no switch that has a value. */
function switched({ long, short, flags }: Option, value: string | undefined): Spelt {
  const name = long ?? short ?? '';
  if (value === undefined || yes.has(value)) return { words: [name], on: name };
  if (no.has(value)) return { words: [], off: name };
  return {
    words: [],
    wrong: `error: invalid argument ${JSON.stringify(value)} for "${flags}". Allowed is true or false`,
  };
}
