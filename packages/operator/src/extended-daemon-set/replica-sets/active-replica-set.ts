import type { ExtendedDaemonSet, ExtendedDaemonSetReplicaSet } from '@atoll/api';
import { byAge, controllerOf, type Stored } from '@atoll/kube';
import type { NodePods } from '../fleet/pods-by-node.ts';
import { conditionsOfActive, trueCondition } from './conditions.ts';
import { sameMeaning } from './find-replica-set.ts';
import { sameTemplate } from './template-meaning.ts';

type ReplicaSet = Stored<ExtendedDaemonSetReplicaSet>;

/** The replica set that had the fleet when the status was written. */
export interface KnownActive {
  /** undefined: there is none, or which one it is cannot be said. */
  readonly named: ReplicaSet | undefined;
  /** More than one may be it. */
  readonly several: readonly ReplicaSet[];
}

/**
 * The replica set that the status names. Where a status has lost that name, as after a restore or the write of a stranger, it is the one whose own
 * status shows that it was active; of several, which old operators leave, the one whose template most pods have.
 */
export function activeReplicaSet(
  { status }: Pick<ExtendedDaemonSet, 'status'>,
  live: readonly ReplicaSet[],
  pods: ReadonlyMap<string, NodePods>,
): KnownActive {
  const name = status?.activeReplicaSet ?? '';
  const recorded = name === '' ? undefined : live.find(({ metadata }) => metadata.name === name);
  if (recorded !== undefined) return { named: recorded, several: [] };
  const were = live
    .filter((each) => conditionsOfActive.some((type) => trueCondition(each, type) !== undefined))
    .sort(byAge);
  if (were.length < 2) return { named: were[0], several: [] };
  const counts = were.map((each) => podsOf(each, live, pods));
  const most = were.filter((_, index) => counts[index] === Math.max(...counts));
  const [first] = most;
  const isOneTemplate = most.every((each) => sameTemplate(each.spec.template, first?.spec.template ?? {}));
  return isOneTemplate ? { named: first, several: [] } : { named: undefined, several: most };
}

function podsOf(
  replicaSet: ReplicaSet,
  live: readonly ReplicaSet[],
  pods: ReadonlyMap<string, NodePods>,
): number {
  const same = sameMeaning(replicaSet, live);
  return [...pods.values()].filter(
    ({ kept }) => kept !== undefined && same.has(controllerOf(kept)?.uid ?? ''),
  ).length;
}
