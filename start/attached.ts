import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { install } from '@atoll/api/install';
import {
  createClient,
  findCluster,
  isApiError,
  serverVersion,
  type ClusterAccess,
  type StreamingClient,
} from '@atoll/kube';
import { missingRights } from './may-install.ts';
import { removalsOfOldWebhooks } from './old-webhooks.ts';
import { OperatorAccess, operatorAccount } from './operator-access.ts';
import { runOperatorProcess } from './operator-process.ts';
import type { Screen } from './screen.ts';

export interface AttachedOptions {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * Installs Atoll into a cluster with the user's rights, then runs the operator against it with the rights of its own
 * ServiceAccount. Yields the operator's exit code; what was installed stays, and nothing on this machine.
 */
export async function runAttached(
  options: AttachedOptions,
  screen: Screen,
  signal: AbortSignal,
): Promise<number> {
  const { kubeconfig: path, context, environment } = options;
  const access = await findCluster({
    ...(path === undefined ? {} : { path }),
    ...(context === undefined ? {} : { context }),
    environment,
  });
  const client = createClient(access, { userAgent: 'atoll-start' });
  // Only this user can read what is in it.
  const directory = mkdtempSync(join(tmpdir(), 'atoll-start-'));
  const remove = (): void => rmSync(directory, { recursive: true, force: true });
  process.once('exit', remove);
  try {
    await installInto(client, access, screen, signal);
    return await operate(client, access, directory, screen, signal);
  } finally {
    await client.close();
    remove();
    process.off('exit', remove);
  }
}

async function installInto(
  client: StreamingClient,
  { server }: ClusterAccess,
  screen: Screen,
  signal: AbortSignal,
): Promise<void> {
  const gitVersion = await reach(client, server, signal);
  const missing = await missingRights(client, signal);
  if (missing.length > 0) {
    throw new Error(
      `You may not install Atoll into the cluster at ${server}; these rights are missing: ${missing.join('; ')}. ` +
        'Use the kubeconfig of an administrator.',
    );
  }
  screen.say(`Installing the CRDs, policies and RBAC of Atoll into ${server} (Kubernetes ${gitVersion}) …`);
  await install(client, { signal });
  const removals = await removalsOfOldWebhooks(client, signal);
  if (removals.length === 0) return;
  screen.say(
    'Webhooks of another operator decide about writes to NodePools, YurtAppDaemons or UnitedDaemonSets, and block them ' +
      'all when that operator does not run. Once it is stopped for good, remove them:',
  );
  for (const removal of removals) screen.say(`  ${removal}`);
}

/** Yields the server's version. */
async function reach(client: StreamingClient, server: string, signal: AbortSignal): Promise<string> {
  try {
    return (await serverVersion(client, { signal, timeoutMs: 10_000 })).gitVersion;
  } catch (error) {
    signal.throwIfAborted();
    const why = error instanceof Error ? error.message : String(error);
    const said = isApiError(error) ? why.replace(`${error.attempted}: `, '') : why;
    throw new Error(`Cannot use the cluster at ${server}: ${said}`, { cause: error });
  }
}

async function operate(
  client: StreamingClient,
  access: ClusterAccess,
  directory: string,
  screen: Screen,
  signal: AbortSignal,
): Promise<number> {
  const { access: own, expiresAt } = await OperatorAccess.create(client, access, directory, signal);
  screen.say(
    `Running the operator as ServiceAccount ${operatorAccount.namespace}/${operatorAccount.name}; its log follows. ` +
      'Ctrl-C ends it; what it made stays.',
  );
  const over = new AbortController();
  const cannotRenew = (why: string): void => screen.say(`Cannot renew the operator's token yet: ${why}`);
  void own.keep(expiresAt, cannotRenew, AbortSignal.any([signal, over.signal]));
  try {
    const logFormat = process.stdout.isTTY ? 'text' : 'json';
    const code = await runOperatorProcess({ kubeconfig: own.kubeconfig, directory, logFormat }, signal);
    if (!signal.aborted) screen.say(`The operator ended by itself with exit code ${code}; its log says why.`);
    return signal.aborted ? code : code || 1;
  } finally {
    over.abort();
  }
}
