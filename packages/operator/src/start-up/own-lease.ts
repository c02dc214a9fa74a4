import { operatorNames } from '@atoll/api';
import type { ManagerOptions } from '@atoll/kube';
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
