import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import type { ClusterAccess, TextSource } from './cluster-access.ts';
import { ExecCredentials, type ExecCredential } from './exec-plugin.ts';
import { ReloadedText } from './reloaded-text.ts';

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
  readonly #access: ClusterAccess;
  readonly #ca: ReloadedText | undefined;
  readonly #certificate: ReloadedText | undefined;
  readonly #key: ReloadedText | undefined;
  readonly #token: ReloadedText | undefined;
  readonly #exec: ExecCredentials | undefined;
  readonly #fixedHeaders: Readonly<Record<string, string | string[]>>;

  constructor(access: ClusterAccess, clock: Clock, logger: Logger) {
    const text = (source: TextSource | undefined, what: string): ReloadedText | undefined =>
      source === undefined ? undefined : new ReloadedText(source, what, clock, logger);
    this.#access = access;
    this.#ca = text(access.certificateAuthority, 'certificate authority');
    this.#certificate = text(access.clientCertificate?.certificate, 'client certificate');
    this.#key = text(access.clientCertificate?.key, 'client key');
    const { authorization } = access;
    this.#token = authorization.type === 'token' ? text(authorization.token, 'token') : undefined;
    this.#exec =
      authorization.type === 'exec'
        ? new ExecCredentials(authorization.plugin, access, async () => this.#ca?.read(), clock)
        : undefined;
    this.#fixedHeaders = { ...basicHeader(access), ...impersonationHeaders(access) };
  }

  async current(): Promise<Credentials> {
    const exec = await this.#exec?.get();
    const [ca, certificate, key, token] = await Promise.all([
      this.#ca?.read(),
      exec?.certificate ?? this.#certificate?.read(),
      exec?.key ?? this.#key?.read(),
      exec?.token ?? this.#token?.read(),
    ]);
    return {
      headers:
        token === undefined
          ? this.#fixedHeaders
          : { ...this.#fixedHeaders, authorization: `Bearer ${token.trim()}` },
      tls: { ca, certificate, key },
      exec,
    };
  }

  /** The server answered 401 to these credentials. True where asking again can bring others. */
  refused(credentials: Credentials): boolean {
    this.#exec?.expire(credentials.exec);
    this.#token?.expire();
    this.#certificate?.expire();
    this.#key?.expire();
    const { authorization, clientCertificate } = this.#access;
    return (
      authorization.type === 'exec' ||
      (authorization.type === 'token' && authorization.token.from === 'file') ||
      clientCertificate?.certificate.from === 'file'
    );
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
  const headers: Record<string, string | string[]> = { 'impersonate-user': impersonate.user };
  if (impersonate.uid !== undefined) headers['impersonate-uid'] = impersonate.uid;
  if (impersonate.groups.length > 0) headers['impersonate-group'] = [...impersonate.groups];
  for (const [key, values] of Object.entries(impersonate.extra)) {
    // Header names know no case and few characters: the server decodes percent signs (client-go, transport/round_trippers.go).
    headers[`impersonate-extra-${encodeURIComponent(key)}`] = [...values];
  }
  return headers;
}
