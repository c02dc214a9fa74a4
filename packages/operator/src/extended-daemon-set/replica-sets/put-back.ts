import {
  extendedDaemonSetConditions,
  replicaSetConditions as types,
  type ExtendedDaemonSet,
  type ExtendedDaemonSetReplicaSet,
} from '@atoll/api';
import { conditionOf, type Stored } from '@atoll/kube';
import type { NodePods } from '../fleet/pods-by-node.ts';
import { isShownActive, trueCondition, wasActive, type OldStatement } from './conditions.ts';
import type { Roles } from '../roles.ts';
import { countWithRestored } from './count-pods.ts';
import { sameTemplate } from './template-meaning.ts';

type ReplicaSet = Stored<ExtendedDaemonSetReplicaSet>;

/**
 * Of several replica sets that may be the active one, the one of the former template, which a person has put back into the spec. Those whose template
 * was in the spec while this was not known are marked (`unknownStatement`), so it is the one that is left: were it more than one, it might never have been
 * active. And it has more pods than any other template, or as many where it shows that it was active, so that one which was tried and taken back, and comes
 * again from a repository, does not pass for it.
 */
export function putBack(
  { spec: { template } }: Pick<ExtendedDaemonSet, 'spec'>,
  several: readonly ReplicaSet[],
  live: readonly ReplicaSet[],
  pods: ReadonlyMap<string, NodePods>,
): ReplicaSet | undefined {
  if (!live.some(isMarked)) return undefined;
  return several.find(
    (each) => sameTemplate(each.spec.template, template) && mayBePutBack(each, several, live, pods),
  );
}

/** Those whose template shows, put back, which one was active, while the template of `inSpec` is in the spec. */
export function toPutBack(
  inSpec: ReplicaSet | undefined,
  several: readonly ReplicaSet[],
  live: readonly ReplicaSet[],
  pods: ReadonlyMap<string, NodePods>,
): readonly ReplicaSet[] {
  if (inSpec === undefined) return [];
  return several.filter((each) => each !== inSpec && mayBePutBack(each, several, live, pods, inSpec));
}

/** What shows on a replica set that its template was in the spec while the active one was not known. */
export function unknownStatement(
  replicaSet: ReplicaSet,
  { several, upToDate, wasUnknown: isShown }: Pick<Roles, 'several' | 'upToDate' | 'wasUnknown'>,
): readonly OldStatement[] {
  const type = types.activeReplicaSetUnknown;
  if (several.length > 0) return replicaSet === upToDate ? [{ type, holds: true, message: marked }] : [];
  // While the object shows it, what ended it is not recorded.
  return isShown ? [] : [{ type, holds: false }];
}

const marked =
  'its template is in the spec, or was, while it is not known which replica set is the active one';

/** Whether the status shows that it is not known which one it is. */
export function wasUnknown(object: Pick<ExtendedDaemonSet, 'status'>): boolean {
  return trueCondition(object, extendedDaemonSetConditions.activeReplicaSetUnknown) !== undefined;
}

/** `inSpec`: counts as marked, because it will be. */
function mayBePutBack(
  replicaSet: ReplicaSet,
  several: readonly ReplicaSet[],
  live: readonly ReplicaSet[],
  pods: ReadonlyMap<string, NodePods>,
  inSpec?: ReplicaSet,
): boolean {
  const isOut = (each: ReplicaSet): boolean => each === inSpec || isMarked(each);
  if (isOut(replicaSet) || wasOnlyTried(replicaSet)) return false;
  const isLeft = several.every(
    (each) => isOut(each) || sameTemplate(each.spec.template, replicaSet.spec.template),
  );
  const isShown = isShownActive(replicaSet);
  if (!isLeft && !isShown) return false;
  const count = countWithRestored(replicaSet, live, pods);
  const others = live
    .filter((each) => !sameTemplate(each.spec.template, replicaSet.spec.template))
    .map((each) => countWithRestored(each, live, pods));
  // As many pods prove nothing by themselves: a canary on half of the nodes has them.
  return count > 0 && others.every((other) => other < count || (isShown && other === count));
}

function isMarked(replicaSet: ReplicaSet): boolean {
  return trueCondition(replicaSet, types.activeReplicaSetUnknown) !== undefined;
}

/** Such a condition stays, False, when the trial is over. */
function wasOnlyTried(replicaSet: ReplicaSet): boolean {
  if (trueCondition(replicaSet, types.canaryFailed) !== undefined) return true;
  return !wasActive(replicaSet) && conditionOf(replicaSet, types.canary) !== undefined;
}
