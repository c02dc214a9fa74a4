import { labels } from '@atoll/api';
import type { PodTemplateSpec } from '@atoll/kube';
import type { PodTemplate } from '../../children/child.ts';
import type { DesiredSubset } from '../observe.ts';
import { patchPods } from './patch-pods.ts';
import { placeInSubset } from './place-in-subset.ts';
import type { SubsetTemplate } from '../template.ts';

export type RenderedPods =
  | { readonly ok: true; readonly pods: PodTemplate }
  /** The patch cannot be merged into the template. */
  | { readonly ok: false; readonly problem: string };

/**
 * The template restricted to the subset's nodes, then patched; the old operator does it in this order, so a patch may
 * place them otherwise. The label of the subset is set last: a patch must not give the pods to another.
 */
export function renderPods(template: SubsetTemplate, { name, spec }: DesiredSubset): RenderedPods {
  const placed = placeInSubset((template.spec['template'] ?? {}) as PodTemplateSpec, spec);
  const patched = patchPods(placed, spec.patch);
  if (!patched.ok) return patched;
  const { metadata } = patched.pods;
  const pods = {
    ...patched.pods,
    metadata: { ...metadata, labels: { ...metadata?.labels, [labels.subsetName]: name } },
  };
  return { ok: true, pods };
}

/** What is wrong with the subset's patch; undefined: nothing. */
export function patchProblem(template: SubsetTemplate, subset: DesiredSubset): string | undefined {
  if (subset.spec.patch === undefined) return undefined;
  const pods = renderPods(template, subset);
  return pods.ok ? undefined : pods.problem;
}
