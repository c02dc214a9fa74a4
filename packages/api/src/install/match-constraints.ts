import type { LabelSelector, MatchResources, NamedRuleWithOperations } from '@atoll/kube';

/**
 * Which requests a policy judges, with all defaults of the API server. Server-side apply treats the field as a whole: without the
 * defaults it would differ from what is stored, and everybody else who applies the same manifest would get a conflict.
 */
export function matchConstraints(
  resourceRules: readonly NamedRuleWithOperations[],
  objectSelector: LabelSelector = {},
): MatchResources {
  return {
    matchPolicy: 'Equivalent',
    namespaceSelector: {},
    objectSelector,
    resourceRules: resourceRules.map((rule) => ({ ...rule, scope: '*' })),
  };
}
