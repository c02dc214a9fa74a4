import packageJson from '../../package.json' with { type: 'json' };
import type { Command } from 'commander';
import { createPinoLogger, endProcess, terminationSignal } from '@atoll/kube';
import { refuseInOneLine } from '@atoll/kube/command-line';
import type { UpgradeOptions } from '../upgrade-command/upgrade-options.ts';
import { upgradeCommand } from '../upgrade-command/upgrade-options.ts';
import { agentCommand, readOptions } from './agent-options.ts';

const { version } = packageJson;

/** Commands inherit it. */
const command = agentCommand(version).exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2));
command.action(async (_, given: Command) => serve(given));
command.addCommand(upgradeCommand(upgrade).copyInheritedSettings(command));
refuseInOneLine(command);
try {
  await command.parseAsync();
} catch (error) {
  // One line for people: the log before it has the details.
  process.stderr.write(`atoll-agent: ${error instanceof Error ? error.message : String(error)}\n`);
  // What did not end must not keep a process that does nothing any more.
  endProcess(process, 1);
}

async function serve(given: Command): Promise<void> {
  const options = readOptions(given);
  const logger = createPinoLogger({ level: options.logLevel, format: options.logFormat });
  const { runAgent } = await import('../run-agent.ts');
  const signal = terminationSignal(process, logger);
  await runAgent(options, { version, variables: process.env, logger }, signal);
  // A file that does not answer would keep it.
  endProcess(process, 0);
}

async function upgrade(options: UpgradeOptions): Promise<void> {
  // What serves is not loaded by what calls, and the other way round.
  const { AgentApi } = await import('../upgrade-command/agent-api.ts');
  const { runUpgrade } = await import('../upgrade-command/run-upgrade.ts');
  outliveOutput(process);
  const api = new AgentApi(options.address, (line) => process.stderr.write(`atoll-agent: ${line}\n`));
  process.exitCode = await runUpgrade(api, options, (line) => void process.stdout.write(`${line}\n`));
}

/** Where the output has no reader any more (`| head`), or a full disk under it, the pods are upgraded all the same, and the exit code is theirs. */
function outliveOutput({ stdout, stderr }: Pick<NodeJS.Process, 'stdout' | 'stderr'>): void {
  let isLost = false;
  stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (!isLost && code !== 'EPIPE') stderr.write(`atoll-agent: the output cannot be written: ${message}\n`);
    isLost = true;
  });
  stderr.on('error', () => undefined);
}
