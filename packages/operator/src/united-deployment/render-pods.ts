import { labels } from '@atoll/api';
import type { PodTemplateSpec } from '@atoll/kube';
import type { PodTemplate } from '../engine/children/child.ts';
import type { SubsetWish } from './observe.ts';
import { patchPods } from './patch-pods.ts';
import { placeInSubset } from './place-in-subset.ts';
import type { SubsetTemplate } from './template.ts';

export type RenderedPods =
  | { readonly ok: true; readonly pods: PodTemplate }
  /** The patch cannot be merged into the template. */
  | { readonly ok: false; readonly problem: string };

/** Objects of a cache are frozen: what was rendered for one template and one subset stays true. */
const rendered = new WeakMap<SubsetTemplate, WeakMap<object, RenderedPods>>();

/**
 * The template restricted to the subset's nodes, then patched; the old operator does it in this order, so a patch may
 * say something else about placement. The label of the subset is set last: a patch must not give the pods to another.
 */
export function renderPods(
  template: SubsetTemplate,
  subset: Pick<SubsetWish, 'name' | 'spec'>,
): RenderedPods {
  const bySubset = rendered.get(template) ?? new WeakMap<object, RenderedPods>();
  const known = bySubset.get(subset.spec);
  if (known !== undefined) return known;
  const pods = render(template, subset);
  if (Object.isFrozen(subset.spec)) rendered.set(template, bySubset.set(subset.spec, pods));
  return pods;
}

/** What is wrong with the subset's patch; undefined: nothing. */
export function patchProblem(template: SubsetTemplate, subset: SubsetWish): string | undefined {
  if (subset.spec.patch === undefined) return undefined;
  const pods = renderPods(template, subset);
  return pods.ok ? undefined : pods.problem;
}

function render(template: SubsetTemplate, { name, spec }: Pick<SubsetWish, 'name' | 'spec'>): RenderedPods {
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
