import {
  isFields,
  type NodeSelectorTerm,
  type PodSpec,
  type PodTemplateSpec,
  type Toleration,
  type Fields,
} from '@atoll/kube';
import type { DesiredSubset } from '../observe.ts';

/** Where the pods of a subset may run, as the spec has it. */
export interface SubsetPlace {
  readonly nodeSelectorTerm?: NodeSelectorTerm | undefined;
  readonly tolerations?: readonly Toleration[] | undefined;
}

/**
 * The pod template restricted to the subset's nodes. The terms of a node affinity are alternatives, so the subset's
 * expressions and fields are appended to every one of them; a template without a term gets one. The template's own
 * tolerations come first and nothing is taken out twice: the old operator wrote it so, and another order would replace
 * every pod. What has not the shape of a pod template stays as it is, for the API server to refuse.
 */
export function placeInSubset(template: PodTemplateSpec, place: SubsetPlace): PodTemplateSpec {
  const given: unknown = template;
  if (!isFields(given)) return template;
  const spec = given['spec'] ?? {};
  if (!isFields(spec)) return template;
  const placed: Fields = { ...spec, ...affinity(spec, place), ...tolerations(spec, place) };
  return { ...template, spec: placed as unknown as PodSpec };
}

/** The subset as if it named no fields, of which the old operator takes no notice. */
export function withoutMatchFields(subset: DesiredSubset): DesiredSubset {
  const { matchFields: _, ...nodeSelectorTerm } = subset.spec.nodeSelectorTerm ?? {};
  return { ...subset, spec: { ...subset.spec, nodeSelectorTerm } };
}

function affinity(spec: Fields, { nodeSelectorTerm }: SubsetPlace): Fields {
  const expressions = nodeSelectorTerm?.matchExpressions ?? [];
  const fields = nodeSelectorTerm?.matchFields ?? [];
  if (expressions.length === 0 && fields.length === 0) return {};
  const present = spec['affinity'] ?? {};
  if (!isFields(present)) return {};
  const nodeAffinity = present['nodeAffinity'] ?? {};
  if (!isFields(nodeAffinity)) return {};
  const required = nodeAffinity['requiredDuringSchedulingIgnoredDuringExecution'] ?? {};
  if (!isFields(required)) return {};
  const terms = required['nodeSelectorTerms'] ?? [];
  if (!isList(terms) || !terms.every(isFields)) return {};
  const restricted = (terms.length === 0 ? [{}] : terms).map((term) => ({
    ...term,
    ...appended(term, 'matchExpressions', expressions),
    ...appended(term, 'matchFields', fields),
  }));
  return {
    affinity: {
      ...present,
      nodeAffinity: {
        ...nodeAffinity,
        requiredDuringSchedulingIgnoredDuringExecution: { ...required, nodeSelectorTerms: restricted },
      },
    },
  };
}

function tolerations(spec: Fields, place: SubsetPlace): Fields {
  return appended(spec, 'tolerations', place.tolerations ?? []);
}

/** The field with the items at its end; no field where there is nothing to append. */
function appended(object: Fields, field: string, items: readonly unknown[]): Fields {
  const present = object[field] ?? [];
  return items.length === 0 || !isList(present) ? {} : { [field]: [...present, ...items] };
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}
