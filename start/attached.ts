import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { install } from '@atoll/operator/install';
import {
  createClient,
  isApiError,
  loadKubeconfig,
  serverVersion,
  type ClusterAccess,
  type StreamingClient,
} from '@atoll/kube';
import { describePlan, planInstallation } from './installation-plan.ts';
import { keepRunning } from './keep-running.ts';
import { missingRights } from './may-install.ts';
import { oldWebhooks } from './old-webhooks.ts';
import { OperatorAccess, operatorAccount } from './operator-access.ts';
import { runOperatorProcess } from './operator-process.ts';
import type { Screen } from './terminal/screen.ts';

export interface AttachedOptions {
  /** A file; empty: kubectl's own rules, `$KUBECONFIG` and then `~/.kube/config`. */
  readonly kubeconfig: string;
  readonly context: string | undefined;
  /** Install without asking. */
  readonly yes: boolean;
  /** Asks a person; undefined where there is none. */
  readonly ask: ((question: string) => Promise<boolean>) | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** What `npm start` needs is not on its command line. */
const wrongCommandLine = 2;

/**
 * Says what is installed into a cluster, asks, and installs it with the user's rights; then runs the operator against it
 * with the rights of its own ServiceAccount. Yields an exit code; what was installed stays, and nothing on this machine.
 */
export async function runAttached(
  options: AttachedOptions,
  screen: Screen,
  signal: AbortSignal,
): Promise<number> {
  const { kubeconfig: path, context, environment } = options;
  const access = await loadKubeconfig({
    ...(path === '' ? {} : { path }),
    ...(context === undefined ? {} : { context }),
    environment,
  });
  const client = createClient(access, { userAgent: 'atoll-start' });
  // Only this user can read what is in it.
  const directory = mkdtempSync(join(tmpdir(), 'atoll-start-'));
  const remove = (): void => rmSync(directory, { recursive: true, force: true });
  process.once('exit', remove);
  try {
    const gitVersion = await look(client, access, screen, signal);
    if (!options.yes) {
      if (options.ask === undefined) {
        screen.print(
          'Nothing was changed, as there is no terminal to ask on: add --yes to the command line.',
        );
        return wrongCommandLine;
      }
      if (!(await options.ask('Do that? [y/N] '))) {
        screen.print('Nothing was changed.');
        return 1;
      }
    }
    screen.print(
      `Installing the CRDs, policies and RBAC of Atoll into ${access.server} (Kubernetes ${gitVersion}) …`,
    );
    await install(client, { signal });
    await showOldWebhooks(client, screen, signal);
    return await operate(client, access, directory, screen, signal);
  } finally {
    await client.close();
    remove();
    process.off('exit', remove);
  }
}

/** Says what installing will do, without doing it. Yields the server's version. */
async function look(
  client: StreamingClient,
  { server }: ClusterAccess,
  screen: Screen,
  signal: AbortSignal,
): Promise<string> {
  const gitVersion = await reach(client, server, signal);
  const missing = await missingRights(client, signal);
  if (missing.length > 0) {
    throw new Error(
      `You may not install Atoll into the cluster at ${server}; these rights are missing: ${missing.join('; ')}. ` +
        'Use the kubeconfig of an administrator.',
    );
  }
  const plan = await planInstallation(client, signal);
  screen.print(`Into ${server} (Kubernetes ${gitVersion}) npm start installs Atoll:`);
  for (const line of describePlan(plan)) screen.print(line);
  screen.print(
    'Objects of kinds that are there stay. Then the operator runs on this machine as ServiceAccount ' +
      `${operatorAccount.namespace}/${operatorAccount.name} and takes care of all objects of these kinds. ` +
      'docs/operating/remove.md says how to take it out again.',
  );
  return gitVersion;
}

async function showOldWebhooks(client: StreamingClient, screen: Screen, signal: AbortSignal): Promise<void> {
  const { removals, ofNodes } = await oldWebhooks(client, signal);
  for (const webhook of ofNodes) {
    screen.print(
      `While yurt-manager runs, its webhook ${webhook} refuses that a node changes its pool, and labels that Atoll sets. ` +
        'Switch it off with the flag --disable-independent-webhooks=node of yurt-manager; ' +
        'docs/users/migration-openyurt.md says what else it does.',
    );
  }
  if (removals.length === 0) return;
  screen.print(
    'Webhooks of another operator decide about writes to NodePools, YurtAppDaemons or UnitedDaemonSets, and block them ' +
      'all when that operator does not run. Once it is stopped for good, remove them:',
  );
  for (const removal of removals) screen.print(`  ${removal}`);
}

/** Yields the server's version. */
async function reach(client: StreamingClient, server: string, signal: AbortSignal): Promise<string> {
  try {
    return (await serverVersion(client, { signal, timeoutMs: 10_000 })).gitVersion;
  } catch (error) {
    signal.throwIfAborted();
    const why = error instanceof Error ? error.message : String(error);
    const cause = isApiError(error) ? why.replace(`${error.attempted}: `, '') : why;
    throw new Error(`Cannot use the cluster at ${server}: ${cause}`, { cause: error });
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
  screen.print(
    `Running the operator as ServiceAccount ${operatorAccount.namespace}/${operatorAccount.name}; its log follows. ` +
      'Ctrl-C ends it; what it made stays.',
  );
  const over = new AbortController();
  const cannotRenew = (why: string): void => screen.print(`Cannot renew the operator's token yet: ${why}`);
  void own.keep(expiresAt, cannotRenew, AbortSignal.any([signal, over.signal]));
  try {
    const logFormat = process.stdout.isTTY ? 'text' : 'json';
    return await keepRunning(
      async () => runOperatorProcess({ kubeconfig: own.kubeconfig, directory, logFormat }, signal),
      { print: screen.print.bind(screen), now: () => performance.now(), signal },
    );
  } finally {
    over.abort();
  }
}
