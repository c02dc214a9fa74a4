import { Argument, Command } from 'commander';
import type { CommandContext } from '../program/run-program.ts';
import { completeLineWord, completeWord } from './complete.ts';

const shells = ['bash', 'zsh', 'fish', 'kubectl'] as const;

/** Prints the script by which a shell asks a program for what may come next. */
export function completionCommand(program: Command, context: CommandContext): Command {
  const name = program.name();
  const plugin = name.replace(/^kubectl-/, '');
  return new Command('completion')
    .description(`print the completion script of a shell: source <(${name} completion bash)`)
    .addArgument(new Argument('<shell>').choices(shells))
    .addHelpText(
      'after',
      `\nkubectl itself completes "kubectl ${plugin}" where an executable kubectl_complete-${plugin} is on the PATH:` +
        `\n  ${name} completion kubectl > kubectl_complete-${plugin} && chmod +x kubectl_complete-${plugin}`,
    )
    .action((shell: (typeof shells)[number]) => context.print(scripts[shell](name)));
}

/** Names come from an API server: no shell may expand them, as `compgen -W` does. */
const scripts: Readonly<Record<(typeof shells)[number], (name: string) => string>> = {
  bash: (name) => `_${identifier(name)}() {
  local word
  COMPREPLY=()
  while IFS= read -r word; do
    case $word in
      :4) compopt +o default 2>/dev/null ;;
      :*) ;;
      *) COMPREPLY+=("$word") ;;
    esac
  done < <(${name} ${completeLineWord} "$COMP_WORDBREAKS" "\${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
}
complete -o default -F _${identifier(name)} ${name}`,
  zsh: (name) => `#compdef ${name}
_${identifier(name)}() {
  local -a answer found
  answer=("\${(@f)$(${name} ${completeWord} "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)}")
  found=("\${(@)answer[1,-2]}")
  compset -P '-*='
  if (( $#found )); then
    compadd -a found
  elif [[ $answer[-1] == :0 ]]; then
    _files
  fi
}
# As a file of $fpath it runs when it is needed first.
if [[ $funcstack[1] == _${name.replaceAll('-', '[-_]')} ]]; then _${identifier(name)}; else compdef _${identifier(name)} ${name}; fi`,
  fish: (name) => `function __${identifier(name)}
  set -l token (commandline -ct)
  set -l prefix (string match -r -- '^-[^=]*=' "$token")
  set -l answer (${name} ${completeWord} (commandline -opc)[2..] "$token" 2>/dev/null)
  if test "$answer[-1]" = :0
    set -a answer (__fish_complete_path (string replace -r -- '^-[^=]*=' '' "$token"))
  end
  for word in (string match -v -- ':*' $answer)
    echo -- "$prefix$word"
  end
end
complete -c ${name} -f -a '(__${identifier(name)})'`,
  kubectl: (name) => `#!/bin/sh\nexec ${name} ${completeWord} "$@"`,
};

function identifier(name: string): string {
  return name.replaceAll('-', '_');
}
