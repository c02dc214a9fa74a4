import {
  extendedDaemonSetConditions as conditions,
  extendedDaemonSetStates as states,
  type ExtendedDaemonSet,
} from '@atoll/api';
import { asNumber, createdAt, type DeclaredGauge } from './declared-gauge.ts';
import { labelsOf, subjectOf } from './label-gauges.ts';

type Gauge = DeclaredGauge<ExtendedDaemonSet>;
type Status = NonNullable<ExtendedDaemonSet['status']>;

/** Of ExtendedDaemonSets, as the old operator has them (`reference/extendeddaemonset.md` 5). */
export const objectGauges: readonly Gauge[] = [
  {
    name: 'eds_labels',
    help: 'Labels of the ExtendedDaemonSet as labels of the sample.',
    sample: (object) => ({ labels: labelsOf(object), value: 1 }),
  },
  {
    name: 'eds_created',
    help: 'When the ExtendedDaemonSet was created, in seconds since the Unix epoch.',
    sample: (object) => ({ labels: subjectOf(object), value: createdAt(object) }),
  },
  ofStatus('eds_status_desired', 'Nodes that are to run a pod.', ({ desired }) => desired),
  ofStatus(
    'eds_status_current',
    'Nodes that run a pod of one of the replica sets.',
    ({ current }) => current,
  ),
  ofStatus('eds_status_ready', 'Pods that are Ready.', ({ ready }) => ready),
  ofStatus('eds_status_available', 'Pods that are available.', ({ available }) => available),
  ofStatus('eds_status_uptodate', 'Pods of the current template.', ({ upToDate }) => upToDate),
  ofStatus(
    'eds_status_ignored_unresponsive_nodes',
    'Nodes that are left out of the rolling update because they do not respond.',
    ({ ignoredUnresponsiveNodes }) => ignoredUnresponsiveNodes,
  ),
  {
    name: 'eds_status_canary_activated',
    help: 'Whether a canary is under way: 1 yes, 0 no. The replicaset label names its replica set.',
    sample: (object) => {
      const canary = object.status?.canary ?? undefined;
      const labels = { ...subjectOf(object), replicaset: canary?.replicaSet ?? '' };
      return { labels, value: asNumber(canary !== undefined) };
    },
  },
  {
    name: 'eds_status_canary_paused',
    help: 'Whether the canary is paused: 1 yes, 0 no. The paused_reason label has the reason.',
    sample: (object) => {
      const canary = object.status?.canary ?? undefined;
      if (canary === undefined) return { labels: subjectOf(object), value: 0 };
      const labels = { ...subjectOf(object), replicaset: canary.replicaSet };
      const paused = object.status?.conditions?.find(({ type }) => type === conditions.canaryPaused);
      if (paused?.status !== 'True') return { labels, value: 0 };
      return { labels: { ...labels, paused_reason: paused.reason ?? '' }, value: 1 };
    },
  },
  ofStatus('eds_status_canary_node_number', 'Nodes of the canary.', ({ canary }) => canary?.nodes?.length),
  ofStatus(
    'eds_status_rolling_update_paused',
    'Whether the rolling update is paused: 1 yes, 0 no.',
    ({ state }) => asNumber(state === states.rollingUpdatePaused),
  ),
  ofStatus(
    'eds_status_rollout_frozen',
    'Whether the rollout is frozen, or stands because the active replica set is unknown: 1 yes, 0 no.',
    ({ state }) => asNumber(state === states.rolloutFrozen),
  ),
];

function ofStatus(name: string, help: string, value: (status: Status) => number | undefined): Gauge {
  const sample: Gauge['sample'] = (object) => ({
    labels: subjectOf(object),
    value: (object.status === undefined ? undefined : value(object.status)) ?? 0,
  });
  return { name, help, sample };
}
