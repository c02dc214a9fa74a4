import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { operatorNames } from '@atoll/api';
import { install } from '@atoll/api/install';
import {
  createClient,
  findCluster,
  requestToken,
  serverVersion,
  sleep,
  systemClock,
  type ClusterAccess,
  type StreamingClient,
  type TextSource,
} from '@atoll/kube';
import type { Screen } from './screen.ts';

const operatorScript = join(import.meta.dirname, '..', 'packages', 'operator', 'src', 'main.ts');
const account = { namespace: operatorNames.namespace, name: operatorNames.serviceAccount };
const tokenSeconds = 3600;

export interface AttachedOptions {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
}

/**
 * Installs Atoll into a cluster with the user's rights, then runs the operator against it with the rights of its own
 * ServiceAccount. Yields the operator's exit code.
 */
export async function runAttached(
  options: AttachedOptions,
  screen: Screen,
  signal: AbortSignal,
): Promise<number> {
  const { kubeconfig: path, context } = options;
  const access = await findCluster({
    ...(path === undefined ? {} : { path }),
    ...(context === undefined ? {} : { context }),
    environment: process.env,
  });
  const client = createClient(access, { userAgent: 'atoll-start', fieldManager: 'atoll-install' });
  const directory = mkdtempSync(join(tmpdir(), 'atoll-start-'));
  chmodSync(directory, 0o700);
  try {
    const { gitVersion } = await serverVersion(client, { signal, timeoutMs: 10_000 });
    screen.say(`Installing CRDs, policies and RBAC into ${access.server} (Kubernetes ${gitVersion}) …`);
    await install(client, { signal });
    const tokenFile = join(directory, 'token');
    await renewToken(client, tokenFile, signal);
    const kubeconfig = join(directory, 'kubeconfig');
    writeFileSync(kubeconfig, stringify(kubeconfigOf(access, tokenFile)), { mode: 0o600 });
    screen.say(
      `Running the operator as ServiceAccount ${account.namespace}/${account.name}; Ctrl-C ends it.`,
    );
    const renewing = new AbortController();
    void keepToken(client, tokenFile, screen, AbortSignal.any([signal, renewing.signal]));
    try {
      return await runOperatorHere(kubeconfig, signal);
    } finally {
      renewing.abort();
    }
  } finally {
    await client.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function runOperatorHere(kubeconfig: string, signal: AbortSignal): Promise<number> {
  const args = [operatorScript, '--kubeconfig', kubeconfig, '--bind-address', '127.0.0.1:0'];
  // A group of its own: Ctrl-C reaches this process only, which then ends the operator in order.
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'], detached: true });
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  child.once('error', reject);
  child.once('exit', (code) => resolve(code ?? 1));
  const end = (): void => void child.kill('SIGTERM');
  if (signal.aborted) end();
  signal.addEventListener('abort', end, { once: true });
  // Whatever ends this process must not leave an operator behind.
  process.once('exit', end);
  return promise;
}

async function renewToken(client: StreamingClient, file: string, signal: AbortSignal): Promise<void> {
  const { token } = await requestToken(client, account, { expirationSeconds: tokenSeconds }, { signal });
  writeFileSync(`${file}.new`, token, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

async function keepToken(
  client: StreamingClient,
  file: string,
  screen: Screen,
  signal: AbortSignal,
): Promise<void> {
  let waitMs = (tokenSeconds * 1000) / 2;
  while (!signal.aborted) {
    await sleep(systemClock, waitMs, signal);
    if (signal.aborted) return;
    try {
      await renewToken(client, file, signal);
      waitMs = (tokenSeconds * 1000) / 2;
    } catch (error) {
      waitMs = 30_000;
      screen.say(
        `Cannot renew the operator's token yet: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  }
}

/** The same cluster for another user. */
function kubeconfigOf(access: ClusterAccess, tokenFile: string): object {
  const cluster = {
    server: access.server,
    ...authorityOf(access.certificateAuthority),
    ...(access.insecureSkipTlsVerify ? { 'insecure-skip-tls-verify': true } : {}),
    ...(access.tlsServerName === undefined ? {} : { 'tls-server-name': access.tlsServerName }),
    ...(access.proxyUrl === undefined ? {} : { 'proxy-url': access.proxyUrl }),
  };
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'cluster', cluster }],
    users: [{ name: account.name, user: { tokenFile } }],
    contexts: [
      {
        name: account.name,
        context: { cluster: 'cluster', user: account.name, namespace: account.namespace },
      },
    ],
    'current-context': account.name,
  };
}

function authorityOf(source: TextSource | undefined): object {
  if (source === undefined) return {};
  if (source.from === 'file') return { 'certificate-authority': source.path };
  return { 'certificate-authority-data': Buffer.from(source.value).toString('base64') };
}
