import type { PodTemplateSpec, Stored } from '@atoll/kube';
import { isTerminating } from '../../children/child.ts';
import type { ExtendedDaemonSetReplicaSet } from '@atoll/api';
import { sameTemplate } from './template-meaning.ts';

type ReplicaSet = Stored<ExtendedDaemonSetReplicaSet>;

/**
 * The replica set of a template: of several that mean it the oldest, and of equally old ones the first by name. Hashes that an old
 * operator wrote are not compared: they change with its libraries, and the meaning does not (BUG-30).
 */
export function replicaSetOf(
  template: PodTemplateSpec,
  replicaSets: readonly ReplicaSet[],
): ReplicaSet | undefined {
  return alike(template, replicaSets).sort(byAge)[0];
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

function byAge({ metadata: a }: ReplicaSet, { metadata: b }: ReplicaSet): number {
  if (a.creationTimestamp !== b.creationTimestamp) return a.creationTimestamp < b.creationTimestamp ? -1 : 1;
  return a.name < b.name ? -1 : 1;
}
