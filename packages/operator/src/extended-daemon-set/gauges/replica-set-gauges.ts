import { replicaSetConditions, type ExtendedDaemonSetReplicaSet } from '@atoll/api';
import { trueCondition } from '../replica-sets/conditions.ts';
import { asNumber, createdAt, type DeclaredGauge } from './declared-gauge.ts';
import { labelsOf, subjectOf } from './label-gauges.ts';

type Gauge = DeclaredGauge<ExtendedDaemonSetReplicaSet>;
type Counted = 'desired' | 'current' | 'ready' | 'available' | 'ignoredUnresponsiveNodes';

/** Of replica sets, as the old operator has them (`reference/extendeddaemonset.md` 5). */
export const replicaSetGauges: readonly Gauge[] = [
  {
    name: 'ers_labels',
    help: 'Labels of the replica set as labels of the sample.',
    sample: (object) => ({ labels: labelsOf(object), value: 1 }),
  },
  {
    name: 'ers_created',
    help: 'When the replica set was created, in seconds since the Unix epoch.',
    sample: (object) => ({ labels: subjectOf(object), value: createdAt(object) }),
  },
  count('ers_status_desired', 'Nodes that are to run a pod of the replica set.', 'desired'),
  {
    name: 'ers_status_current',
    help: 'Pods of the replica set. The status label is its role: active, canary, canary-failed, unknown.',
    sample: (object) => {
      const { current = 0, status = '' } = object.status ?? {};
      return { labels: { ...subjectOf(object), status: status.toLowerCase() }, value: current };
    },
  },
  count('ers_status_ready', 'Pods of the replica set that are Ready.', 'ready'),
  count('ers_status_available', 'Pods of the replica set that are available.', 'available'),
  count(
    'ers_status_ignored_unresponsive_nodes',
    'Nodes of the replica set that are left out of the rolling update because they do not respond.',
    'ignoredUnresponsiveNodes',
  ),
  {
    name: 'ers_status_canary_failed',
    help: 'Whether the replica set failed as a canary: 1 yes, 0 no.',
    sample: (object) => ({
      labels: subjectOf(object),
      value: asNumber(trueCondition(object, replicaSetConditions.canaryFailed) !== undefined),
    }),
  },
];

function count(name: string, help: string, field: Counted): Gauge {
  return {
    name,
    help,
    sample: (object) => ({ labels: subjectOf(object), value: object.status?.[field] ?? 0 }),
  };
}
