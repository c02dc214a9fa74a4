import {
  extendedDaemonSetLabels as labels,
  type ExtendedDaemonSet,
  type ExtendedDaemonSetReplicaSet,
} from '@atoll/api';
import { byAge, controllerOf, type Pod, type PodTemplateSpec, type Stored } from '@atoll/kube';
import type { NodePods } from '../fleet/pods-by-node.ts';
import { isShownActive } from './conditions.ts';
import { countControlled } from './count-pods.ts';
import { putBack, wasUnknown } from './put-back.ts';
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
 * status shows that it was active; of several, which old operators leave, the one whose template most pods have. Where none shows it, as after a
 * restore that brings no status at all, each may be it as long as a pod is of another template than the spec's: pods are made only when the name is
 * recorded, so it was lost. A condition records that, so that it stays so when these pods go, as from drained nodes, until a person names it, or puts
 * its template back into the spec.
 */
export function activeReplicaSet(
  object: Pick<ExtendedDaemonSet, 'spec' | 'status'>,
  live: readonly ReplicaSet[],
  pods: ReadonlyMap<string, NodePods>,
): KnownActive {
  const known = knownActive(object, live, pods);
  if (known.several.length === 0) return known;
  const named = putBack(object, known.several, live, pods);
  return named === undefined ? known : { named, several: [] };
}

function knownActive(
  object: Pick<ExtendedDaemonSet, 'spec' | 'status'>,
  live: readonly ReplicaSet[],
  pods: ReadonlyMap<string, NodePods>,
): KnownActive {
  const name = object.status?.activeReplicaSet ?? '';
  const recorded = name === '' ? undefined : live.find(({ metadata }) => metadata.name === name);
  if (recorded !== undefined) return { named: recorded, several: [] };
  const were = live.filter(isShownActive).sort(byAge);
  if (were.length === 0) {
    const isLost = name === '' && (wasUnknown(object) || !isAllOf(object.spec.template, live, pods));
    return { named: undefined, several: isLost ? ofSeveralTemplates(live) : [] };
  }
  if (were.length === 1) return { named: were[0], several: [] };
  const counts = were.map((each) => countControlled(each, live, pods));
  const most = were.filter((_, index) => counts[index] === Math.max(...counts));
  const [first] = most;
  const isOneTemplate = most.every((each) => sameTemplate(each.spec.template, first?.spec.template ?? {}));
  return isOneTemplate ? { named: first, several: [] } : { named: undefined, several: most };
}

/** Whether all pods are known to be of this template; those of a DaemonSet that is replaced prove nothing. */
function isAllOf(
  template: PodTemplateSpec,
  live: readonly ReplicaSet[],
  pods: ReadonlyMap<string, NodePods>,
): boolean {
  const same = new Set(
    live.filter(({ spec }) => sameTemplate(spec.template, template)).map(({ metadata }) => metadata.uid),
  );
  return [...pods.values()].every(({ kept }) => {
    return kept === undefined || isOfDaemonSet(kept) || same.has(controllerOf(kept)?.uid ?? '');
  });
}

/** Where the DaemonSet is gone, the pod has no owner, as one that a tool restores; but that one is labelled with the name of its replica set. */
function isOfDaemonSet(pod: Stored<Pod>): boolean {
  const owner = controllerOf(pod);
  return owner === undefined
    ? pod.metadata.labels?.[labels.replicaSet] === undefined
    : owner.kind === 'DaemonSet';
}

/** All, by age, unless they have one template: then it does not matter which one it is. */
function ofSeveralTemplates(live: readonly ReplicaSet[]): readonly ReplicaSet[] {
  const [first, ...others] = [...live].sort(byAge);
  if (first === undefined || others.every(({ spec }) => sameTemplate(spec.template, first.spec.template)))
    return [];
  return [first, ...others];
}
