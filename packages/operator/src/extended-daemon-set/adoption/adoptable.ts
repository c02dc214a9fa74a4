import {
  extendedDaemonSetLabels as labels,
  extendedDaemonSetReplicaSets,
  extendedDaemonSets,
  type ExtendedDaemonSet,
  type ExtendedDaemonSetReplicaSet,
} from '@atoll/api';
import { asLabelValue, controllerOf, formatKey, isGeneratedName, keyOf, podTemplates } from '@atoll/kube';
import type { KubeObject, PodTemplate, Resource, Stored } from '@atoll/kube';
import { isTerminating } from '../../children/child.ts';
import { ownerKey } from '../../children/keys-for-child.ts';
import { adoption } from '../../children/ownership/adoption.ts';
import type { ChildOwner } from '../../children/ownership/owner.ts';
import type { Step } from '../../engine/step.ts';
import { nameBegin, nameHashLength } from '../replica-sets/render-replica-set.ts';

type ReplicaSet = Stored<ExtendedDaemonSetReplicaSet>;

/**
 * Replica sets that nobody controls and that were this object's, or its namesake's before it: a person who deletes one with `--cascade=orphan` and
 * makes it again wants them back. The label must be exactly that of the object, and the name one that either operator gives.
 */
export function adoptableReplicaSets(
  object: Stored<ExtendedDaemonSet>,
  found: readonly ReplicaSet[],
): readonly ReplicaSet[] {
  const { name } = object.metadata;
  if (isTerminating(object)) return [];
  return found.filter(
    (each) =>
      !isTerminating(each) &&
      controllerOf(each) === undefined &&
      each.metadata.labels?.[labels.name] === asLabelValue(name) &&
      isNamedFor(name, each.metadata.name),
  );
}

/** Ours ends in a hash, that of the old operator in five random characters. A beginning alone would take what was `agent-2`'s for `agent`'s. */
function isNamedFor(object: string, name: string): boolean {
  const own = `${nameBegin(object)}-`;
  const hash = name.slice(own.length);
  const isOurs = name.startsWith(own) && hash.length === nameHashLength && /^[a-z0-9]+$/.test(hash);
  return isOurs || isGeneratedName(name, `${object}-`);
}

/** The PodTemplate under the object's name that was its namesake's: nobody controls it, or that one does until the garbage collector comes. */
export function formerPodTemplate(
  object: Stored<ExtendedDaemonSet>,
  found: Stored<PodTemplate> | undefined,
): Stored<PodTemplate> | undefined {
  const owner = found === undefined ? undefined : controllerOf(found);
  if (found === undefined || owner?.uid === object.metadata.uid) return undefined;
  const isNamesakes = ownerKey(extendedDaemonSets, found) === formatKey(keyOf(object));
  return owner === undefined || isNamesakes ? found : undefined;
}

export function adoptReplicaSet(owner: ChildOwner, replicaSet: ReplicaSet): Step {
  return adopt(owner, extendedDaemonSetReplicaSets, replicaSet);
}

export function adoptPodTemplate(owner: ChildOwner, podTemplate: Stored<PodTemplate>): Step {
  return adopt(owner, podTemplates, podTemplate);
}

function adopt(owner: ChildOwner, resource: Resource<KubeObject>, object: Stored<KubeObject>): Step {
  const message = `${resource.kind} ${object.metadata.name} has no owner and was of this ExtendedDaemonSet`;
  return { ...adoption(owner, resource, object), why: { word: 'ChildAdopted', message } };
}
