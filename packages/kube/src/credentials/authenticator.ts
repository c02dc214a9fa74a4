import type { Clock } from '../clock/clock.ts';
import type { Logger } from '../telemetry/logger.ts';
import { problemOfAuthorities, problemOfPair, unreadableAuthorities } from './check-certificates.ts';
import type { ClusterAccess, TextSource } from './cluster-access.ts';
import { ExecCredentials, type ExecCredential } from './exec-plugin.ts';
import type { PluginTerminal } from './plugin-terminal.ts';
import { ReloadedFiles, type TextCheck, type TextRemainder } from './reloaded-files.ts';

/** The part of the credentials that belongs to a connection: when it changes, new connections are needed. */
export interface TlsMaterial {
  readonly ca: string | undefined;
  readonly certificate: string | undefined;
  readonly key: string | undefined;
}

/** What one request is sent with. */
export interface Credentials {
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly tls: TlsMaterial;
  /** Kept to see, on a 401, whether a newer credential has come meanwhile. */
  readonly exec: ExecCredential | undefined;
}

/** Turns {@link ClusterAccess} into headers and TLS material, always from the current files and plugin output. */
export class Authenticator {
  readonly #ca: ReloadedFiles | undefined;
  /** Certificate and key. */
  readonly #pair: ReloadedFiles | undefined;
  readonly #token: ReloadedFiles | undefined;
  readonly #exec: ExecCredentials | undefined;
  readonly #fixedHeaders: Readonly<Record<string, string | string[]>>;

  constructor(access: ClusterAccess, clock: Clock, logger: Logger, terminal: PluginTerminal) {
    const { authorization, certificateAuthority: ca, clientCertificate: pair } = access;
    const files = (
      sources: readonly TextSource[],
      what: string,
      checks: { readonly check?: TextCheck; readonly unreadable?: TextRemainder } = {},
    ): ReloadedFiles => new ReloadedFiles(sources, what, { ...checks, clock, logger });
    if (ca !== undefined) {
      this.#ca = files([ca], 'certificate authority', {
        check: ([text = '']) => problemOfAuthorities(text),
        unreadable: ([text = '']) => unreadableAuthorities(text),
      });
    }
    if (pair !== undefined) {
      this.#pair = files([pair.certificate, pair.key], 'client certificate', {
        check: ([certificate = '', key = '']) => problemOfPair(certificate, key),
      });
    }
    if (authorization.type === 'token') this.#token = files([authorization.token], 'token');
    this.#exec =
      authorization.type === 'exec'
        ? new ExecCredentials(
            authorization.plugin,
            access,
            async () => (await this.#ca?.read())?.[0],
            clock,
            terminal,
          )
        : undefined;
    this.#fixedHeaders = { ...basicHeader(access), ...impersonationHeaders(access) };
  }

  /** Credentials may come from a person, who takes their time. */
  get asksPerson(): boolean {
    return this.#exec?.asksPerson === true;
  }

  /** Resolves when a person who may be asked for credentials has given them; nobody is asked where we have them. */
  async login(): Promise<void> {
    await this.#exec?.get();
  }

  async current(): Promise<Credentials> {
    const exec = await this.#exec?.get();
    // What a plugin gave comes before files.
    const [authorities, pair, tokens] = await Promise.all([
      this.#ca?.read(),
      exec?.certificate === undefined ? this.#pair?.read() : [exec.certificate, exec.key],
      exec?.token === undefined ? this.#token?.read() : [exec.token],
    ]);
    const [token] = tokens ?? [];
    return {
      headers:
        token === undefined
          ? this.#fixedHeaders
          : { ...this.#fixedHeaders, authorization: `Bearer ${token.trim()}` },
      tls: { ca: authorities?.[0], certificate: pair?.[0], key: pair?.[1] },
      exec,
    };
  }

  close(): void {
    this.#exec?.close();
  }

  /** The server answered 401 to these credentials. True where asking again can bring others. */
  refused(credentials: Credentials): boolean {
    this.#exec?.expire(credentials.exec);
    this.#token?.expire();
    this.#pair?.expire();
    return this.#exec !== undefined || this.#token?.changes === true || this.#pair?.changes === true;
  }
}

function basicHeader(access: ClusterAccess): Record<string, string> {
  if (access.authorization.type !== 'basic') return {};
  const { username, password } = access.authorization;
  return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
}

function impersonationHeaders(access: ClusterAccess): Record<string, string | string[]> {
  const { impersonate } = access;
  if (impersonate === undefined) return {};
  const headers: Record<string, string | string[]> = { 'impersonate-user': asUtf8(impersonate.user) };
  if (impersonate.uid !== undefined) headers['impersonate-uid'] = asUtf8(impersonate.uid);
  if (impersonate.groups.length > 0) headers['impersonate-group'] = impersonate.groups.map(asUtf8);
  for (const [key, values] of Object.entries(impersonate.extra)) {
    // Header names know no case and few characters: the server decodes percent signs (client-go, transport/round_trippers.go).
    headers[`impersonate-extra-${encodeURIComponent(key)}`] = values.map(asUtf8);
  }
  return headers;
}

/** Node sends one byte for each character of a header; the API server reads UTF-8. */
function asUtf8(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}
