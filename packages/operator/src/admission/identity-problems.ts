import { labels, type Subset, type UnitedDeployment } from '@atoll/api';
import {
  compileSelector,
  fieldsOf,
  formatSelector,
  InvalidSelectorError,
  requirementMatches,
  type Labels,
  type Selector,
} from '@atoll/kube';
import type { PodTemplate } from '../children/child.ts';
import { renderPods } from '../united-deployment/rendering/render-pods.ts';
import type { SubsetTemplate } from '../united-deployment/template.ts';
import type { ChangedSubset } from './united-deployment/changed-subsets.ts';
import type { FieldProblem } from '../engine/problems/field-problem.ts';

/**
 * Labels with which a patch would give the pods to another. Two of them are put on every pod after the patch
 * (`render-pods.ts`, `keep-pods.ts`), so that a patch of them is lost without a word; without those of `spec.selector`
 * a child does not find its pods. Source: `reference/uniteddeployment.md` 3.6 and 10, item 7.
 */
export function identityProblems(
  { subset, index, changes }: ChangedSubset,
  { selector }: UnitedDeployment['spec'],
  template: SubsetTemplate,
): readonly FieldProblem[] {
  if (!changes('patch')) return [];
  return [...ofOwnLabels(subset), ...ofSelector(subset, compiled(selector), template)].map((message) => ({
    field: `spec.topology.subsets[${index}].patch`,
    message: `subset ${subset.name}: ${message}`,
  }));
}

/** A value that is already as it is going to be is allowed. */
function ofOwnLabels({ name, patch }: Subset): readonly string[] {
  const because = new Map([
    [labels.subsetName, `it names the subset of a pod, and is always "${name}" here`],
    [labels.subsetRevision, 'it names the revision of a pod, and is set with each'],
  ]);
  const given = fieldsOf(fieldsOf(fieldsOf(patch)['metadata'])['labels']);
  return [...because].flatMap(([label, why]) =>
    !Object.hasOwn(given, label) || (label === labels.subsetName && given[label] === name)
      ? []
      : [`${whatIsDone(label, given[label])}: ${why}`],
  );
}

/** A template that is not selected either is refused by the schema. */
function ofSelector(subset: Subset, selector: Selector, template: SubsetTemplate): readonly string[] {
  const rendered = renderPods(template, { name: subset.name, spec: subset });
  if (!rendered.ok) return [];
  const before = labelsOf((template.spec['template'] ?? {}) as PodTemplate);
  const after = labelsOf(rendered.pods);
  return selector
    .filter((each) => requirementMatches(each, before) && !requirementMatches(each, after))
    .map(
      (each) =>
        `${whatIsDone(each.key, after[each.key])}: spec.selector selects the pods by ${formatSelector([each])}`,
    );
}

function whatIsDone(label: string, value: unknown): string {
  const gone = value === undefined || value === null;
  return `the label ${label} cannot be ${gone ? 'removed' : `set to ${JSON.stringify(value)}`}`;
}

/** A selector that cannot be parsed is refused by the schema. */
function compiled(selector: UnitedDeployment['spec']['selector']): Selector {
  try {
    return compileSelector(selector);
  } catch (error) {
    if (error instanceof InvalidSelectorError) return [];
    throw error;
  }
}

function labelsOf({ metadata }: PodTemplate): Labels {
  return fieldsOf(metadata?.labels) as Labels;
}
