import { Command, Option } from 'commander';
import { duration, valueParser } from '@atoll/kube/command-line';
import { filePath } from '../flag-files.ts';
import { kubernetesName } from '../http/routes.ts';
import type { AgentAddress } from './agent-api.ts';

export interface UpgradeOptions {
  /** `namespace/name` or `name`. */
  readonly pods: readonly string[];
  readonly all: boolean;
  readonly namespace: string;
  /** Milliseconds for each pod; 0: not waited for. */
  readonly timeoutMs: number;
  readonly address: AgentAddress;
}

/** `atoll-agent upgrade`, for the person on site. */
export function upgradeCommand(run: (options: UpgradeOptions) => Promise<void>): Command {
  return new Command('upgrade')
    .description(
      'Asks the agent of this node to upgrade pods, one after the other, and waits until the new ones are Ready.\n' +
        'Without pods and without --all it lists what can be upgraded.',
    )
    .argument('[pods...]', 'names, or namespace/name', podNames)
    .option(
      '--all',
      'every pod of this node that can be upgraded; goes on after one that is refused (403) or gone (404)',
      false,
    )
    .option('-n, --namespace <name>', 'of pods that are named without one', namespace, 'default')
    .addOption(
      new Option('--timeout <duration>', 'how long to wait for each new pod; 0 does not wait')
        .argParser(duration('a duration like 90s or 10m, or 0'))
        .default(600_000, '10m'),
    )
    .option('--address <url>', 'where the agent serves', url, 'http://127.0.0.1:10267')
    .option('--unix-socket <path>', 'reach the agent through its unix socket instead', filePath)
    .option('--token-file <file>', 'holds the bearer token that the agent asks for', filePath)
    .option('--ca-file <file>', "the authority of the agent's certificate", filePath)
    .option('--cert-file <file>', 'the certificate to present, where the agent asks for one', filePath)
    .option('--key-file <file>', 'the private key of --cert-file', filePath)
    .addHelpText(
      'after',
      '\nExit codes: 0 all new pods are Ready, 1 a pod was not upgraded or is not Ready in time, 2 the command line is wrong.',
    )
    .action(async (pods: readonly string[], _, command: Command) => run(readUpgradeOptions(pods, command)));
}

function readUpgradeOptions(pods: readonly string[], command: Command): UpgradeOptions {
  const given = command.opts<Record<string, string | undefined>>();
  const { all, namespace, timeout } = command.opts<{ all: boolean; namespace: string; timeout: number }>();
  if (all && pods.length > 0) command.error('error: name pods, or give --all: not both');
  if ((given['certFile'] === undefined) !== (given['keyFile'] === undefined))
    command.error('error: --cert-file and --key-file need each other');
  return {
    pods,
    all,
    namespace,
    timeoutMs: timeout,
    address: {
      url: given['address'] ?? '',
      unixSocket: given['unixSocket'],
      tokenFile: given['tokenFile'],
      caFile: given['caFile'],
      certFile: given['certFile'],
      keyFile: given['keyFile'],
    },
  };
}

const isName = (given: string): boolean => kubernetesName.test(given);

const namespace = valueParser('the name of a namespace: lower case letters, digits and -', (given) =>
  isName(given) ? given : undefined,
);

const podName = valueParser('the name of a pod, or namespace/name', (given) => {
  const parts = given.split('/');
  return parts.length <= 2 && parts.every(isName) ? given : undefined;
});

function podNames(given: string, before: readonly string[] = []): readonly string[] {
  return [...before, podName(given)];
}

const url = valueParser('http://host:port or https://host:port', (given) => {
  const parsed = URL.canParse(given) ? new URL(given) : undefined;
  return parsed?.protocol === 'http:' || parsed?.protocol === 'https:' ? given : undefined;
});
