import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { createPinoLogger, terminationSignal } from '@atoll/kube';
import { kindDefinitions } from '../definitions/kind-definitions.ts';
import { operatorCommand, readOptions } from './operator-options.ts';
import { runOperator } from '../run-operator.ts';
import { selectControllers } from './select-controllers.ts';

const { version } = JSON.parse(
  readFileSync(join(import.meta.dirname, '..', '..', 'package.json'), 'utf8'),
) as {
  readonly version: string;
};
const command: Command = operatorCommand(
  version,
  kindDefinitions.map((definition) => definition.name),
).exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2));
const options = readOptions(command.parse());
const selection = selectControllers(options.controllers, kindDefinitions);
if (!selection.ok) command.error(`error: ${selection.error}`);

const logger = createPinoLogger({ level: options.logLevel, format: options.logFormat });
const signal = terminationSignal(process, logger);
try {
  const environment = { version, variables: process.env, logger };
  await runOperator(options, selection.selected, environment, signal);
} catch (error) {
  process.exitCode = 1;
  // One line for people: the log before it has the details.
  process.stderr.write(`atoll-operator: ${error instanceof Error ? error.message : String(error)}\n`);
}
