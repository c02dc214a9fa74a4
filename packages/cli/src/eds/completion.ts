import { Argument, Command } from 'commander';
import type { CommandContext } from '../program/run-program.ts';

const shells = ['bash', 'zsh', 'fish'] as const;

/** Prints a script that completes the names of commands and flags. */
export function completionCommand(program: Command, context: CommandContext): Command {
  return new Command('completion')
    .description('print the completion script of a shell: source <(kubectl-eds completion bash)')
    .addArgument(new Argument('<shell>').choices(shells))
    .action((shell: (typeof shells)[number]) => context.print(scripts[shell](wordsOf(program))));
}

/** After which words which words may follow: `` for the program itself, `canary` for its sub-commands. */
type Words = ReadonlyMap<string, readonly string[]>;

function wordsOf(program: Command): Words {
  const words = new Map<string, readonly string[]>();
  const add = (path: readonly string[], command: Command): void => {
    const flags = command.options.flatMap(({ long }) => long ?? []);
    words.set(path.join(' '), [...command.commands.map((each) => each.name()), ...flags, '--help']);
    for (const each of command.commands) add([...path, each.name()], each);
  };
  add([], program);
  return words;
}

const scripts: Readonly<Record<(typeof shells)[number], (words: Words) => string>> = {
  bash: (words) => `_kubectl_eds() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${path:+$path }$word" in ${[...words.keys()]
      .filter((path) => path !== '')
      .map((path) => `"${path}"`)
      .join('|')}) path="\${path:+$path }$word" ;; esac
  done
  case "$path" in
${[...words].map(([path, next]) => `    "${path}") COMPREPLY=($(compgen -W "${next.join(' ')}" -- "$current")) ;;`).join('\n')}
  esac
}
complete -F _kubectl_eds kubectl-eds`,
  zsh: (words) => `autoload -U +X bashcompinit && bashcompinit\n${scripts.bash(words)}`,
  fish: (words) =>
    [...words]
      .flatMap(([path, next]) => {
        const seen =
          path === '' ? '__fish_use_subcommand' : `__fish_seen_subcommand_from ${path.split(' ').at(-1)}`;
        return next.map((word) =>
          word.startsWith('--')
            ? `complete -c kubectl-eds -n '${seen}' -l ${word.slice(2)}`
            : `complete -c kubectl-eds -f -n '${seen}' -a ${word}`,
        );
      })
      .join('\n'),
};
