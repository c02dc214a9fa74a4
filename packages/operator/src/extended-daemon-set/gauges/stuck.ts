import {
  extendedDaemonSetStates as states,
  type ExtendedDaemonSet,
  type ExtendedDaemonSetReplicaSet,
  type ValidationMode,
} from '@atoll/api';
import { scaleIntOrPercent, type ObjectKey, type Stored } from '@atoll/kube';
import { readStrategy } from '../read-strategy.ts';

type ReplicaSet = Stored<ExtendedDaemonSetReplicaSet>;

/**
 * Whether a rolling update cannot go on because as many nodes as it may take down have no available pod, by the statuses: available pods of older
 * templates are left, and none of them may be deleted. Those that are not available hold nothing back: they are replaced first, or their nodes are
 * away. The canary's nodes are apart, and so are as many unresponsive ones as are tolerated. Paused and frozen ones are not stuck. `mode` is that
 * of canaries that name none.
 */
export function isStuck(
  object: Stored<ExtendedDaemonSet>,
  mode: ValidationMode,
  replicaSet: (key: ObjectKey) => ReplicaSet | undefined,
): boolean {
  const { metadata, status } = object;
  if (status === undefined || still.has(status.state ?? '')) return false;
  const { namespace = '' } = metadata;
  const statusOf = (name = '') => replicaSet({ namespace, name })?.status ?? nothing;
  const [active, tried] = [statusOf(status.activeReplicaSet), statusOf(status.canary?.replicaSet)];
  const outdated = {
    all: status.current - active.current - tried.current,
    available: status.available - active.available - tried.available,
  };
  const nodes = status.desired - tried.desired;
  const { maxUnavailable, maxPodSchedulerFailure } = readStrategy(object, mode).strategy;
  const ignored = Math.min(
    active.ignoredUnresponsiveNodes,
    scaleIntOrPercent(maxPodSchedulerFailure, nodes, 'up'),
  );
  const down = nodes - ignored - active.available - outdated.all;
  return outdated.available > 0 && down >= scaleIntOrPercent(maxUnavailable, nodes, 'up');
}

const still: ReadonlySet<string> = new Set([states.rollingUpdatePaused, states.rolloutFrozen]);
const nothing = { desired: 0, current: 0, available: 0, ignoredUnresponsiveNodes: 0 } as const;
