import { canonicalJson, compileSelector, formatSelector, type LabelSelector } from '@atoll/kube';

/**
 * The meaning of a selector of nodes as one text, equal where two selectors select the same by the same clauses; empty: all nodes. One that
 * cannot be understood means itself alone.
 */
export function selectorMeaning(selector: LabelSelector | null | undefined): string {
  if (selector === undefined || selector === null) return '';
  try {
    const clauses = compileSelector(selector, 'spec.selector').map((each) => formatSelector([each]));
    return [...new Set(clauses)].sort().join(',');
  } catch {
    return canonicalJson(selector);
  }
}
