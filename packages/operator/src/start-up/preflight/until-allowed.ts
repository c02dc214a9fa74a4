import { systemClock } from '@atoll/kube';
import type { Connected } from '../connect.ts';
import { leaseRights, neededRights } from './needed-rights.ts';
import { ownLease } from '../own-lease.ts';
import { preflight, preflightLease } from './preflight.ts';
import { untilUsable } from './until-usable.ts';
import { warnOfUnseen } from './warn-of-unseen.ts';

/** Waits until the API server answers and grants all rights that are needed. Rejects where they are refused. */
export async function untilAllowed(
  { options, selected, environment, client, server }: Connected,
  signal: AbortSignal,
): Promise<void> {
  const { logger, variables, version } = environment;
  const { namespaces } = options;
  const lease = options.leaderElect ? ownLease(options, variables) : undefined;
  const rights = [...neededRights(selected, namespaces), ...(lease === undefined ? [] : leaseRights(lease))];
  const check = async (): Promise<string> => {
    const gitVersion = await preflight(client, server, rights, signal);
    if (lease !== undefined) await preflightLease(client, server, lease, signal);
    return gitVersion;
  };
  const serverVersion = await untilUsable(check, { server, clock: systemClock, logger, signal });
  logger.info({ version, server, serverVersion, namespaces }, 'starting');
  if (namespaces !== undefined) warnOfUnseen(selected, logger);
}
