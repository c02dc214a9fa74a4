import { Command } from 'commander';
import { runProgram, throwing, type CommandContext, type Surroundings } from '../program/run-program.ts';
import { canaryCommand } from './canary.ts';
import { completionCommand } from './completion.ts';
import { diffCommand } from './diff.ts';
import { getCommand, getReplicaSetsCommand } from './get.ts';
import { podsCommand } from './pods.ts';
import { rollingCommands } from './rolling.ts';

/** `kubectl eds`. */
export async function runKubectlEds(surroundings: Surroundings): Promise<number> {
  return runProgram(surroundings, (context) => {
    const { stdout, stderr } = surroundings;
    const program = new Command('kubectl-eds')
      .usage('[subcommand] [flags]')
      .description('Looks at ExtendedDaemonSets and decides about their canaries and rollouts.')
      .addHelpText('after', '\nExit codes: 0 done, 1 failed, 2 the command line is wrong, 130 interrupted.')
      .showHelpAfterError('(--help shows what is allowed)')
      .configureOutput({
        writeOut: (text) => void stdout.write(text),
        writeErr: (text) => void stderr.write(text),
      });
    for (const command of edsCommands(context)) program.addCommand(command.copyInheritedSettings(program));
    program.addCommand(completionCommand(program, context));
    return throwing(program);
  });
}

/** Its commands, for this program and for others that have them too. */
export function edsCommands(context: CommandContext): readonly Command[] {
  return [
    getCommand(context),
    getReplicaSetsCommand(context),
    podsCommand(context),
    canaryCommand(context),
    ...rollingCommands(context),
    diffCommand(context),
  ];
}
