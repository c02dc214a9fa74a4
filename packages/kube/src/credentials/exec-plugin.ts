import type { Clock } from '../clock/clock.ts';
import { problemOfPair } from './check-certificates.ts';
import type { ClusterAccess, ExecPlugin } from './cluster-access.ts';
import { CredentialError } from './credential-error.ts';
import type { PluginTerminal } from './plugin-terminal.ts';
import { runPlugin } from './run-plugin.ts';

/** What a plugin gave us: a token, a client certificate, or both. */
export interface ExecCredential {
  readonly token?: string;
  readonly certificate?: string;
  readonly key?: string;
  /** Undefined: good until the server refuses it. */
  readonly expiresAt?: number;
}

/** How long its error is the answer where a plugin failed: many requests may ask, one after the other, and each run is a process. */
const failedForMs = 1_000;

/**
 * Runs a credential plugin when its credential is first needed, has expired, or was refused by the server.
 * Callers that ask at the same time share one run.
 * Contract: https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins
 */
export class ExecCredentials {
  readonly #plugin: ExecPlugin;
  readonly #access: ClusterAccess;
  readonly #clusterCa: () => Promise<string | undefined>;
  readonly #clock: Clock;
  readonly #terminal: PluginTerminal;
  #current: ExecCredential | undefined;
  #running: Promise<ExecCredential> | undefined;
  #failed: { readonly error: unknown; readonly until: number } | undefined;
  readonly #closing = new AbortController();

  constructor(
    plugin: ExecPlugin,
    access: ClusterAccess,
    clusterCa: () => Promise<string | undefined>,
    clock: Clock,
    terminal: PluginTerminal,
  ) {
    this.#plugin = plugin;
    this.#access = access;
    this.#clusterCa = clusterCa;
    this.#clock = clock;
    this.#terminal = terminal;
  }

  /** A person may be asked, who takes their time. */
  get asksPerson(): boolean {
    return this.#terminal.output || isInteractive(this.#plugin, this.#terminal);
  }

  async get(): Promise<ExecCredential> {
    const current = this.#current;
    if (current !== undefined && (current.expiresAt ?? Infinity) > this.#clock.now()) return current;
    if (this.#failed !== undefined && this.#clock.monotonic() < this.#failed.until) throw this.#failed.error;
    this.#running ??= this.#run()
      .catch((error: unknown) => {
        this.#failed = { error, until: this.#clock.monotonic() + failedForMs };
        throw error;
      })
      .finally(() => (this.#running = undefined));
    return this.#running;
  }

  /** The server answered 401 to `refused`; a newer credential stays. */
  expire(refused: ExecCredential | undefined): void {
    if (this.#current === refused) this.#current = undefined;
  }

  /** Ends a plugin that runs: it would keep the process until it ends by itself. */
  close(): void {
    this.#closing.abort();
  }

  async #run(): Promise<ExecCredential> {
    const plugin = this.#plugin;
    const terminal = this.#terminal;
    const interactive = isInteractive(plugin, terminal);
    if (plugin.interactiveMode === 'Always' && !interactive) {
      throw new CredentialError(
        `exec plugin ${plugin.command}: interactiveMode is Always, but standard input is no terminal; allowed here: Never, IfAvailable`,
      );
    }
    const spec: Record<string, unknown> = { interactive };
    if (plugin.provideClusterInfo) spec['cluster'] = await this.#clusterInfo();
    const info = JSON.stringify({ apiVersion: plugin.apiVersion, kind: 'ExecCredential', spec });
    this.#current = parseExecCredential(
      plugin,
      await runPlugin(plugin, info, {
        clock: this.#clock,
        signal: this.#closing.signal,
        terminal,
        interactive,
      }),
    );
    return this.#current;
  }

  async #clusterInfo(): Promise<Record<string, unknown>> {
    const ca = await this.#clusterCa();
    const access = this.#access;
    return {
      server: access.server,
      ...(access.tlsServerName === undefined ? {} : { 'tls-server-name': access.tlsServerName }),
      ...(access.insecureSkipTlsVerify ? { 'insecure-skip-tls-verify': true } : {}),
      ...(ca === undefined ? {} : { 'certificate-authority-data': Buffer.from(ca).toString('base64') }),
      ...(access.proxyUrl === undefined ? {} : { 'proxy-url': access.proxyUrl }),
      ...(this.#plugin.clusterConfig === undefined ? {} : { config: this.#plugin.clusterConfig }),
    };
  }
}

/** Whether a plugin gets our standard input (client-go, `isInteractive` of its exec plugin). */
function isInteractive({ interactiveMode }: ExecPlugin, { input }: PluginTerminal): boolean {
  return interactiveMode !== 'Never' && input;
}

/** Reads what a plugin printed; throws a {@link CredentialError} that names the plugin and the field. */
function parseExecCredential(plugin: ExecPlugin, output: string): ExecCredential {
  const fail = (problem: string): never => {
    throw new CredentialError(`exec plugin ${plugin.command}: ${problem}`);
  };
  let document: unknown;
  try {
    document = JSON.parse(output);
  } catch {
    return fail('its output is not JSON');
  }
  const credential = fieldsOf(document);
  if (credential['kind'] !== 'ExecCredential')
    fail(`kind is ${JSON.stringify(credential['kind'])}; allowed: ExecCredential`);
  if (credential['apiVersion'] !== plugin.apiVersion) {
    fail(`apiVersion is ${JSON.stringify(credential['apiVersion'])}; allowed: ${plugin.apiVersion}`);
  }
  const status = fieldsOf(credential['status']);
  const token = textOf(status['token']);
  const certificate = textOf(status['clientCertificateData']);
  const key = textOf(status['clientKeyData']);
  if ((certificate === undefined) !== (key === undefined)) {
    fail('status needs clientCertificateData and clientKeyData together');
  }
  const problem =
    certificate === undefined || key === undefined ? undefined : problemOfPair(certificate, key);
  if (problem !== undefined) fail(`status: ${problem}`);
  if (token === undefined && certificate === undefined) {
    fail('status has neither a token nor clientCertificateData');
  }
  const expiry = textOf(status['expirationTimestamp']);
  const expiresAt = expiry === undefined ? undefined : Date.parse(expiry);
  if (expiresAt !== undefined && Number.isNaN(expiresAt)) {
    fail(`status.expirationTimestamp is ${JSON.stringify(expiry)}; allowed: an RFC 3339 time`);
  }
  return {
    ...(token === undefined ? {} : { token }),
    ...(certificate === undefined ? {} : { certificate }),
    ...(key === undefined ? {} : { key }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  };
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
