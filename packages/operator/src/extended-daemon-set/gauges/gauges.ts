import type { ExtendedDaemonSet } from '@atoll/api';
import type { GaugeFamily, GaugePages, GaugeSample, Stored } from '@atoll/kube';
import type { GaugeSources } from '../../definitions/kind-definition.ts';
import { readableSamples, whereReadable } from '../../definitions/readable.ts';
import type { ExtendedDaemonSetReaders } from '../observe.ts';
import { asNumber, familiesOf } from './declared-gauge.ts';
import { objectGauges } from './object-gauges.ts';
import { replicaSetGauges } from './replica-set-gauges.ts';
import { isStuck } from './stuck.ts';

type GaugeReaders = Pick<ExtendedDaemonSetReaders, 'extendedDaemonSets' | 'extendedDaemonSetReplicaSets'>;

/**
 * The metrics of the old operator on its two pages, so that its dashboards and alerts go on: what a controller measures on `/metrics`, and what the
 * objects are on `/ksmetrics`. Computed from the caches when they are read, one sample for each object: an object that is gone has none.
 */
export function gaugesOf(readers: GaugeReaders, sources: GaugeSources): GaugePages {
  return new Map([
    ['metrics', () => [stuck(readers, sources), leader(sources)]],
    [
      'ksmetrics',
      () => [
        ...familiesOf(objectGauges, readers.extendedDaemonSets),
        ...familiesOf(replicaSetGauges, readers.extendedDaemonSetReplicaSets),
        leader(sources),
      ],
    ],
  ]);
}

function stuck(
  { extendedDaemonSets, extendedDaemonSetReplicaSets }: GaugeReaders,
  { objectDefaults: { canaryValidationMode } }: GaugeSources,
): GaugeFamily {
  const isKnown = extendedDaemonSets.synced && extendedDaemonSetReplicaSets.synced;
  const stuckSample = (object: Stored<ExtendedDaemonSet>): GaugeSample | undefined => {
    const name = object.status?.activeReplicaSet ?? '';
    if (name === '') return undefined;
    const held = isStuck(object, canaryValidationMode, (key) => extendedDaemonSetReplicaSets.get(key));
    return { labels: { name, namespace: object.metadata.namespace ?? '' }, value: asNumber(held) };
  };
  return {
    name: 'ers_rolling_update_stuck',
    help: 'Whether outdated pods of other replica sets stay because maxUnavailable is reached: 1 yes, 0 no.',
    samples: readableSamples(
      (isKnown ? extendedDaemonSets.list() : []).flatMap(
        (object) => whereReadable(() => stuckSample(object)) ?? [],
      ),
    ),
  };
}

function leader({ isLeader }: GaugeSources): GaugeFamily {
  return {
    name: 'eds_controller_leader',
    help: 'Whether this process leads, see the label; always 1.',
    samples: [{ labels: { leader: String(isLeader()) }, value: 1 }],
  };
}
