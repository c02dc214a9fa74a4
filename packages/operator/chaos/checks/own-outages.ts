import { isReady, type KubeObject, type Node, type Pod, type Stored } from '@atoll/kube';
import { writesOf, type Check, type History, type RecordedEvent, type Violation } from '@atoll/testbed';

export interface OutageRule {
  readonly user: string;
  /** The daemon that the pod belongs to; undefined: no daemon. */
  readonly daemonOf: (pod: Stored<KubeObject>) => string | undefined;
  /** At most so many nodes of this daemon without a Ready pod because the user deleted it. */
  readonly budgetOf: (daemon: string) => number;
}

/**
 * At no moment do more nodes of a daemon wait for a Ready pod, because the user deleted theirs, than its budget allows. A node that is
 * not Ready any more, or gone, no longer counts, and neither does a pod that was not Ready when it was deleted: both were down already.
 */
export function ownOutages({ user, daemonOf, budgetOf }: OutageRule): Check {
  return (history) => {
    const deleted = deletedBy(user, history);
    const outages = new Map<string, Set<string>>();
    const violations: Violation[] = [];
    for (const event of history.events) {
      if (event.resource === 'nodes' && !isReadyNode(event))
        for (const nodes of outages.values()) nodes.delete(event.name);
      if (event.resource !== 'pods') continue;
      const daemon = daemonOf(event.object);
      const node = (event.object as Stored<Pod>).spec?.nodeName;
      if (daemon === undefined || node === undefined) continue;
      const nodes = outages.get(daemon) ?? new Set<string>();
      outages.set(daemon, nodes);
      const isReadyPod = isReady(event.object as Pod);
      if (isLivePod(event) && isReadyPod) nodes.delete(node);
      if (isLivePod(event) || !deleted.delete(event.uid) || !isReadyPod) continue;
      nodes.add(node);
      if (nodes.size <= budgetOf(daemon)) continue;
      const message = `${daemon}: ${nodes.size} of ${budgetOf(daemon)} nodes wait for a pod since ${event.name} on ${node} was deleted at version ${event.version}: ${[...nodes].join(', ')}`;
      violations.push({ rule: 'outages of our own stay within the budget', message });
    }
    return violations;
  };
}

/** At no moment does a node have two live pods of one daemon. */
export function onePodOnANode({ daemonOf }: Pick<OutageRule, 'daemonOf'>): Check {
  return ({ events }) => {
    const live = new Map<string, string>();
    const places = new Map<string, Set<string>>();
    const violations: Violation[] = [];
    for (const event of events.filter(({ resource }) => resource === 'pods')) {
      const daemon = daemonOf(event.object);
      const node = (event.object as Stored<Pod>).spec?.nodeName;
      const before = live.get(event.uid);
      if (before !== undefined) places.get(before)?.delete(event.uid);
      live.delete(event.uid);
      if (daemon === undefined || node === undefined || !isLivePod(event)) continue;
      const place = `${daemon} on ${node}`;
      const pods = places.get(place) ?? new Set<string>();
      places.set(place, pods.add(event.uid));
      live.set(event.uid, place);
      if (pods.size > 1 && before === undefined)
        violations.push({
          rule: 'one pod of a daemon on a node',
          message: `${place}: ${event.name} is a second one at version ${event.version}`,
        });
    }
    return violations;
  };
}

/** The user's deletions end pods of daemons that it may upgrade, pods of StatefulSets that are not Ready (`PodStuck`, decision 11), and no others. */
export function deletesPodsOf({
  user,
  daemonOf,
  isIts,
}: Pick<OutageRule, 'user' | 'daemonOf'> & { readonly isIts: (daemon: string) => boolean }): Check {
  return (history) => {
    const deleted = deletedBy(user, history);
    return history.events
      .filter(({ resource, uid }) => resource === 'pods' && deleted.has(uid))
      .filter((event) => !isLivePod(event) && deleted.delete(event.uid))
      .filter(({ object }) => !isIts(daemonOf(object) ?? '') && !isBrokenOfStatefulSet(object))
      .map(({ name, version, object }) => ({
        rule: 'deletes pods of its own daemons only',
        message: `${name} was deleted at version ${version}, a pod of ${daemonOf(object) ?? 'no daemon'}`,
      }));
  };
}

function isBrokenOfStatefulSet(pod: Stored<KubeObject>): boolean {
  const { ownerReferences = [] } = pod.metadata;
  return (
    ownerReferences.some(({ kind, controller }) => kind === 'StatefulSet' && controller) &&
    !isReady(pod as Pod)
  );
}

/** Uids of pods that this user's deletions ended. */
function deletedBy(user: string, history: History): Set<string> {
  const deletions = writesOf(history).filter(
    ({ audit }) =>
      audit.user === user &&
      audit.code < 300 &&
      audit.resource === 'pods' &&
      (audit.verb === 'delete' || audit.subresource === 'eviction'),
  );
  return new Set(deletions.flatMap(({ effects }) => effects.map(({ event }) => event.uid)));
}

function isLivePod({ type, object }: RecordedEvent): boolean {
  const { metadata, status } = object as Stored<Pod>;
  const isOver = status?.phase === 'Failed' || status?.phase === 'Succeeded';
  return type !== 'DELETED' && metadata.deletionTimestamp === undefined && !isOver;
}

function isReadyNode({ type, object }: RecordedEvent): boolean {
  return type !== 'DELETED' && isReady(object as Node);
}
