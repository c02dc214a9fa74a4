import { Command } from 'commander';
import packageJson from '../../package.json' with { type: 'json' };
import { completionCommand } from '../completion/completion-command.ts';
import { runProgram, type CommandContext, type Surroundings } from '../program/run-program.ts';
import { canaryCommand } from './canary.ts';
import { diffCommand } from './diff.ts';
import { getCommand, getReplicaSetsCommand } from './get.ts';
import { podsCommand } from './pods.ts';
import { rollingCommands } from './rolling.ts';

/** `kubectl eds`. */
export async function runKubectlEds(surroundings: Surroundings): Promise<number> {
  return runProgram(surroundings, kubectlEds);
}

export function kubectlEds(context: CommandContext): Command {
  const program = new Command('kubectl-eds')
    .version(packageJson.version)
    .usage('[subcommand] [flags]')
    .description('Looks at ExtendedDaemonSets and decides about their canaries and rollouts.')
    .addHelpText('after', '\nExit codes: 0 done, 1 failed, 2 the command line is wrong, 130 interrupted.');
  for (const command of edsCommands(context)) program.addCommand(command);
  program.addCommand(completionCommand(program, context));
  return program;
}

/** Its commands, for this program and for others that have them too. */
function edsCommands(context: CommandContext): readonly Command[] {
  return [
    getCommand(context),
    getReplicaSetsCommand(context),
    podsCommand(context),
    canaryCommand(context),
    ...rollingCommands(context),
    diffCommand(context),
  ];
}
