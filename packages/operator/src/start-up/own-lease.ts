import { operatorNames } from '@atoll/api';
import type { ManagerOptions, Metrics, Part } from '@atoll/kube';
import type { Connected } from './connect.ts';
import type { OperatorEnvironment } from './operator-environment.ts';
import { sendWithinMs, type OperatorOptions } from './options/operator-options.ts';

type LeaderElection = NonNullable<ManagerOptions['leaderElection']>;

/** The namespace that the operator runs in. */
export function ownNamespace(variables: OperatorEnvironment['variables']): string {
  return variables['POD_NAMESPACE'] || operatorNames.namespace;
}

/** The lease by which replicas elect the one that leads. */
export function ownLease(
  options: Pick<OperatorOptions, 'leaseNamespace' | 'leaseName'>,
  variables: OperatorEnvironment['variables'],
): LeaderElection['lease'] {
  // Leases are namespaced.
  const namespace = options.leaseNamespace ?? ownNamespace(variables);
  return { namespace, name: options.leaseName };
}

/** `identity`: names this process among the replicas. */
export function leaderElection(
  { options, environment: { variables }, client }: Connected,
  identity: string,
): LeaderElection {
  const { leaseDurationMs, renewDeadlineMs, retryPeriodMs } = options;
  const lease = ownLease(options, variables);
  return { client, lease, identity, leaseDurationMs, renewDeadlineMs, retryPeriodMs, sendWithinMs };
}

/**
 * Reports that this process leads, without the Lease, as soon as the first of its controllers can start: alerts take an operator that
 * reports no leader for one that does nothing.
 */
export function leadsWithoutLease(
  { options, metrics }: { readonly options: Pick<OperatorOptions, 'leaseName'>; readonly metrics: Metrics },
  controllers: readonly Part[],
): Part {
  const report = (value: 0 | 1): void =>
    metrics.leaderElection.status.set({ name: options.leaseName }, value);
  return {
    name: 'leader without a lease',
    synced: async () => Promise.any(controllers.map(async ({ synced }) => synced?.())),
    run: async (signal) => {
      report(1);
      await new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
      report(0);
    },
  };
}
