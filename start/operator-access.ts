import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { operatorNames } from '@atoll/api';
import {
  requestToken,
  sleep,
  systemClock,
  type ClusterAccess,
  type StreamingClient,
  type TextSource,
} from '@atoll/kube';

/** Whose rights the operator has. */
export const operatorAccount = { namespace: operatorNames.namespace, name: operatorNames.serviceAccount };
/** Asked for; the API server may give less. */
const tokenSeconds = 3600;
const retryMs = 15_000;

/** A kubeconfig for the operator's own account, in a folder that only this user can read. */
export class OperatorAccess {
  readonly kubeconfig: string;
  readonly #client: StreamingClient;
  readonly #tokenFile: string;

  private constructor(client: StreamingClient, directory: string) {
    this.#client = client;
    this.#tokenFile = join(directory, 'token');
    this.kubeconfig = join(directory, 'kubeconfig');
  }

  /** `access` is the user's way to the cluster; `client` uses it. */
  static async create(
    client: StreamingClient,
    access: ClusterAccess,
    directory: string,
    signal: AbortSignal,
  ): Promise<{ readonly access: OperatorAccess; readonly expiresAt: number }> {
    const own = new OperatorAccess(client, directory);
    const expiresAt = await own.#renew(signal);
    writeFileSync(own.kubeconfig, stringify(kubeconfigOf(access, own.#tokenFile)), { mode: 0o600 });
    return { access: own, expiresAt };
  }

  /** Renews the token after half of its life, until the signal ends. The operator reads the file again by itself. */
  async keep(expiresAt: number, onFailure: (why: string) => void, signal: AbortSignal): Promise<void> {
    let waitMs = halfOf(expiresAt);
    for (;;) {
      await sleep(systemClock, waitMs, signal);
      if (signal.aborted) return;
      try {
        waitMs = halfOf(await this.#renew(signal));
      } catch (error) {
        if (signal.aborted) return;
        waitMs = retryMs;
        onFailure(error instanceof Error ? error.message : String(error));
      }
    }
  }

  /** Yields when the new token ends, in milliseconds since 1970. */
  async #renew(signal: AbortSignal): Promise<number> {
    const spec = { expirationSeconds: tokenSeconds };
    const { token, expiresAt } = await requestToken(this.#client, operatorAccount, spec, { signal });
    writeFileSync(`${this.#tokenFile}.new`, token, { mode: 0o600 });
    renameSync(`${this.#tokenFile}.new`, this.#tokenFile);
    return Date.parse(expiresAt);
  }
}

function halfOf(expiresAt: number): number {
  return Math.max((expiresAt - Date.now()) / 2, retryMs);
}

/** The same cluster, by the same way, for the operator's account. */
export function kubeconfigOf(access: ClusterAccess, tokenFile: string): object {
  const cluster = {
    server: access.server,
    ...authorityOf(access.certificateAuthority),
    ...(access.insecureSkipTlsVerify ? { 'insecure-skip-tls-verify': true } : {}),
    ...(access.tlsServerName === undefined ? {} : { 'tls-server-name': access.tlsServerName }),
    ...(access.proxyUrl === undefined ? {} : { 'proxy-url': access.proxyUrl }),
  };
  const { namespace, name } = operatorAccount;
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'cluster', cluster }],
    users: [{ name, user: { tokenFile } }],
    contexts: [{ name, context: { cluster: 'cluster', user: name, namespace } }],
    'current-context': name,
  };
}

function authorityOf(source: TextSource | undefined): object {
  if (source === undefined) return {};
  if (source.from === 'file') return { 'certificate-authority': source.path };
  return { 'certificate-authority-data': Buffer.from(source.value).toString('base64') };
}
