import { Command, InvalidArgumentError, Option } from 'commander';
import { operatorNames } from '@atoll/api';
import { logLevels, parseDuration, type LogLevel } from '@atoll/kube';

/** What the command line decides. Durations in milliseconds. */
export interface OperatorOptions {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly controllers: string;
  /** Objects of one kind that are worked on at the same time. */
  readonly workers: number;
  /** `host:port`, or `0` for none. */
  readonly bindAddress: string;
  readonly leaderElect: boolean;
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
  readonly leaseNamespace: string | undefined;
  readonly leaseName: string;
  readonly logLevel: LogLevel;
  readonly logFormat: 'json' | 'text';
}

/**
 * The longest that one write may be under way, in milliseconds. With the default lease (15 s, renew deadline 10 s), a
 * write that a deposed leader sent is over before its successor leads.
 */
export const writeTimeoutMs = 4_000;

/** The command line of `atoll-operator`: what it accepts and how it explains itself. */
export function operatorCommand(version: string, controllers: readonly string[]): Command {
  return new Command('atoll-operator')
    .description(
      'Runs the controllers of Atoll against a cluster until it gets SIGTERM or SIGINT.\n' +
        'All state is in the API server: several replicas may run, one of them leads.',
    )
    .version(version)
    .allowExcessArguments(false)
    .option(
      '--kubeconfig <file>',
      'how to reach the cluster; without it: $KUBECONFIG, then the service account of the pod, then ~/.kube/config',
    )
    .option('--context <name>', 'the context of the kubeconfig to use instead of its current one')
    .addOption(
      new Option(
        '--controllers <list>',
        `which controllers run: * is all that are on by default, foo switches foo on, -foo switches it off. Controllers: ${controllers.join(', ')}`,
      ).default('*'),
    )
    .option('--workers <n>', 'objects of one kind that are worked on at the same time', positiveInteger, 4)
    .option(
      '--bind-address <host:port>',
      'where /healthz, /readyz and /metrics are served; 0 switches them off',
      address,
      '0.0.0.0:8080',
    )
    .addOption(
      new Option('--leader-elect <bool>', 'lead only with the Lease').argParser(boolean).default(true),
    )
    .option(
      '--leader-elect-lease-duration <duration>',
      'how long others wait before they take over a lease that is not renewed',
      duration,
      15_000,
    )
    .option(
      '--leader-elect-renew-deadline <duration>',
      'how long the leader tries to renew before it stops writing; shorter than the lease duration',
      duration,
      10_000,
    )
    .option(
      '--leader-elect-retry-period <duration>',
      'how often to try to get or renew the lease',
      duration,
      2_000,
    )
    .option(
      '--leader-elect-resource-namespace <name>',
      `namespace of the Lease; without it the pod's own, or ${operatorNames.namespace}`,
    )
    .option('--leader-elect-resource-name <name>', 'name of the Lease', operatorNames.lease)
    .addOption(new Option('--log-level <level>', 'what to log').choices(logLevels).default('info'))
    .addOption(new Option('--log-format <format>', 'how to log').choices(['json', 'text']).default('json'))
    .addHelpText(
      'after',
      '\nExit codes: 0 ended as asked, 1 could not start or go on, 2 the command line is wrong.' +
        '\nLeadership that is lost ends the process with 1, so that it starts again with nothing remembered.',
    );
}

/** Reads the parsed command's options, and refuses combinations that would be unsafe. */
export function readOptions(command: Command): OperatorOptions {
  const given = command.opts<Record<string, unknown>>();
  const options: OperatorOptions = {
    kubeconfig: given['kubeconfig'] as string | undefined,
    context: given['context'] as string | undefined,
    controllers: given['controllers'] as string,
    workers: given['workers'] as number,
    bindAddress: given['bindAddress'] as string,
    leaderElect: given['leaderElect'] as boolean,
    leaseDurationMs: given['leaderElectLeaseDuration'] as number,
    renewDeadlineMs: given['leaderElectRenewDeadline'] as number,
    retryPeriodMs: given['leaderElectRetryPeriod'] as number,
    leaseNamespace: given['leaderElectResourceNamespace'] as string | undefined,
    leaseName: given['leaderElectResourceName'] as string,
    logLevel: given['logLevel'] as LogLevel,
    logFormat: given['logFormat'] as 'json' | 'text',
  };
  const slack = options.leaseDurationMs - options.renewDeadlineMs;
  if (slack <= writeTimeoutMs) {
    command.error(
      `error: --leader-elect-renew-deadline (${options.renewDeadlineMs} ms) must be shorter than --leader-elect-lease-duration (${options.leaseDurationMs} ms) by more than ${writeTimeoutMs} ms, the longest that a write may take`,
    );
  }
  if (options.retryPeriodMs * 1.2 >= options.renewDeadlineMs) {
    command.error(
      `error: --leader-elect-retry-period (${options.retryPeriodMs} ms, with 20 % jitter) must be shorter than --leader-elect-renew-deadline (${options.renewDeadlineMs} ms)`,
    );
  }
  return options;
}

function positiveInteger(value: string): number {
  if (!/^[1-9]\d{0,3}$/.test(value))
    throw new InvalidArgumentError('Allowed is a whole number from 1 to 9999.');
  return Number(value);
}

function boolean(value: string): boolean {
  if (value !== 'true' && value !== 'false') throw new InvalidArgumentError('Allowed are true and false.');
  return value === 'true';
}

function duration(value: string): number {
  const milliseconds = readDuration(value);
  if (milliseconds === undefined || milliseconds < 100) {
    throw new InvalidArgumentError('Allowed is a duration of at least 100ms, like 15s or 1m30s.');
  }
  return milliseconds;
}

function readDuration(value: string): number | undefined {
  try {
    return parseDuration(value);
  } catch {
    return undefined;
  }
}

function address(value: string): string {
  if (value === '0') return value;
  const port = /^(?:\[[0-9a-fA-F:.]+\]|[^\s:]*):(\d{1,5})$/.exec(value)?.[1];
  if (port === undefined || Number(port) > 65_535) {
    throw new InvalidArgumentError('Allowed is host:port with a port up to 65535, :port, or 0 for none.');
  }
  return value;
}
