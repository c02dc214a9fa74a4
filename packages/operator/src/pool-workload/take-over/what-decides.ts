import { annotations, labels } from '@atoll/api';
import type { Stored } from '@atoll/kube';
import type { ChildWorkload, PodTemplate } from '../../children/child.ts';
import { isLeftByOldOperator } from '../../children/ownership/field-owners.ts';
import { isComparable, podsHash, withoutLabel } from '../../children/pods/keep-pods.ts';
import type { RenderInput } from '../rendering/render-child.ts';

const { keptPods, oldRendering, podTemplateHash } = annotations;

/**
 * What decides about the pods of a child that is there. `memory`: what we have noted on it. `live pods`: they stay
 * as they are, because an old operator wrote them last and for this template, or because another release of ours kept them
 * and noted it in another way. `template`: the user has changed it since, or nothing is to be kept.
 */
export function whatDecides(
  { knownToOldOperator }: RenderInput,
  live: Stored<ChildWorkload>,
): 'memory' | 'live pods' | 'template' {
  const {
    [podTemplateHash]: remembered,
    [oldRendering]: rendering,
    [keptPods]: kept,
  } = live.metadata.annotations ?? {};
  if (!isLeftByOldOperator(live) && remembered !== undefined) {
    if (isComparable(remembered)) return 'memory';
    return rendering === undefined && kept === undefined ? 'template' : 'live pods';
  }
  return knownToOldOperator.template ? 'live pods' : 'template';
}

/** Noted by `kubectl rollout restart` on the child itself: it stays when the template is applied, which does not have it. */
const restartedAt = 'kubectl.kubernetes.io/restartedAt';

/** Whether two pod templates mean the same but for their revision: to write the one for the other replaces no pod. */
export function samePods(a: PodTemplate, b: PodTemplate): boolean {
  return podsHash(ownPods(a)) === podsHash(ownPods(b));
}

function ownPods(pods: PodTemplate): PodTemplate {
  const own = withoutLabel(pods, labels.controllerRevisionHash);
  const { [restartedAt]: _, ...noted } = own.metadata?.annotations ?? {};
  return { ...own, metadata: { ...own.metadata, annotations: noted } };
}
