import { Command, Option } from 'commander';
import {
  extendedDaemonSetDefaults,
  operatorNames,
  validationModes,
  validationModeVariable,
  type ValidationMode,
} from '@atoll/api';
import {
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  formatDuration,
  logLevels,
  type LogLevel,
} from '@atoll/kube';
import {
  duration,
  InvalidValue,
  listenAddress,
  refuseInOneLine,
  text,
  trueOrFalse,
  valueParser,
  wholeNumber,
  type ValueParser,
} from '@atoll/kube/command-line';
import { samePort } from './addresses.ts';
import type { SelectableController } from './select-controllers.ts';

/** What the command line decides. Durations in milliseconds. */
export interface OperatorOptions {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly controllers: string;
  /** To which it is limited, each once; undefined: the whole cluster. */
  readonly namespaces: readonly string[] | undefined;
  /** Objects of one kind that are worked on at the same time. */
  readonly workers: number;
  /** `host:port`, or `0` for none. */
  readonly bindAddress: string;
  /** `host:port` of metrics and debug pages over HTTPS, `0` for plain text beside health, undefined for what fits where the process runs. */
  readonly metricsBindAddress: string | undefined;
  /** Holds certificates of the metrics that somebody else makes; undefined: the operator makes its own. */
  readonly metricsCertDir: string | undefined;
  /** Whether metrics are for users of the cluster only; undefined: unless they are served on the loopback address. */
  readonly metricsRequireToken: boolean | undefined;
  /** Whether `/debug/objects/` is served. */
  readonly debugObjects: boolean;
  readonly leaderElect: boolean;
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
  readonly leaseNamespace: string | undefined;
  readonly leaseName: string;
  /** `host:port`, `0` for no webhooks, undefined for what fits where the process runs. */
  readonly webhookBindAddress: string | undefined;
  /** Where the API server reaches a process outside of the cluster; undefined: through the Service. */
  readonly webhookUrl: string | undefined;
  /** Holds certificates that somebody else makes; undefined: the operator makes its own. */
  readonly webhookCertDir: string | undefined;
  /** `namespace/name` of a Certificate of cert-manager. */
  readonly webhookInjectCaFrom: string | undefined;
  /** How a canary ends whose ExtendedDaemonSet does not state it. */
  readonly canaryValidationMode: ValidationMode;
  readonly logLevel: LogLevel;
  readonly logFormat: 'json' | 'text';
}

/**
 * The longest that a write may wait to be sent once leadership was asked for, in milliseconds: with the default lease (15 s,
 * renew deadline 10 s) nothing is sent any more when a successor leads.
 */
export const sendWithinMs = 4_000;

type OfferedController = Pick<SelectableController, 'name' | 'onByDefault'>;

/** The command line of `atoll-operator`: what it accepts and how it explains itself. */
export function operatorCommand(version: string, controllers: readonly OfferedController[]): Command {
  const command = new Command('atoll-operator')
    .description(
      'Runs the controllers of Atoll against a cluster until it gets SIGTERM or SIGINT.\n' +
        'All state is in the API server: several replicas may run, one of them leads.',
    )
    .version(version)
    .allowExcessArguments(false);
  withCluster(command);
  withControllers(command, controllers);
  withPages(command);
  withElection(command);
  withWebhooks(command);
  withCanaries(command);
  withLog(command);
  command.addHelpText(
    'after',
    '\nExit codes: 0 ended as asked, 1 could not start or go on, 2 the command line is wrong.' +
      '\nLeadership that is lost ends the process with 1, so that it starts again with nothing remembered.',
  );
  refuseInOneLine(command);
  return command;
}

/** How the cluster is reached. */
function withCluster(command: Command): void {
  command
    .option(
      '--kubeconfig <file>',
      'how to reach the cluster; without it: $KUBECONFIG, then the service account of the pod, then ~/.kube/config',
      text('the path of a kubeconfig'),
    )
    .option(
      '--context <name>',
      'the context of the kubeconfig to use instead of its current one',
      text('the name of a context'),
    );
}

/** What runs, where, and how much at the same time. */
function withControllers(command: Command, controllers: readonly OfferedController[]): void {
  const names = controllers.map(({ name, onByDefault }) => (onByDefault ? name : `${name} (off by default)`));
  command
    .addOption(
      new Option(
        '--controllers <list>',
        `which controllers run: * is all that are on by default, foo switches foo on, -foo switches it off (alone: all others stay on). Controllers: ${names.join(', ')}`,
      ).default('*'),
    )
    .option(
      '--namespaces <list>',
      'serve these namespaces only, as edge,lab; nodes, pools and definitions belong to none; without it all namespaces',
      namespaceNames,
    )
    .option(
      '--workers <n>',
      'objects of one kind that are reconciled at the same time in one namespace; in all namespaces together four times as many',
      wholeNumber(1, 9999),
      16,
    );
}

/** Where health, metrics and debug pages are served, and to whom. */
function withPages(command: Command): void {
  command
    .option(
      '--bind-address <host:port>',
      'where /healthz and /readyz are served in plain text, and /metrics and /debug where they have no address of their own; 0 switches them off',
      listenAddress,
      // Without a host, which is IPv4 and IPv6: a kubelet probes the first address of the pod, of whichever family.
      ':8080',
    )
    .option(
      '--metrics-bind-address <host:port>',
      'where /metrics and /debug are served over HTTPS; 0: in plain text at --bind-address, tokens too; without it :8443 in a pod, and 0 elsewhere and where --bind-address is 0 or on the loopback address',
      listenAddress,
    )
    .option(
      '--metrics-cert-dir <directory>',
      'serve metrics with the tls.crt and tls.key that somebody else keeps there, instead of certificates of our own',
      text('the path of a directory'),
    )
    .option(
      '--metrics-require-token <bool>',
      'show metrics only to callers whose bearer token may get their path, like /metrics; without it true, and false where they are served on the loopback address',
      trueOrFalse,
    )
    .addOption(
      new Option(
        '--debug-objects <bool>',
        'serve /debug/objects/<kind>/<namespace>/<name>: what is seen of an object, what is planned and what it waits for, to callers whose bearer token may get that path',
      )
        .argParser(trueOrFalse)
        .default(false),
    );
}

/** The Lease by which one of several replicas leads. */
function withElection(command: Command): void {
  command
    .addOption(
      new Option('--leader-elect <bool>', 'lead only with the Lease').argParser(trueOrFalse).default(true),
    )
    .addOption(
      durationOption(
        '--leader-elect-lease-duration <duration>',
        'how long others wait before they take over a lease that is not renewed',
        15_000,
      ),
    )
    .addOption(
      durationOption(
        '--leader-elect-renew-deadline <duration>',
        'how long the leader tries to renew before it stops writing; shorter than the lease duration by more than 4s',
        10_000,
      ),
    )
    .addOption(
      durationOption(
        '--leader-elect-retry-period <duration>',
        'how often the leader renews the lease; others try to get it after 1 to 2.2 times as long',
        2_000,
      ),
    )
    .option(
      '--leader-elect-resource-namespace <name>',
      `namespace of the Lease (default: $POD_NAMESPACE, or "${operatorNames.namespace}")`,
      objectName('the name of a namespace, like atoll-system', dns1123LabelProblems),
    )
    .option(
      '--leader-elect-resource-name <name>',
      'name of the Lease',
      objectName('the name of a Lease, like atoll', dns1123SubdomainProblems),
      operatorNames.lease,
    );
}

/** Where webhooks are served, and with which certificates. */
function withWebhooks(command: Command): void {
  command
    .option(
      '--webhook-bind-address <host:port>',
      'where admission webhooks are served; 0 switches them off; without it :9443 in a pod and off elsewhere',
      listenAddress,
    )
    .option(
      '--webhook-url <url>',
      'where the API server reaches the webhooks of a process outside of the cluster, like https://10.0.0.1:9443; port 0 stands for the port that is served; without it the Service',
      webhookUrl,
    )
    .option(
      '--webhook-cert-dir <directory>',
      'serve the tls.crt and tls.key that somebody else keeps there, instead of certificates of our own',
      text('the path of a directory'),
    )
    .option(
      '--webhook-inject-ca-from <namespace/name>',
      'the Certificate of cert-manager whose authority the API server is to trust; with --webhook-cert-dir',
      namespacedName,
    );
}

/** What holds for objects that do not state it. */
function withCanaries(command: Command): void {
  command.addOption(
    new Option(
      '--canary-validation-mode <mode>',
      'how a canary ends where its ExtendedDaemonSet names no mode: auto by time and health, manual by a person',
    )
      .env(validationModeVariable)
      .argParser(validationMode)
      .default(extendedDaemonSetDefaults.canary.validationMode),
  );
}

/** What is logged, and how. */
function withLog(command: Command): void {
  command
    .addOption(
      new Option('--log-level <level>', 'what to log; PUT /debug/log-level changes it')
        .choices(logLevels)
        .default('info'),
    )
    .addOption(new Option('--log-format <format>', 'how to log').choices(['json', 'text']).default('json'));
}

/** Reads the parsed command's options, and refuses combinations that would be unsafe. */
export function readOptions(command: Command): OperatorOptions {
  const given = command.opts<Record<string, unknown>>();
  const options: OperatorOptions = {
    kubeconfig: given['kubeconfig'] as string | undefined,
    context: given['context'] as string | undefined,
    controllers: given['controllers'] as string,
    namespaces: given['namespaces'] as readonly string[] | undefined,
    workers: given['workers'] as number,
    bindAddress: given['bindAddress'] as string,
    metricsBindAddress: given['metricsBindAddress'] as string | undefined,
    metricsCertDir: given['metricsCertDir'] as string | undefined,
    metricsRequireToken: given['metricsRequireToken'] as boolean | undefined,
    debugObjects: given['debugObjects'] as boolean,
    leaderElect: given['leaderElect'] as boolean,
    leaseDurationMs: given['leaderElectLeaseDuration'] as number,
    renewDeadlineMs: given['leaderElectRenewDeadline'] as number,
    retryPeriodMs: given['leaderElectRetryPeriod'] as number,
    leaseNamespace: given['leaderElectResourceNamespace'] as string | undefined,
    leaseName: given['leaderElectResourceName'] as string,
    webhookBindAddress: given['webhookBindAddress'] as string | undefined,
    webhookUrl: given['webhookUrl'] as string | undefined,
    webhookCertDir: given['webhookCertDir'] as string | undefined,
    webhookInjectCaFrom: given['webhookInjectCaFrom'] as string | undefined,
    canaryValidationMode: given['canaryValidationMode'] as ValidationMode,
    logLevel: given['logLevel'] as LogLevel,
    logFormat: given['logFormat'] as 'json' | 'text',
  };
  const slack = options.leaseDurationMs - options.renewDeadlineMs;
  if (slack <= sendWithinMs) {
    command.error(
      `error: --leader-elect-renew-deadline (${formatDuration(options.renewDeadlineMs)}) must be shorter than --leader-elect-lease-duration (${formatDuration(options.leaseDurationMs)}) by more than ${formatDuration(sendWithinMs)}, the longest that a write may wait before it is sent`,
    );
  }
  if (options.retryPeriodMs * 1.2 >= options.renewDeadlineMs) {
    command.error(
      `error: 1.2 times --leader-elect-retry-period (${formatDuration(options.retryPeriodMs)}) must be shorter than --leader-elect-renew-deadline (${formatDuration(options.renewDeadlineMs)})`,
    );
  }
  const [one, other] = samePort(options) ?? [];
  if (one !== undefined && other !== undefined) {
    command.error(
      `error: ${one.flag} (${one.address}) and ${other.flag} (${other.address}) are the same port: give each its own`,
    );
  }
  if (options.webhookUrl !== undefined && (options.webhookBindAddress ?? '0') === '0') {
    command.error('error: --webhook-url needs --webhook-bind-address: without it no webhooks are served');
  }
  if (options.metricsCertDir !== undefined && options.metricsBindAddress === '0') {
    command.error(
      'error: --metrics-cert-dir needs --metrics-bind-address: with 0 metrics are served in plain text',
    );
  }
  if (options.webhookInjectCaFrom !== undefined && options.webhookCertDir === undefined) {
    command.error(
      'error: --webhook-inject-ca-from needs --webhook-cert-dir: our own authority is trusted without it',
    );
  }
  return options;
}

/** The variable of the old operator may be there and empty. */
const validationMode = valueParser(validationModes.join(' or '), (given): ValidationMode | undefined =>
  given === '' ? 'auto' : validationModes.find((mode) => mode === given),
);

/** The help shows the default as the flag takes it, with its unit. */
function durationOption(flags: string, description: string, milliseconds: number): Option {
  return new Option(flags, description)
    .argParser(electionDuration)
    .default(milliseconds, formatDuration(milliseconds));
}

const electionDuration = duration(
  'a duration of at least 100ms, like 15s or 1m30s',
  (milliseconds) => milliseconds >= 100,
);

const webhookUrl = valueParser('https://host:port, with nothing behind a path', (given) => {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  const plain = url?.search === '' && url.hash === '' && url.username === '' && url.password === '';
  return url?.protocol === 'https:' && plain ? given : undefined;
});

const namespaceNames = Object.assign(
  (given: string): readonly string[] => {
    const names = given.split(',');
    for (const name of names) {
      const [problem] = name === '' ? ['must not be empty'] : dns1123LabelProblems(name);
      if (problem !== undefined)
        throw new InvalidValue(`Allowed is ${namespaceNames.allowed}; ${JSON.stringify(name)} ${problem}.`);
    }
    return [...new Set(names)];
  },
  { allowed: 'a list of namespaces like edge,lab' },
);

/** As the API server takes it in `metadata.name`. */
function objectName(allowed: string, problems: (name: string) => readonly string[]): ValueParser<string> {
  return valueParser(allowed, (given) => (given !== '' && problems(given).length === 0 ? given : undefined));
}

const namespacedName = valueParser('namespace/name', (given) =>
  /^[^/\s]+\/[^/\s]+$/.test(given) ? given : undefined,
);
