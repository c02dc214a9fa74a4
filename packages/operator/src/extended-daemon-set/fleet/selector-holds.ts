import type { ExtendedDaemonSet, ExtendedDaemonSetReplicaSet } from '@atoll/api';
import { selectorProblems } from '@atoll/kube';
import type { Stored } from '@atoll/kube';
import { hold, type Hold } from '../../engine/hold.ts';
import { selectorMeaning } from '../replica-sets/selector-meaning.ts';

type Selector = ExtendedDaemonSet['spec']['selector'];

/**
 * The selector in the spec is not that of the replica set of the template. Which nodes run pods changes with a template alone: a selector
 * that is mistyped would end the pods of many nodes at once, and one that the old operator left without effect would do so when it is taken over.
 */
export function selectorHolds(
  { spec }: Pick<ExtendedDaemonSet, 'spec'>,
  upToDate: Stored<ExtendedDaemonSetReplicaSet> | undefined,
): readonly Hold[] {
  if (upToDate === undefined) return [];
  const { selector } = upToDate.spec;
  if (selectorMeaning(spec.selector) === selectorMeaning(selector)) return invalid(selector);
  const problem =
    `spec.selector was changed without the template: it selects ${nodesOf(spec.selector)}, and pods stay on ${nodesOf(selector)}, as ` +
    `${upToDate.metadata.name} has it. To move them, change spec.template too, by an annotation for example; to keep them, put spec.selector back`;
  return [hold('SelectorNotApplied', 'person', [], { problem }, true)];
}

function invalid(selector: Selector): readonly Hold[] {
  const [first] = selectorProblems(selector ?? {}, 'spec.selector');
  if (first === undefined) return [];
  const problem = `${first.path}: ${first.message}, so all nodes are selected. Correct it together with spec.template`;
  return [hold('InvalidSelector', 'person', [], { problem }, true)];
}

function nodesOf(selector: Selector): string {
  const meaning = selectorMeaning(selector);
  return meaning === '' ? 'all nodes' : `the nodes with ${meaning}`;
}
