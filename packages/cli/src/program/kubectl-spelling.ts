import type { Command } from 'commander';
import { optionsBelow } from './flags-before-command.ts';

/** The words in the spelling of commander, which has not all of kubectl's: `-n=ns`, `-o=json`, `--watch=true`, `-A=false`. */
export function asCommanderSpells(program: Command, words: readonly string[]): readonly string[] {
  const end = words.indexOf('--');
  const [line, rest] = end < 0 ? [words, []] : [words.slice(0, end), words.slice(end)];
  const switches = switchesOf(program);
  const spelt = line.flatMap((word) => {
    const [, flag = '', value = ''] = /^(--?[A-Za-z][-A-Za-z]*)=(.*)$/s.exec(word) ?? [];
    if (switches.has(flag)) return value === 'true' ? [flag] : value === 'false' ? [] : [word];
    return /^-[A-Za-z]$/.test(flag) ? [flag, value] : [word];
  });
  return [...spelt, ...rest];
}

function switchesOf(command: Command): ReadonlySet<string> {
  const switches = optionsBelow(command).filter((each) => each.isBoolean());
  return new Set(switches.flatMap(({ short, long }) => [short, long]).filter((each) => each !== undefined));
}
