import type { Subset, UnitedDeployment } from '@atoll/api';
import { idleDirectives, podTemplatePatchSchema, type PodTemplateSpec } from '@atoll/kube';
import { sameJson } from '../../engine/same-meaning.ts';
import { placeInSubset } from '../../united-deployment/rendering/place-in-subset.ts';
import type { SubsetTemplate } from '../../united-deployment/template.ts';

/** Of one patch: warnings that nobody can read to the end are none. */
const mostNamed = 3;

/**
 * Directives of subsets' patches that find nothing in the template. An API server takes nothing of an object with
 * `$patch` where there was none, so `{$patch: replace, …}` on a field that the template lacks loses what it was to set,
 * without a word. Only of what the request changes: a patch, or the template under it.
 */
export function idlePatches(
  object: UnitedDeployment,
  old: UnitedDeployment | undefined,
  template: SubsetTemplate,
): readonly string[] {
  const sameTemplate = old !== undefined && sameJson(old.spec.template, object.spec.template);
  const before = new Map(old?.spec.topology?.subsets?.map(({ name, patch }) => [name, patch]));
  return (object.spec.topology?.subsets ?? []).flatMap((subset, index) => {
    const known =
      sameTemplate &&
      before.has(subset.name) &&
      sameJson(before.get(subset.name) ?? null, subset.patch ?? null);
    return known ? [] : ofSubset(subset, index, template);
  });
}

function ofSubset(subset: Subset, index: number, template: SubsetTemplate): readonly string[] {
  const { name, patch } = subset;
  const pods = placeInSubset((template.spec['template'] ?? {}) as PodTemplateSpec, subset);
  const at = `spec.topology.subsets[${index}].patch: subset ${name}`;
  return idleDirectives(pods, patch, podTemplatePatchSchema)
    .slice(0, mostNamed)
    .map(({ path, directive, drops }) =>
      drops
        ? `${at}: ${path} is dropped, because the template has none that its $patch: ${String(directive)} could act on; leave $patch out to add it`
        : `${at}: the template has no ${path} that $patch: ${String(directive)} could act on`,
    );
}
