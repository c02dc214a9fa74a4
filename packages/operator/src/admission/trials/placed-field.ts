import type { PodTemplateSpec } from '@atoll/kube';
import type { SubsetTemplate } from '../../united-deployment/template.ts';

const tolerations = /^\.?spec\.template\.spec\.tolerations\[(\d+)\](.*)$/;
const affinity =
  /^\.?spec\.template\.spec\.affinity\.nodeAffinity\.requiredDuringSchedulingIgnoredDuringExecution\.nodeSelectorTerms\[(\d+)\]\.(matchExpressions|matchFields)\[(\d+)\](.*)$/;

/**
 * The field of a subset that a field of its child was made of: what a subset has of nodes and taints stands behind what
 * the template has (`place-in-subset.ts`). undefined: the field is the template's.
 */
export function placedField(childField: string, { spec }: SubsetTemplate): string | undefined {
  const pods = ((spec['template'] ?? {}) as PodTemplateSpec).spec;
  const [, toleration, ofToleration] = tolerations.exec(childField) ?? [];
  if (toleration !== undefined) {
    const index = Number(toleration) - (pods?.tolerations?.length ?? 0);
    return index < 0 ? undefined : `tolerations[${index}]${ofToleration}`;
  }
  const [, term, list, requirement, ofRequirement] = affinity.exec(childField) ?? [];
  if (requirement === undefined) return undefined;
  const terms =
    pods?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const own = terms[Number(term)]?.[list as 'matchExpressions' | 'matchFields'];
  const index = Number(requirement) - (own?.length ?? 0);
  return index < 0 ? undefined : `nodeSelectorTerm.${list}[${index}]${ofRequirement}`;
}
