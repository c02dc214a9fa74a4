import packageJson from '../../package.json' with { type: 'json' };
import type { Command } from 'commander';
import { createPinoLogger, endProcess, terminationSignal } from '@atoll/kube';
import type { KindDefinition } from '../definitions/kind-definition.ts';
import { operatorCommand, readOptions } from './options/operator-options.ts';
import { runOperator } from '../run-operator.ts';
import { selectControllers } from './options/select-controllers.ts';

const { version } = packageJson;

/** Runs an operator with these kinds by its command line. Ends the process with 2 where the command line is wrong. */
export async function runCommandLine(definitions: readonly KindDefinition[]): Promise<void> {
  const command: Command = operatorCommand(version, definitions).exitOverride((error) =>
    process.exit(error.exitCode === 0 ? 0 : 2),
  );
  const options = readOptions(command.parse());
  const selection = selectControllers(options.controllers, definitions);
  if (!selection.ok) command.error(`error: ${selection.error}`);

  const logger = createPinoLogger({ level: options.logLevel, format: options.logFormat });
  const signal = terminationSignal(process, logger);
  try {
    const environment = { version, variables: process.env, logger, logLevel: logger };
    await runOperator(options, selection.selected, environment, signal);
    // A file that does not answer would keep it.
    endProcess(process, 0);
  } catch (error) {
    // One line for people: the log before it has the details.
    process.stderr.write(`atoll-operator: ${error instanceof Error ? error.message : String(error)}\n`);
    // What did not end in time must not keep a process that does nothing any more.
    endProcess(process, 1);
  }
}
