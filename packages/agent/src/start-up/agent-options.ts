import { Command, InvalidArgumentError, Option } from 'commander';
import { logLevels, type LogLevel } from '@atoll/kube';

/** What the command line of the agent decides. */
export interface AgentOptions {
  readonly nodeName: string;
  readonly kubeconfig: string | undefined;
  /** `host:port`. */
  readonly bindAddress: string;
  readonly cacheDir: string;
  /** Answer 500 for a pod that does not exist, as yurthub does, instead of 404. */
  readonly compatStatusCodes: boolean;
  readonly logLevel: LogLevel;
  readonly logFormat: 'json' | 'text';
}

/** The command line of `atoll-agent`: what it accepts and how it explains itself. */
export function agentCommand(version: string): Command {
  return new Command('atoll-agent')
    .description(
      'Serves the pods of one node over HTTP, and upgrades them when it is asked to, until it gets SIGTERM or SIGINT.\n' +
        'One runs on each node.',
    )
    .version(version)
    .allowExcessArguments(false)
    .addOption(
      new Option('--node-name <name>', 'the node whose pods are served')
        .env('NODE_NAME')
        .argParser(nodeName)
        .makeOptionMandatory(),
    )
    .option(
      '--kubeconfig <file>',
      'how to reach the cluster; without it: $KUBECONFIG, then the service account of the pod, then ~/.kube/config',
    )
    .option('--bind-address <host:port>', 'where the HTTP API is served', address, '127.0.0.1:10267')
    .option(
      '--cache-dir <directory>',
      'keeps the pods last seen, for a start while the API server cannot be reached',
      '/var/lib/atoll-agent',
    )
    .option(
      '--compat-status-codes',
      'answer 500 for a pod that does not exist, as yurthub does, instead of 404',
      false,
    )
    .addOption(new Option('--log-level <level>', 'what to log').choices(logLevels).default('info'))
    .addOption(new Option('--log-format <format>', 'how to log').choices(['json', 'text']).default('json'))
    .addHelpText(
      'after',
      '\nExit codes: 0 ended as asked, 1 could not start or go on, 2 the command line is wrong.',
    );
}

/** Reads the parsed command's options. */
export function readOptions(command: Command): AgentOptions {
  return command.opts<AgentOptions>();
}

function nodeName(value: string): string {
  if (!/^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/.test(value)) {
    throw new InvalidArgumentError('Allowed is the name of a Node: lower case letters, digits, - and .');
  }
  return value;
}

function address(value: string): string {
  const port = /^(?:\[[0-9a-fA-F:.]+\]|[^\s:]*):(\d{1,5})$/.exec(value)?.[1];
  if (port === undefined || Number(port) > 65_535) {
    throw new InvalidArgumentError(
      'Allowed is host:port with a port up to 65535, or :port for all addresses.',
    );
  }
  return value;
}
