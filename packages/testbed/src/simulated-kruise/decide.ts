import type { SimulatedWorkload } from './workload.ts';

/** A pod that the workload controls and that is not being deleted. */
export interface SimulatedPod {
  readonly name: string;
  readonly revision: string;
  readonly ready: boolean;
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
}

export interface SimulatedActions {
  /** A pod without a name gets a random one. */
  readonly create: readonly { readonly name?: string; readonly revision: string }[];
  readonly remove: readonly string[];
  /** To be brought to the new revision: removed, so that another comes, or changed in place. */
  readonly update: readonly string[];
}

/**
 * What the next reconcile does: first the number of pods is made right, then old ones are updated within the budget. Names
 * that still belong to a pod which is going are not to be used again: `ending`.
 */
export function decideSimulated(
  workload: SimulatedWorkload,
  pods: readonly SimulatedPod[],
  ending: readonly string[] = [],
): SimulatedActions {
  const scaled =
    workload.identity === 'ordinal' ? scaleOrdinal(workload, pods, ending) : scaleRandom(workload, pods);
  if (scaled.create.length > 0 || scaled.remove.length > 0 || ending.length > 0) return scaled;
  return { ...nothing, update: outdated(workload, pods) };
}

const nothing: SimulatedActions = { create: [], remove: [], update: [] };

function scaleRandom(workload: SimulatedWorkload, pods: readonly SimulatedPod[]): SimulatedActions {
  const { replicas, partition, updateRevision, currentRevision = updateRevision } = workload;
  const missing = replicas - pods.length;
  const updated = pods.filter(({ revision }) => revision === updateRevision).length;
  if (missing >= 0) {
    const fresh = Math.min(missing, Math.max(0, replicas - partition - updated));
    const create = Array.from({ length: missing }, (_, index) => ({
      revision: index < fresh ? updateRevision : currentRevision,
    }));
    return { ...nothing, create };
  }
  // Who does not serve goes first, then who is above its revision's share, then the youngest.
  const oldOnes = pods.length - updated;
  const excess = (pod: SimulatedPod): boolean =>
    pod.revision === updateRevision ? updated > replicas - partition : oldOnes > partition;
  const order = pods.toSorted(
    (a, b) =>
      Number(a.ready) - Number(b.ready) || Number(excess(b)) - Number(excess(a)) || b.createdAt - a.createdAt,
  );
  return { ...nothing, remove: order.slice(0, -missing).map(({ name }) => name) };
}

function scaleOrdinal(
  workload: SimulatedWorkload,
  pods: readonly SimulatedPod[],
  ending: readonly string[],
): SimulatedActions {
  const { name, replicas, partition, ordered, updateRevision, currentRevision = updateRevision } = workload;
  const byName = new Map(pods.map((pod) => [pod.name, pod]));
  const create: { readonly name: string; readonly revision: string }[] = [];
  for (let ordinal = 0; ordinal < replicas; ordinal++) {
    const pod = byName.get(`${name}-${ordinal}`);
    if (ordered && create.length > 0) break;
    if (pod === undefined) {
      const free = !ending.includes(`${name}-${ordinal}`);
      const revision = ordinal < partition ? currentRevision : updateRevision;
      if (free) create.push({ name: `${name}-${ordinal}`, revision });
      if (ordered) break;
    } else if (ordered && !pod.ready) {
      break;
    }
  }
  const condemned = pods
    .filter((pod) => ordinalOf(pod) >= replicas)
    .toSorted((a, b) => ordinalOf(b) - ordinalOf(a))
    .map((pod) => pod.name);
  return { create, remove: ordered ? condemned.slice(0, 1) : condemned, update: [] };
}

/** The old pods that may go now: broken ones at once, others as far as enough stay ready. */
function outdated(workload: SimulatedWorkload, pods: readonly SimulatedPod[]): readonly string[] {
  const { identity, partition, replicas, maxUnavailable, update, updateRevision } = workload;
  if (update === 'on-delete') return [];
  const old = pods.filter(({ revision }) => revision !== updateRevision);
  const order =
    identity === 'ordinal'
      ? old.filter((pod) => ordinalOf(pod) >= partition).toSorted((a, b) => ordinalOf(b) - ordinalOf(a))
      : old
          .toSorted((a, b) => Number(a.ready) - Number(b.ready))
          .slice(0, Math.max(0, old.length - partition));
  let budget = maxUnavailable - (replicas - pods.filter(({ ready }) => ready).length);
  return order.filter(({ ready }) => !ready || budget-- > 0).map(({ name }) => name);
}

function ordinalOf({ name }: SimulatedPod): number {
  return Number(name.slice(name.lastIndexOf('-') + 1));
}
