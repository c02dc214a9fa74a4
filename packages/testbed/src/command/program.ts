import { Command, Option } from 'commander';
import { refuseInOneLine } from '@atoll/kube/command-line';
import packageJson from '../../package.json' with { type: 'json' };
import { obtainBinaries } from '../binaries/obtain-binaries.ts';
import { CommandFailure, exitCodes } from './command-failure.ts';
import { detach, reportToParent } from './detach.ts';
import { down } from './down.ts';
import { nodesCommand } from './nodes-command.ts';
import { createOutput, type Output, type Streams } from './output.ts';
import {
  parseCount,
  parseKubeconfig,
  parseName,
  parseNames,
  parsePods,
  parseQuantity,
  parseSeconds,
  parseTaint,
} from './parse-option.ts';
import { controlPlaneNames, type RegisteredControlPlane } from './registered-control-plane.ts';
import { formatStatus, statusOf } from './status.ts';
import { up, type UpOptions } from './up.ts';

export interface CommandContext {
  /** The file that this process runs, to be run once more in the background. */
  readonly script: string;
  readonly args: readonly string[];
  readonly streams: Streams;
  /** Ends at Ctrl-C or SIGTERM. */
  readonly signal: AbortSignal;
}

export function createProgram(context: CommandContext): Command {
  const program = new Command('atoll-testbed');
  program
    .version(packageJson.version)
    .description('A real Kubernetes control plane with simulated nodes, on this machine.')
    .addHelpText(
      'after',
      `
Binaries come from TEST_ASSET_<NAME>, the folder KUBEBUILDER_ASSETS, the cache, a download, or a Go build.

Exit codes: 0 done; 1 failed, or (status) one is broken; 2 wrong usage; 3 (status) nothing is up; 130 interrupted.`,
    )
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.streams.out.write(text),
      writeErr: (text) => context.streams.err.write(text),
    });
  program.addCommand(binariesCommand(context).copyInheritedSettings(program));
  program.addCommand(upCommand(context).copyInheritedSettings(program));
  program.addCommand(downCommand(context).copyInheritedSettings(program));
  program.addCommand(statusCommand(context).copyInheritedSettings(program));
  program.addCommand(nodesCommand(context, program));
  refuseInOneLine(program);
  return program;
}

function jsonOption(): Option {
  return new Option('--json', 'print the result as one line of JSON');
}

function nameOption(): Option {
  return new Option('--name <name>', 'which control plane').default('default').argParser(parseName);
}

function binariesCommand({ streams, signal }: CommandContext): Command {
  return new Command('binaries')
    .description('Obtain the binaries where they are missing, and print their paths.')
    .addOption(jsonOption())
    .action(async ({ json = false }: { json?: boolean }) => {
      const output = createOutput(streams, json);
      const paths = await obtainBinaries({ onProgress: (text) => output.progress(text), signal });
      const lines = Object.entries(paths).map(([name, path]) => `${name.padEnd(24)}${path}`);
      output.result(lines.join('\n'), paths);
    });
}

interface UpFlags extends UpOptions {
  readonly detach?: boolean;
  readonly report?: boolean;
  readonly json?: boolean;
}

function upCommand(context: CommandContext): Command {
  const { streams, signal, script, args } = context;
  return new Command('up')
    .description('Start a control plane and hold it until Ctrl-C; with --detach, until "down".')
    .addOption(nameOption())
    .option('--nodes <n>', 'simulated nodes in all (default: 3, or 3 in each pool)', parseCount)
    .option('--pools <n|names>', 'pools to deal the nodes to', parseNames)
    .option('--zones <n|names>', 'zones to deal the nodes of each pool to (default: 1)', parseNames)
    .option('--taint <key=value:Effect>', 'taint all nodes; may be given again', parseTaint)
    .option('--cpu <quantity>', 'CPUs of a node', parseQuantity, '32')
    .option('--memory <quantity>', 'memory of a node', parseQuantity, '256Gi')
    .option('--pods <n>', 'pods that a node takes', parsePods, '110')
    .addOption(
      new Option('--failure-domains <by>', 'one kwok for each, so that it can be paused by itself').choices([
        'pool',
        'zone',
      ]),
    )
    .option('--node-lease <seconds>', 'duration of node leases (default: 200)', parseSeconds)
    .option('--audit', 'keep an audit log of the API server')
    .option(
      '--kubeconfig <file>',
      'write a kubeconfig there too; removed when the control plane ends',
      parseKubeconfig,
    )
    .option('--lease <seconds>', 'end the control plane by itself after so long', parseSeconds)
    .option('--detach', 'return when it is up, and leave it running')
    .addOption(new Option('--report').hideHelp())
    .addOption(jsonOption())
    .action(async ({ detach: detached, report, json = false, ...options }: UpFlags) => {
      const output = createOutput(streams, json);
      if (report === true) {
        await upForParent(options, signal);
      } else if (detached === true) {
        const others = args.filter((arg) => arg !== '--detach');
        announce(await detach(script, others, output, signal), output, true);
      } else {
        await up(options, output, signal, (controlPlane) => announce(controlPlane, output, false));
      }
    });
}

async function upForParent(options: UpOptions, signal: AbortSignal): Promise<void> {
  const silent: Output = {
    progress: (text) => reportToParent({ type: 'progress', text }),
    note: () => undefined,
    result: () => undefined,
  };
  try {
    await up(options, silent, signal, (controlPlane) => {
      reportToParent({ type: 'ready', controlPlane });
    });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const exitCode = error instanceof CommandFailure ? error.exitCode : exitCodes.failed;
    reportToParent({ type: 'failed', message, exitCode });
    throw error;
  }
}

function announce(controlPlane: RegisteredControlPlane, output: Output, detached: boolean): void {
  const name = controlPlane.name === 'default' ? '' : ` --name ${controlPlane.name}`;
  const end = detached ? `End it with: atoll-testbed down${name}` : 'Ctrl-C ends it.';
  const lease = controlPlane.until === undefined ? '' : ` Its lease ends at ${controlPlane.until}.`;
  output.result(
    `The control plane is up at ${controlPlane.url}\n\n  export KUBECONFIG=${controlPlane.kubeconfig}\n\n${end}${lease}`,
    controlPlane,
  );
}

function downCommand({ streams, signal }: CommandContext): Command {
  return new Command('down')
    .description('End a control plane and remove all that it left. Nothing to end is no error.')
    .addOption(nameOption())
    .option('--all', 'end all control planes that this user has up')
    .addOption(jsonOption())
    .action(async ({ name, all = false, json = false }: { name: string; all?: boolean; json?: boolean }) => {
      const output = createOutput(streams, json);
      const names = all ? controlPlaneNames() : [name];
      const found = await Promise.all(names.map(async (each) => ((await down(each, signal)) ? [each] : [])));
      const ended = found.flat();
      output.result(ended.length === 0 ? 'nothing was up' : `ended ${ended.join(', ')}`, { ended });
    });
}

function statusCommand({ streams, signal }: CommandContext): Command {
  return new Command('status')
    .description('Show which control planes are up (exit code 3: none; 1: one is broken).')
    .addOption(new Option('--name <name>', 'only this one').argParser(parseName))
    .addOption(jsonOption())
    .action(async ({ name, json = false }: { name?: string; json?: boolean }) => {
      const output = createOutput(streams, json);
      const names = controlPlaneNames().filter((each) => name === undefined || each === name);
      const controlPlanes = await Promise.all(names.map(async (each) => statusOf(each, signal)));
      output.result(
        controlPlanes.length === 0 ? 'no control plane is up' : controlPlanes.map(formatStatus).join('\n\n'),
        controlPlanes,
      );
      // The result shows it.
      if (controlPlanes.length === 0) throw new CommandFailure('', exitCodes.notUp);
      if (controlPlanes.some(({ state }) => state === 'Broken'))
        throw new CommandFailure('', exitCodes.failed);
    });
}
