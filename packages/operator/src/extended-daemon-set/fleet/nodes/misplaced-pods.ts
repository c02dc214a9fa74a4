import { extendedDaemonSetTimes, type ExtendedDaemonSet } from '@atoll/api';
import { compareTexts, instantOf, type Instant, type Node, type Pod, type Stored } from '@atoll/kube';
import { isTerminating } from '../../../children/child.ts';
import { childName } from '../../../children/names.ts';
import { nodeNamedBy, nodeOf } from '../../../children/pods/placement/node-of-pod.ts';
import { hold, type Hold } from '../../../engine/hold.ts';
import type { TargetHold } from '../../../engine/rollout/target-hold.ts';
import type { Rolling } from '../../rolling/decide-rolling.ts';
import { isBound, type NodePods } from '../pods-by-node.ts';

type Misplaced = ReadonlyMap<string, Stored<Pod>>;

const none: Misplaced = new Map();

/**
 * Pods that were made for a node and do not name it, by that node, where it has no other one: a mutating webhook rewrote their affinity, so that the
 * scheduler binds them to any node. Each has the name that the next pod of its node would get.
 */
export function misplacedPods(
  { metadata }: Stored<ExtendedDaemonSet>,
  pods: readonly Stored<Pod>[],
  nodes: readonly Stored<Node>[],
  byNode: ReadonlyMap<string, NodePods>,
): Misplaced {
  const odd = pods.filter((pod) => {
    const named = nodeNamedBy(pod);
    return named === undefined || named !== nodeOf(pod);
  });
  if (odd.length === 0) return none;
  const byName = new Map(odd.map((pod) => [pod.metadata.name, pod]));
  return new Map(
    nodes.flatMap(({ metadata: { name: node } }): readonly (readonly [string, Stored<Pod>])[] => {
      if (byNode.get(node)?.kept !== undefined) return [];
      const found = byName.get(childName(metadata, node));
      return found === undefined || nodeOf(found) === node ? [] : [[node, found]];
    }),
  );
}

/** No other pod is made for the node: it would have the name of the one that is there. */
export const untilPlaced: TargetHold = {
  reason: 'WaitingForReady',
  waitsFor: 'health',
  waitingUntil: 'the pod that was made for the node is bound to it, or gone',
};

/**
 * When more is known of a misplaced pod: one that is not bound may still be bound to its node, and one beside another pod, or on a node that is to have none, is
 * deleted, and made again, after a pause only, because the next one would be misplaced too.
 */
export function misplacedUntil(pod: Stored<Pod>): Instant {
  const { rewrittenMadeAgain, schedulerIssue } = extendedDaemonSetTimes;
  const made = instantOf(pod.metadata.creationTimestamp) ?? 0;
  return made + (isBound(pod) ? rewrittenMadeAgain : schedulerIssue);
}

/** That somebody rewrites the pods, as far as that is known. */
export function misplacedHolds({ targets }: Pick<Rolling, 'targets'>, now: Instant): readonly Hold[] {
  const found = targets.flatMap(({ target: { id, at }, misplaced }) =>
    at === 'nothing' && misplaced !== undefined && isRewritten(misplaced, now) ? [{ id, misplaced }] : [],
  );
  const inOrder = found.toSorted((a, b) => compareTexts(a.id, b.id));
  const [first] = inOrder;
  if (first === undefined) return [];
  const { name, namespace = '' } = first.misplaced.metadata;
  const where = isBound(first.misplaced) ? `runs on ${nodeOf(first.misplaced) ?? ''}` : 'is not bound';
  const problem =
    `pod ${name} was made for node ${first.id}, and ${where}, because its node affinity does not name its node any more: ` +
    'somebody rewrites new pods, as a mutating webhook does. Exempt the pods of ExtendedDaemonSets from that, and delete the pod then: ' +
    `kubectl delete pod ${name} -n ${namespace}`;
  const nodes = inOrder.map(({ id }) => id);
  return [hold('ChangedBack', 'person', nodes, { problem }, true)];
}

function isRewritten(pod: Stored<Pod>, now: Instant): boolean {
  return !isTerminating(pod) && (isBound(pod) || misplacedUntil(pod) <= now);
}
