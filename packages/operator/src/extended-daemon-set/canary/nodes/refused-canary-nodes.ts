import type { ExtendedDaemonSetReplicaSet } from '@atoll/api';
import type { Node, Stored } from '@atoll/kube';
import { saysNothing } from '../../../engine/executor/answers/judge-trial.ts';
import type { RefusedTrials } from '../../../engine/refused-trials.ts';
import type { FleetView } from '../../fleet/fleet-view.ts';
import { creationName, trialName } from '../../rolling/refusals/trial-name.ts';

/** Where the API server refused a canary's pod. */
export interface RefusedCanaryNodes {
  readonly has: (node: string) => boolean;
  /**
   * Names of what was refused, also on nodes that are the canary's no more: it would come back to these when it is refused on others too.
   */
  readonly remembers: readonly string[];
}

/**
 * Of these nodes those that run no pod of the canary, because it was refused when it was tried or made. A node whose overrides have changed since
 * then is not among them: its pod is another one.
 */
export function refusedCanaryNodes(
  replicaSet: Stored<ExtendedDaemonSetReplicaSet>,
  nodes: readonly Stored<Node>[],
  { pods, overridesOf, isOfTemplate }: Pick<FleetView, 'pods' | 'overridesOf' | 'isOfTemplate'>,
  refused: RefusedTrials,
): RefusedCanaryNodes {
  if (refused.size === 0) return { has: () => false, remembers: [] };
  const isOfCanary = isOfTemplate(replicaSet);
  const byNode = new Map<string, readonly string[]>();
  for (const node of nodes) {
    const { name } = node.metadata;
    const kept = pods.get(name)?.kept;
    if (kept !== undefined && isOfCanary(kept)) continue;
    const trial = trialName(replicaSet, { overrides: overridesOf(replicaSet, node), target: { id: name } });
    const creation = creationName(replicaSet, name);
    const made = refused.get(creation);
    const found = [
      ...(refused.has(trial) ? [trial] : []),
      ...(made === undefined || saysNothing(made.answer) ? [] : [creation]),
    ];
    if (found.length > 0) byNode.set(name, found);
  }
  return { has: (node) => byNode.has(node), remembers: [...byNode.values()].flat() };
}
