import type { Command } from 'commander';
import type { ClusterAccess, StreamingClient } from '@atoll/kube';
import type { CommandContext } from './run-program.ts';

/** A cluster, and the namespace that a command works in. */
export interface Connection extends AsyncDisposable {
  readonly client: StreamingClient;
  readonly namespace: string;
}

interface ConnectionFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
  readonly server?: string;
  readonly token?: string;
  readonly as?: string;
  readonly asUid?: string;
  readonly asGroup?: readonly string[];
  readonly certificateAuthority?: string;
  readonly clientCertificate?: string;
  readonly clientKey?: string;
  readonly tlsServerName?: string;
  readonly insecureSkipTlsVerify?: boolean;
  readonly requestTimeout?: string;
}

/** The flags by which kubectl finds a cluster, under its names. */
export function withConnection(command: Command): Command {
  return command
    .option('--kubeconfig <file>', 'how to reach the cluster; without it: $KUBECONFIG, then ~/.kube/config')
    .option('--context <name>', 'the context of the kubeconfig to use instead of its current one')
    .option('-n, --namespace <name>', "instead of the context's namespace")
    .option('-s, --server <url>', "instead of the context's API server")
    .option('--token <token>', 'the bearer token to send')
    .option('--as <user>', 'act as this user')
    .option('--as-uid <uid>', 'act as the user with this uid')
    .option('--as-group <group...>', 'act as a member of this group; may be given again')
    .option('--certificate-authority <file>', "the authority of the API server's certificate")
    .option('--client-certificate <file>', 'the certificate to present')
    .option('--client-key <file>', 'the private key of --client-certificate')
    .option('--tls-server-name <name>', 'the name that the certificate of the API server must carry')
    .option('--insecure-skip-tls-verify', 'do not check the certificate of the API server')
    .option('--request-timeout <duration>', 'how long one request may take, like 5s', '15s');
}

/** Loads the client only when a command needs it. */
export async function connect(command: Command, { env }: CommandContext): Promise<Connection> {
  const flags = command.opts<ConnectionFlags>();
  const { createClient, loadKubeconfig, parseDuration } = await import('@atoll/kube');
  const access = await loadKubeconfig({
    environment: env,
    ...(flags.kubeconfig === undefined ? {} : { path: flags.kubeconfig }),
    ...(flags.context === undefined ? {} : { context: flags.context }),
  });
  let timeoutMs: number;
  try {
    timeoutMs = parseDuration(flags.requestTimeout ?? '15s');
  } catch {
    command.error(
      `error: --request-timeout is "${flags.requestTimeout}". Allowed is a duration like 5s or 1m`,
    );
  }
  const client = createClient(withFlags(access, flags), { userAgent: 'kubectl-eds', timeoutMs });
  return {
    client,
    namespace: flags.namespace ?? access.namespace ?? 'default',
    [Symbol.asyncDispose]: async () => client.close(),
  };
}

function withFlags(access: ClusterAccess, flags: ConnectionFlags): ClusterAccess {
  const { certificateAuthority, clientCertificate, clientKey, server, tlsServerName, token } = flags;
  const isImpersonated = flags.as !== undefined;
  return {
    ...access,
    ...(server === undefined ? {} : { server: server.replace(/\/$/, '') }),
    ...(tlsServerName === undefined ? {} : { tlsServerName }),
    ...(flags.insecureSkipTlsVerify === true ? { insecureSkipTlsVerify: true } : {}),
    ...(certificateAuthority === undefined
      ? {}
      : { certificateAuthority: { from: 'file', path: certificateAuthority } }),
    ...(clientCertificate === undefined || clientKey === undefined
      ? {}
      : {
          clientCertificate: {
            certificate: { from: 'file', path: clientCertificate },
            key: { from: 'file', path: clientKey },
          },
        }),
    ...(token === undefined
      ? {}
      : { authorization: { type: 'token', token: { from: 'value', value: token } } }),
    ...(isImpersonated
      ? {
          impersonate: {
            user: flags.as ?? '',
            ...(flags.asUid === undefined ? {} : { uid: flags.asUid }),
            groups: [...(flags.asGroup ?? [])],
            extra: {},
          },
        }
      : {}),
  };
}
