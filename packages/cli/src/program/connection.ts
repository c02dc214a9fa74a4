import type { Command } from 'commander';
import type { ClusterAccess, StreamingClient, TextSource } from '@atoll/kube';
import { namespaceName } from './object-name.ts';
import type { CommandContext } from './run-program.ts';

/** A cluster, and the namespace that a command works in. */
export interface Connection extends AsyncDisposable {
  readonly client: StreamingClient;
  readonly namespace: string;
}

interface ConnectionFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly cluster?: string;
  readonly user?: string;
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
    .option(
      '--kubeconfig <file>',
      'how to reach the cluster; without it: $KUBECONFIG, the pod itself, ~/.kube/config',
    )
    .option('--context <name>', 'the context of the kubeconfig to use instead of its current one')
    .option('--cluster <name>', "the cluster of the kubeconfig to use instead of the context's")
    .option('--user <name>', "the user of the kubeconfig to use instead of the context's")
    .option('-n, --namespace <name>', "instead of the context's namespace", namespaceName)
    .option('-s, --server <url>', "instead of the context's API server")
    .option('--token <token>', 'the bearer token to send')
    .option('--as <user>', 'act as this user')
    .option('--as-uid <uid>', 'act as the user with this uid')
    .option(
      '--as-group <group>',
      'act as a member of this group; may be given again',
      (group: string, before: readonly string[] | undefined): readonly string[] => [...(before ?? []), group],
    )
    .option('--certificate-authority <file>', "the authority of the API server's certificate")
    .option('--client-certificate <file>', 'the certificate to present')
    .option('--client-key <file>', 'the private key of --client-certificate')
    .option('--tls-server-name <name>', 'the name that the certificate of the API server must carry')
    .option('--insecure-skip-tls-verify', 'do not check the certificate of the API server')
    .option(
      '--request-timeout <duration>',
      'how long one request may take, like 5s, or 5 for seconds; 0: as long as it takes',
      '15s',
    )
    .option('--cache-dir <folder>', 'taken as kubectl takes it; nothing is cached')
    .option('--disable-compression', 'taken as kubectl takes it; answers are small');
}

/** Loads the client only when a command needs it. `mayAsk`: a credential plugin may ask the person at the terminal, and be waited for. */
export async function connect(
  command: Command,
  { env, signal }: CommandContext,
  mayAsk = true,
): Promise<Connection> {
  const flags = given(command.opts<ConnectionFlags>());
  const { kubeconfig: path, context, cluster, user, server } = flags;
  const [kube, { requestTimeout }] = await Promise.all([
    import('@atoll/kube'),
    import('./request-timeout.ts'),
  ]);
  const { createClient, findCluster, longestTimerMs, noTerminal, withoutCredentialsInPlainText } = kube;
  const timeoutMs = requestTimeout(flags.requestTimeout ?? '15s');
  if (timeoutMs === undefined)
    command.error(
      `error: --request-timeout is "${flags.requestTimeout}". Allowed is a number of seconds, a duration like 5s or 1m, or 0`,
    );
  const unsent = unsentFlag(flags);
  if (unsent !== undefined)
    command.error(`error: ${unsent} has a character that no request can carry, like the end of a line`);
  if (server !== undefined && (!/^https?:\/\/[^/]/.test(server) || !URL.canParse(server)))
    command.error(`error: --server is "${server}". Allowed is a URL like https://10.0.0.1:6443`);
  if (flags.insecureSkipTlsVerify === true && flags.certificateAuthority !== undefined)
    command.error('error: --certificate-authority and --insecure-skip-tls-verify exclude each other');
  const chosen = { path, context, cluster, user, server: server?.replace(/\/+$/, '') };
  const named = Object.entries(chosen).filter(([, value]) => value !== undefined);
  const found = await findCluster({ environment: env, ...Object.fromEntries(named) });
  if ((flags.as ?? found.impersonate) === undefined && (flags.asUid ?? flags.asGroup) !== undefined)
    command.error('error: --as-uid and --as-group need --as, the user to act as');
  const access = withFlags(found, flags);
  if (access === undefined)
    command.error(
      'error: --client-certificate and --client-key need each other, or a kubeconfig with the other',
    );
  const client = createClient(withoutCredentialsInPlainText(access), {
    userAgent: 'kubectl-eds',
    timeoutMs: timeoutMs > 0 ? timeoutMs : longestTimerMs,
    ...(mayAsk ? {} : { terminal: noTerminal }),
  });
  // Ctrl-C ends what the server does not answer; it would be waited for until its time is over.
  signal.addEventListener('abort', () => void client.close(), { once: true });
  return {
    client,
    namespace: flags.namespace ?? (access.namespace || 'default'),
    [Symbol.asyncDispose]: async () => client.close(),
  };
}

/** The flag whose value no header can carry. The value is not shown: a token is a secret. */
function unsentFlag({ token = '', as = '', asUid = '', asGroup = [] }: ConnectionFlags): string | undefined {
  // oxlint-disable-next-line no-control-regex -- what is printable ASCII
  if (/[^\x20-\x7e]/.test(token)) return '--token';
  const ofUser = { '--as': as, '--as-uid': asUid, '--as-group': asGroup.join('') };
  return Object.entries(ofUser).find(([, value]) => /\p{Cc}/u.test(value))?.[0];
}

/** kubectl takes an empty value, as of a variable that is not set, for none. */
function given(flags: ConnectionFlags): ConnectionFlags {
  return Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== ''));
}

/** Flags go before the kubeconfig, as with kubectl; undefined: a certificate without its key, or a key without its certificate. */
function withFlags(access: ClusterAccess, flags: ConnectionFlags): ClusterAccess | undefined {
  const { clientCertificate, authorization, certificateAuthority: _, tlsServerName: __, ...rest } = access;
  const certificate = fileOf(flags.clientCertificate) ?? clientCertificate?.certificate;
  const key = fileOf(flags.clientKey) ?? clientCertificate?.key;
  if ((certificate === undefined) !== (key === undefined)) return undefined;
  return {
    ...rest,
    ...trustOf(access, flags),
    ...impersonationOf(access.impersonate, flags),
    authorization: authorizationOf(authorization, flags),
    ...(certificate === undefined || key === undefined ? {} : { clientCertificate: { certificate, key } }),
  };
}

function fileOf(path: string | undefined): TextSource | undefined {
  return path === undefined ? undefined : { from: 'file', path };
}

type Trust = Pick<ClusterAccess, 'certificateAuthority' | 'insecureSkipTlsVerify' | 'tlsServerName'>;

/** How the server is checked. A flag stands for all that the kubeconfig has about it, and the name is that of the server there. */
function trustOf(
  access: ClusterAccess,
  { server, tlsServerName, certificateAuthority, insecureSkipTlsVerify = false }: ConnectionFlags,
): Trust {
  const name = tlsServerName ?? (server === undefined ? access.tlsServerName : undefined);
  const authority = fileOf(certificateAuthority) ?? access.certificateAuthority;
  return {
    insecureSkipTlsVerify:
      insecureSkipTlsVerify || (certificateAuthority === undefined && access.insecureSkipTlsVerify),
    ...(authority === undefined || insecureSkipTlsVerify ? {} : { certificateAuthority: authority }),
    ...(name === undefined ? {} : { tlsServerName: name }),
  };
}

function authorizationOf(
  given: ClusterAccess['authorization'],
  { token, clientCertificate }: ConnectionFlags,
): ClusterAccess['authorization'] {
  if (token !== undefined) return { type: 'token', token: { from: 'value', value: token } };
  // A plugin does not run beside a certificate.
  return given.type === 'exec' && clientCertificate !== undefined ? { type: 'none' } : given;
}

/** A user who is given takes nothing of the one before; a group or uid that is given stands for those of the kubeconfig. */
function impersonationOf(
  given: ClusterAccess['impersonate'],
  { as, asUid, asGroup }: ConnectionFlags,
): Pick<ClusterAccess, 'impersonate'> {
  const before = as === undefined ? given : { user: as, groups: [], extra: {} };
  if (before === undefined) return {};
  const uid = asUid === undefined ? {} : { uid: asUid };
  return { impersonate: { ...before, ...uid, ...(asGroup === undefined ? {} : { groups: [...asGroup] }) } };
}
