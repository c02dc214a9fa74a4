import { Argument, Command } from 'commander';
import type { CommandContext } from '../program/run-program.ts';

/** The hidden command that answers with what may come next. Its name and its answer are those that kubectl asks plugins for. */
export const completeWord = '__complete';

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
    COMPREPLY+=("$word")
  done < <(${name} ${completeWord} "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | grep -v '^:')
}
complete -o default -F _${identifier(name)} ${name}`,
  zsh: (name) => `#compdef ${name}
_${identifier(name)}() {
  local -a found
  found=("\${(@f)$(${name} ${completeWord} "\${(@)words[2,CURRENT]}" 2>/dev/null | grep -v '^:')}")
  compadd -a found
}
compdef _${identifier(name)} ${name}`,
  fish: (name) =>
    `complete -c ${name} -f -a '(${name} ${completeWord} (commandline -opc)[2..] (commandline -ct) 2>/dev/null | string match -v ":*")'`,
  kubectl: (name) => `#!/bin/sh\nexec ${name} ${completeWord} "$@"`,
};

function identifier(name: string): string {
  return name.replaceAll('-', '_');
}
