import type { Pod, Stored } from '@atoll/kube';
import { isTerminating } from '../../children/child.ts';
import type { NodeEligibility } from './nodes/node-eligibility.ts';
import { isBound, type NodePods } from './pods-by-node.ts';

/** A pod that is to go, and nothing comes in its place. */
export interface UnwantedPod {
  readonly pod: Stored<Pod>;
  readonly node: string;
  readonly because: 'duplicate' | 'unfit' | 'node-gone';
  /** The one beside which it is a duplicate. */
  readonly beside?: Stored<Pod>;
}

/**
 * The pods that no node is to have: duplicates, those that have ended beside another one, those on nodes that the template does not fit any
 * more, and those that wait for a node that is gone. What runs on a node that is gone is left to Kubernetes' own clean-up, so that a node
 * which is not seen yet costs no pod.
 */
export function unwantedPods(
  pods: ReadonlyMap<string, NodePods>,
  eligibilityOf: (node: string) => NodeEligibility | undefined,
): readonly UnwantedPod[] {
  return [...pods].flatMap(([node, { kept, duplicates, ended }]): readonly UnwantedPod[] => {
    const eligibility = eligibilityOf(node);
    const all = [...(kept === undefined ? [] : [kept]), ...duplicates, ...ended];
    const of = (some: readonly Stored<Pod>[], because: UnwantedPod['because']) =>
      some.filter((pod) => !isTerminating(pod)).map((pod) => ({ pod, node, because }));
    if (eligibility === undefined) {
      return of(
        all.filter((pod) => !isBound(pod)),
        'node-gone',
      );
    }
    if (eligibility === 'unfit') return of(all, 'unfit');
    if (kept === undefined) return [];
    return of([...duplicates, ...ended], 'duplicate').map((each) => ({ ...each, beside: kept }));
  });
}
