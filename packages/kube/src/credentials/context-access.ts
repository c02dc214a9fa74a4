import { dirname, isAbsolute, resolve } from 'node:path';
import type {
  Authorization,
  ClusterAccess,
  ExecPlugin,
  Impersonation,
  TextSource,
} from './cluster-access.ts';
import type { ConfigFields } from './config-fields.ts';
import { CredentialError } from './credential-error.ts';
import type { Kubeconfig } from './kubeconfig.ts';
import { isProxyUrl, proxyUrls } from './proxy-from-environment.ts';
import { withoutPassword } from './without-password.ts';

const EXEC_VERSIONS = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'] as const;
const EXEC_EXTENSION = 'client.authentication.k8s.io/exec';

/** Names of entries of the file, instead of the current context and of what the context names. */
export interface Chosen {
  readonly context?: string | undefined;
  readonly cluster?: string | undefined;
  readonly user?: string | undefined;
  /** Instead of the cluster's. */
  readonly server?: string | undefined;
}

/**
 * How a context of a kubeconfig reaches its cluster; throws a {@link CredentialError}. Where the file has no current context, a cluster or a
 * server that is chosen is enough, as for kubectl.
 */
export function accessOfContext(config: Kubeconfig, chosen: Chosen = {}): ClusterAccess {
  const context = contextOf(config, chosen);
  const cluster = clusterOf(config, chosen, context);
  const user = userOf(config, chosen, context);
  const namespace = context?.text('namespace');
  const { server } = chosen;
  return withoutCredentialsInPlainText({
    ...(cluster === undefined ? { server: '', insecureSkipTlsVerify: false } : clusterAccess(cluster)),
    ...(server === undefined ? {} : { server: chosenServer(server) }),
    ...(user === undefined ? { authorization: { type: 'none' } } : userAccess(user, cluster)),
    ...(namespace === undefined ? {} : { namespace }),
  });
}

/** No credentials are sent in plain text, and none are asked for, as by client-go: so it is with `kubectl proxy`. */
export function withoutCredentialsInPlainText(access: ClusterAccess): ClusterAccess {
  if (URL.parse(access.server)?.protocol !== 'http:') return access;
  const { clientCertificate: _, ...rest } = access;
  return { ...rest, authorization: { type: 'none' } };
}

/** undefined: none is named, and none is needed. */
function contextOf(
  config: Kubeconfig,
  { context: wanted, cluster, server }: Chosen,
): ConfigFields | undefined {
  const name = wanted ?? config.currentContext;
  if (name !== undefined) {
    const field = wanted === undefined ? 'current-context' : 'context';
    return (
      config.contexts.get(name) ??
      refuse(config, field, `no context ${JSON.stringify(name)}; allowed`, config.contexts)
    );
  }
  if (cluster !== undefined || server !== undefined) return undefined;
  return refuse(config, 'current-context', 'missing; allowed: a context of the file', config.contexts);
}

/** undefined: a server is enough. */
function clusterOf(
  config: Kubeconfig,
  { cluster: wanted, server }: Chosen,
  context: ConfigFields | undefined,
): ConfigFields | undefined {
  if (wanted !== undefined)
    return (
      config.clusters.get(wanted) ??
      refuse(config, 'cluster', `no cluster ${JSON.stringify(wanted)}; allowed`, config.clusters)
    );
  if (context === undefined) return undefined;
  const name = server === undefined ? context.requiredText('cluster') : (context.text('cluster') ?? '');
  const cluster = config.clusters.get(name);
  if (cluster !== undefined || server !== undefined) return cluster;
  return context.fail('cluster', name, `a cluster of the file: ${namesOf(config.clusters)}`);
}

/** undefined: nobody is named. */
function userOf(
  config: Kubeconfig,
  { user: wanted }: Chosen,
  context: ConfigFields | undefined,
): ConfigFields | undefined {
  if (wanted !== undefined)
    return (
      config.users.get(wanted) ??
      refuse(config, 'user', `no user ${JSON.stringify(wanted)}; allowed`, config.users)
    );
  const name = context?.text('user');
  if (context === undefined || name === undefined) return undefined;
  return config.users.get(name) ?? context.fail('user', name, `a user of the file: ${namesOf(config.users)}`);
}

function refuse(
  { files }: Kubeconfig,
  field: string,
  what: string,
  known: ReadonlyMap<string, unknown>,
): never {
  throw new CredentialError(`${files.join(', ') || 'no kubeconfig'}: ${field}: ${what}: ${namesOf(known)}`);
}

function namesOf(known: ReadonlyMap<string, unknown>): string {
  return known.size === 0 ? 'there are none' : [...known.keys()].join(', ');
}

const serverUrls = 'a URL that begins with https:// or http://';

function isServerUrl(text: string): boolean {
  return ['http:', 'https:'].includes(URL.parse(text)?.protocol ?? '');
}

function withoutSlash(server: string): string {
  return server.replace(/\/+$/, '');
}

function chosenServer(server: string): string {
  if (isServerUrl(server)) return withoutSlash(server);
  throw new CredentialError(`server: ${JSON.stringify(withoutPassword(server))}; allowed: ${serverUrls}`);
}

function clusterAccess(cluster: ConfigFields): Omit<ClusterAccess, 'authorization'> {
  const server = cluster.requiredText('server');
  if (!isServerUrl(server)) cluster.fail('server', withoutPassword(server), serverUrls);
  const certificateAuthority = textSource(cluster, 'certificate-authority');
  const insecureSkipTlsVerify = cluster.flag('insecure-skip-tls-verify');
  if (insecureSkipTlsVerify && certificateAuthority !== undefined) {
    cluster.refuse('insecure-skip-tls-verify', 'must not be true beside a certificate authority');
  }
  const tlsServerName = cluster.text('tls-server-name');
  const proxyUrl = cluster.text('proxy-url');
  if (proxyUrl !== undefined && !isProxyUrl(proxyUrl)) {
    cluster.fail('proxy-url', withoutPassword(proxyUrl), proxyUrls);
  }
  return {
    server: withoutSlash(server),
    insecureSkipTlsVerify,
    ...(certificateAuthority === undefined ? {} : { certificateAuthority }),
    ...(tlsServerName === undefined ? {} : { tlsServerName }),
    ...(proxyUrl === undefined ? {} : { proxyUrl }),
  };
}

function userAccess(
  user: ConfigFields,
  cluster: ConfigFields | undefined,
): Pick<ClusterAccess, 'authorization' | 'clientCertificate' | 'impersonate'> {
  const certificate = textSource(user, 'client-certificate');
  const key = textSource(user, 'client-key');
  if (certificate !== undefined && key === undefined)
    user.refuse('client-key', 'missing beside client-certificate');
  if (certificate === undefined && key !== undefined)
    user.refuse('client-certificate', 'missing beside client-key');
  const impersonate = impersonation(user);
  const known = staticAuthorization(user);
  // client-go: a plugin does not run beside a token, a password or a certificate (exec.go, UpdateTransportConfig).
  const runsPlugin = known.type === 'none' && certificate === undefined && user.has('exec');
  return {
    authorization: runsPlugin ? { type: 'exec', plugin: execPlugin(user.child('exec'), cluster) } : known,
    ...(certificate === undefined || key === undefined ? {} : { clientCertificate: { certificate, key } }),
    ...(impersonate === undefined ? {} : { impersonate }),
  };
}

/** What the file itself holds, or names the file of. */
function staticAuthorization(user: ConfigFields): Authorization {
  if (user.has('auth-provider')) {
    user.refuse(
      'auth-provider',
      'was removed from Kubernetes in 1.26; use exec, token or a client certificate',
    );
  }
  const token = user.text('token');
  const tokenFile = user.text('tokenFile');
  const username = user.text('username');
  const methods = [
    ...(token === undefined && tokenFile === undefined ? [] : ['token']),
    ...(username === undefined ? [] : ['username']),
  ];
  if (methods.length > 1) user.refuse(methods.join(' and '), 'only one of them is allowed');
  // client-go: the content of the file wins over the token beside it.
  if (tokenFile !== undefined)
    return { type: 'token', token: { from: 'file', path: besideFile(user, tokenFile) } };
  if (token !== undefined) return { type: 'token', token: { from: 'value', value: token } };
  if (username !== undefined) return { type: 'basic', username, password: user.text('password') ?? '' };
  return { type: 'none' };
}

function execPlugin(exec: ConfigFields, cluster: ConfigFields | undefined): ExecPlugin {
  const apiVersion =
    exec.oneOf('apiVersion', EXEC_VERSIONS) ?? exec.fail('apiVersion', undefined, EXEC_VERSIONS.join(', '));
  const modes = ['Never', 'IfAvailable', 'Always'] as const;
  const interactiveMode = exec.oneOf('interactiveMode', modes);
  // v1beta1 had a default; v1 asks for a decision.
  if (interactiveMode === undefined && apiVersion === 'client.authentication.k8s.io/v1') {
    exec.fail('interactiveMode', undefined, modes.join(', '));
  }
  const command = exec.requiredText('command');
  const installHint = exec.text('installHint');
  const extension = cluster?.children('extensions').find((each) => each.text('name') === EXEC_EXTENSION);
  return {
    apiVersion,
    // A name is searched in PATH; a relative path starts at the file, as every path of a kubeconfig.
    command: command.includes('/') ? besideFile(exec, command) : command,
    args: exec.texts('args'),
    env: Object.fromEntries(
      exec.children('env').map((each) => [each.requiredText('name'), each.text('value') ?? '']),
    ),
    provideClusterInfo: exec.flag('provideClusterInfo'),
    interactiveMode: interactiveMode ?? 'IfAvailable',
    ...(installHint === undefined ? {} : { installHint }),
    ...(extension === undefined ? {} : { clusterConfig: extension.raw('extension') }),
  };
}

function impersonation(user: ConfigFields): Impersonation | undefined {
  const as = user.text('as');
  const uid = user.text('as-uid');
  const groups = user.texts('as-groups');
  const extras = user.child('as-user-extra');
  const extra = Object.fromEntries(user.entries('as-user-extra').map(([key]) => [key, extras.texts(key)]));
  if (as === undefined) {
    if (uid !== undefined || groups.length > 0 || Object.keys(extra).length > 0) {
      user.refuse('as', 'missing beside as-uid, as-groups or as-user-extra');
    }
    return undefined;
  }
  return { user: as, groups, extra, ...(uid === undefined ? {} : { uid }) };
}

/** `field-data` wins over `field`, as in client-go. */
function textSource(fields: ConfigFields, field: string): TextSource | undefined {
  const value = fields.base64(`${field}-data`);
  if (value !== undefined) return { from: 'value', value };
  const path = fields.text(field);
  return path === undefined ? undefined : { from: 'file', path: besideFile(fields, path) };
}

function besideFile(fields: ConfigFields, path: string): string {
  return isAbsolute(path) ? path : resolve(dirname(fields.file), path);
}
