import { byAge, type PodTemplateSpec, type Stored } from '@atoll/kube';
import { isTerminating } from '../../children/child.ts';
import type { ExtendedDaemonSet, ExtendedDaemonSetReplicaSet } from '@atoll/api';
import { selectorMeaning } from './selector-meaning.ts';
import { sameTemplate } from './template-meaning.ts';

type ReplicaSet = Stored<ExtendedDaemonSetReplicaSet>;

/**
 * The replica set of an object's template. Hashes that an old operator wrote are not compared: they change with its libraries, and the
 * meaning does not (BUG-30).
 *
 * The selector is the replica set's own, as in the old operator: one that has a role keeps the nodes that it has, and a selector which changes
 * alone moves no pod (`selectorHolds` reports it). Where another template comes, the selector comes with it, so that one is made for both; and where the
 * object has no pod, the active one gives way, because nothing can be lost.
 */
export function replicaSetOf(
  { spec: { template, selector }, status }: Pick<ExtendedDaemonSet, 'spec' | 'status'>,
  replicaSets: readonly ReplicaSet[],
  named: ReplicaSet | undefined,
  hasPods: boolean,
): ReplicaSet | undefined {
  const ofTemplate = alike(template, replicaSets).sort(byAge);
  const meaning = selectorMeaning(selector);
  const selecting = ofTemplate.filter(({ spec }) => selectorMeaning(spec.selector) === meaning);
  if (named === undefined) return ofTemplate[0];
  if (ofTemplate.includes(named)) return hasPods || selecting.includes(named) ? named : selecting[0];
  return ofTemplate.find(({ metadata }) => metadata.name === status?.canary?.replicaSet) ?? selecting[0];
}

/**
 * The uids of all replica sets that mean the same as this one, which old operators make at times: a pod of one of them is of this
 * template.
 */
export function sameMeaning({ spec }: ReplicaSet, replicaSets: readonly ReplicaSet[]): ReadonlySet<string> {
  const same = replicaSets.filter((each) => sameTemplate(each.spec.template, spec.template));
  return new Set(same.map(({ metadata }) => metadata.uid));
}

function alike(template: PodTemplateSpec, replicaSets: readonly ReplicaSet[]): ReplicaSet[] {
  return replicaSets.filter((each) => !isTerminating(each) && sameTemplate(each.spec.template, template));
}
