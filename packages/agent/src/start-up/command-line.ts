import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createPinoLogger, terminationSignal } from '@atoll/kube';
import { runAgent } from '../run-agent.ts';
import { agentCommand, readOptions } from './agent-options.ts';

const { version } = JSON.parse(
  readFileSync(join(import.meta.dirname, '..', '..', 'package.json'), 'utf8'),
) as { readonly version: string };

const command = agentCommand(version).exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2));
const options = readOptions(command.parse());
const logger = createPinoLogger({ level: options.logLevel, format: options.logFormat });
const signal = terminationSignal(process, logger);
try {
  await runAgent(options, { version, variables: process.env, logger }, signal);
} catch (error) {
  process.exitCode = 1;
  // One line for people: the log before it has the details.
  process.stderr.write(`atoll-agent: ${error instanceof Error ? error.message : String(error)}\n`);
}
