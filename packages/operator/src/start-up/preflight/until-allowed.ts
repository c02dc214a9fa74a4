import { systemClock } from '@atoll/kube';
import type { Connected } from '../connect.ts';
import { leaseRights, neededRights } from './needed-rights.ts';
import { ownLease } from '../own-lease.ts';
import { preflight, preflightLease, type NeededRight } from './preflight.ts';
import { untilUsable } from './until-usable.ts';
import { warnOfUnseen } from './warn-of-unseen.ts';

/** So long what was granted counts while others cannot be asked for: a server that was away for longer may have other roles. */
const grantedForMs = 60_000;

/** Waits until the API server answers and grants all rights that are needed. Rejects where they are refused. */
export async function untilAllowed(
  { options, selected, environment, client, server }: Connected,
  signal: AbortSignal,
): Promise<void> {
  const { logger, variables, version } = environment;
  const { namespaces } = options;
  const lease = options.leaderElect ? ownLease(options, variables) : undefined;
  const rights = [...neededRights(selected, namespaces), ...(lease === undefined ? [] : leaseRights(lease))];
  // Another try asks only for what was not granted yet: a busy server answers some of them, and not others in time.
  const granted = new Set<NeededRight>();
  let since = systemClock.monotonic();
  const check = async (): Promise<string> => {
    const now = systemClock.monotonic();
    if (now - since > grantedForMs) {
      granted.clear();
      since = now;
    }
    const gitVersion = await preflight(client, server, rights, signal, granted);
    if (lease !== undefined) await preflightLease(client, server, lease, signal);
    return gitVersion;
  };
  const serverVersion = await untilUsable(check, { server, clock: systemClock, logger, signal });
  logger.info({ version, server, serverVersion, namespaces }, 'starting');
  if (namespaces !== undefined) warnOfUnseen(selected, logger);
}
