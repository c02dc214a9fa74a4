import {
  extendedDaemonSetAnnotations as annotations,
  extendedDaemonSetLabels as labels,
  type ExtendedDaemonSet,
} from '@atoll/api';
import { asLabelValue, type Node, type Stored } from '@atoll/kube';
import { isTerminating } from '../../children/child.ts';
import { counted } from '../../engine/problems/counted.ts';
import { fitsNode, type PlacedPodSpec } from '../../engine/rollout/node-fit.ts';
import { withLastingTaints } from '../../engine/rollout/nodes.ts';
import type { OldDaemonSet } from './old-daemon-set.ts';

export interface MigrationProblem {
  readonly problem: string;
  /** `time`: it goes by itself. */
  readonly waitsFor: 'person' | 'time';
  /** Completes "waiting until …". */
  readonly waitingUntil: string;
}

/**
 * Why the pods of the DaemonSet cannot be replaced now; undefined: they can. A DaemonSet makes a pod again for each that is deleted on a
 * node where it runs, and a pod beside its own would be the second one of the node. One that makes pods on no node any more is replaced
 * like an older template: its pods that are there stay for so long, as where a taint `NoSchedule` came that it does not tolerate.
 */
export function migrationProblem(
  old: OldDaemonSet | undefined,
  nodes: readonly Stored<Node>[],
  { metadata: { name } }: Stored<ExtendedDaemonSet>,
): MigrationProblem | undefined {
  if (old === undefined) return undefined;
  const { object, podsKnown, unlabelled, leftTo } = old;
  const { name: daemonSet, namespace = '' } = object.metadata;
  if (leftTo !== undefined) {
    const problem =
      `the ExtendedDaemonSet ${leftTo} names the DaemonSet ${daemonSet} too and is older, so that one replaces its pods. ` +
      `Remove the annotation ${annotations.oldDaemonSet} from one of the two`;
    return { problem, waitsFor: 'person', waitingUntil: 'no older ExtendedDaemonSet names that DaemonSet' };
  }
  if (isTerminating(object)) return forTime(`the DaemonSet ${daemonSet} is being deleted`);
  if (!podsKnown) return forTime(`the pods of the DaemonSet ${daemonSet} are being read`);
  if (unlabelled.length > 0) {
    return forTime(
      `${counted(unlabelled.length, 'pod')} of the DaemonSet ${daemonSet} must be labelled ${labels.name}=${asLabelValue(name)} first. Do not delete it before`,
    );
  }
  const spec = (object.spec?.template.spec ?? {}) as PlacedPodSpec;
  // On a node that is away it makes a pod when that is back.
  const runsOn = nodes.filter(
    (node) => !isTerminating(node) && fitsNode(spec, withLastingTaints(node)),
  ).length;
  if (runsOn === 0) return undefined;
  const problem = `the DaemonSet ${daemonSet} still makes pods, on ${counted(runsOn, 'node')}. Delete it and keep its pods: kubectl delete daemonset ${daemonSet} -n ${namespace} --cascade=orphan`;
  return { problem, waitsFor: 'person', waitingUntil: untilItMakesNone };
}

const untilItMakesNone = 'the DaemonSet that it replaces makes no pods any more';

function forTime(problem: string): MigrationProblem {
  return { problem, waitsFor: 'time', waitingUntil: untilItMakesNone };
}
