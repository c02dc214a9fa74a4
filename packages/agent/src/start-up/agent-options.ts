import { Command, Option } from 'commander';
import { logLevels, type LogLevel } from '@atoll/kube';
import { listenAddress, text, valueParser } from '@atoll/kube/command-line';
import { filePath } from '../flag-files.ts';
import type { Serving } from '../http/agent-server.ts';
import { kubernetesName } from '../http/routes.ts';

/** What the command line of the agent decides. */
export interface AgentOptions {
  readonly nodeName: string;
  readonly kubeconfig: string | undefined;
  /** `host:port`, or `0` for none. */
  readonly bindAddress: string;
  readonly unixSocket: string | undefined;
  readonly tokenFile: string | undefined;
  readonly tlsCertFile: string | undefined;
  readonly tlsPrivateKeyFile: string | undefined;
  readonly clientCaFile: string | undefined;
  readonly cacheDir: string;
  /** Answer 500 for a pod that does not exist, as yurthub does, instead of 404. */
  readonly compatStatusCodes: boolean;
  readonly logLevel: LogLevel;
  readonly logFormat: 'json' | 'text';
}

/** The command line of `atoll-agent`: what it accepts and how it explains itself. */
export function agentCommand(version: string): Command {
  return (
    new Command('atoll-agent')
      .description(
        'Serves the pods of one node over HTTP, and upgrades them when it is asked to, until it gets SIGTERM or SIGINT.\n' +
          'One runs on each node.',
      )
      .version(version)
      .allowExcessArguments(false)
      // What follows a command is for that command.
      .enablePositionalOptions()
      .addOption(
        new Option('--node-name <name>', 'the node whose pods are served')
          .env('NODE_NAME')
          .argParser(nodeName),
      )
      .option(
        '--kubeconfig <file>',
        'how to reach the cluster; without it: $KUBECONFIG, then the service account of the pod, then ~/.kube/config',
        text('the path of a kubeconfig'),
      )
      .option(
        '--bind-address <host:port>',
        'where the HTTP API is served; 0 switches it off',
        listenAddress,
        '127.0.0.1:10267',
      )
      .option(
        '--unix-socket <path>',
        'serve on a unix socket too, for the user of this process only',
        socketPath,
      )
      .option(
        '--token-file <file>',
        'callers of the address must send the bearer token in this file',
        filePath,
      )
      .option(
        '--tls-cert-file <file>',
        'serve the address with TLS and this certificate; with its chain',
        filePath,
      )
      .option('--tls-private-key-file <file>', 'the private key of --tls-cert-file', filePath)
      .option(
        '--client-ca-file <file>',
        'callers of the address must have a certificate of this authority, or the token where --token-file is given',
        filePath,
      )
      .option(
        '--cache-dir <directory>',
        'keeps the pods last seen, for a start while the API server cannot be reached',
        text('the path of a directory'),
        '/var/lib/atoll-agent',
      )
      .option(
        '--compat-status-codes',
        'answer as yurthub does: 500 for a pod that does not exist, instead of 404, and a failed write without its cause',
        false,
      )
      .addOption(new Option('--log-level <level>', 'what to log').choices(logLevels).default('info'))
      .addOption(new Option('--log-format <format>', 'how to log').choices(['json', 'text']).default('json'))
      .addHelpText(
        'after',
        '\nExit codes: 0 ended as asked, 1 could not start or go on, 2 the command line is wrong.',
      )
  );
}

/** Reads the parsed command's options, and refuses combinations that mean nothing. */
export function readOptions(command: Command): AgentOptions {
  const options = command.opts<AgentOptions>();
  const { bindAddress, unixSocket, tlsCertFile, tlsPrivateKeyFile, clientCaFile } = options;
  if ((options.nodeName as string | undefined) === undefined)
    command.error('error: --node-name (or $NODE_NAME) is needed: the node whose pods are served');
  if (bindAddress === '0' && unixSocket === undefined)
    command.error('error: --bind-address=0 needs --unix-socket: the HTTP API would be served nowhere');
  if ((tlsCertFile === undefined) !== (tlsPrivateKeyFile === undefined))
    command.error('error: --tls-cert-file and --tls-private-key-file need each other');
  if (clientCaFile !== undefined && tlsCertFile === undefined)
    command.error('error: --client-ca-file needs --tls-cert-file: certificates are shown with TLS only');
  return options;
}

/** Where the API is served, and to whom. */
export function servingOf(options: AgentOptions): Serving {
  const { bindAddress, unixSocket, tokenFile, tlsCertFile, tlsPrivateKeyFile, clientCaFile } = options;
  return {
    address: bindAddress === '0' ? undefined : bindAddress,
    socket: unixSocket,
    tokenFile,
    tls:
      tlsCertFile === undefined || tlsPrivateKeyFile === undefined
        ? undefined
        : { certFile: tlsCertFile, keyFile: tlsPrivateKeyFile, clientCaFile },
  };
}

const socketPath = text('the path of a socket');
const nodeName = valueParser('the name of a Node: lower case letters, digits, - and .', (given) =>
  kubernetesName.test(given) ? given : undefined,
);
