import { extendedDaemonSetReplicaSets, type ExtendedDaemonSetReplicaSet } from '@atoll/api';
import { controllerOf, type Stored } from '@atoll/kube';
import { isTerminating } from '../../children/child.ts';
import { hold, type Hold } from '../../engine/hold.ts';
import { nameAFew } from '../../engine/status/conditions.ts';
import type { FormerPod } from './former-pods.ts';

/**
 * Why nothing is done while replica sets that are not the object's still have pods on its nodes; undefined: none has. What is ended now could be a
 * pod that is about to be the object's again, and what is made could be the second one of its node. `adopts`: those that become the object's with
 * the next plan.
 */
export function formerHold(
  former: readonly FormerPod[],
  adopts: readonly Stored<ExtendedDaemonSetReplicaSet>[] = [],
): Hold | undefined {
  if (adopts.length > 0) {
    const names = nameAFew(adopts.map(({ metadata }) => metadata.name).toSorted());
    const waitingUntil = `the replica sets that have no owner, and were of this ExtendedDaemonSet, are its own again: ${names}`;
    return hold('FormerReplicaSetPresent', 'time', [], { waitingUntil }, false);
  }
  const controlled = former.filter(({ pod, found }) => !isTerminating(pod) && isControlledBy(pod, found));
  const namesOf = (isOrphan: boolean): readonly string[] => [
    ...new Set(
      controlled.flatMap(({ of, found }) =>
        found !== undefined && (controllerOf(found) === undefined) === isOrphan ? [of] : [],
      ),
    ),
  ];
  const [orphans, others] = [namesOf(true).toSorted(), namesOf(false).toSorted()];
  const [first] = orphans;
  if (first !== undefined) {
    const { namespace = '' } = controlled[0]?.pod.metadata ?? {};
    const sets = orphans.length === 1 ? 'the replica set' : 'the replica sets';
    const verb = orphans.length === 1 ? 'has' : 'have';
    const problem =
      `${sets} ${nameAFew(orphans)} ${verb} no owner and still control${orphans.length === 1 ? 's' : ''} pods, so no pod is made or deleted. ` +
      `Release the pods, which are then replaced like those of an older template: kubectl delete ${extendedDaemonSetReplicaSets.plural} ${first} -n ${namespace} --cascade=orphan`;
    return hold('FormerReplicaSetPresent', 'person', [], { problem }, true);
  }
  if (others.length === 0) return undefined;
  const waitingUntil = `the garbage collector has deleted or released ${nameAFew(others)}, of the ExtendedDaemonSet of this name that was deleted`;
  return hold('FormerReplicaSetPresent', 'time', [], { waitingUntil }, false);
}

function isControlledBy(pod: FormerPod['pod'], found: FormerPod['found']): boolean {
  return found !== undefined && controllerOf(pod)?.uid === found.metadata.uid;
}
