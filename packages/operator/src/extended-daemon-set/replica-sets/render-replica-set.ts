import {
  extendedDaemonSetAnnotations as annotations,
  extendedDaemonSetLabels as labels,
  extendedDaemonSetReplicaSets,
  extendedDaemonSets,
  templateWithoutName,
  type ExtendedDaemonSet,
  type ExtendedDaemonSetReplicaSet,
} from '@atoll/api';
import { apiVersionOf, asLabelValue, stableHash, type Stored } from '@atoll/kube';
import { isTerminating } from '../../children/child.ts';
import { ownerReference } from '../../children/ownership/owner.ts';
import { controlAnnotations } from '../control-annotations.ts';
import { selectorMeaning } from './selector-meaning.ts';
import { sameTemplate, templateHash } from './template-meaning.ts';

/** What belongs to the object itself, and not to its template. */
const notInherited: ReadonlySet<string> = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  annotations.canaryPausedReason,
  ...controlAnnotations,
]);

/** Room for a hash within the 63 characters of a label value, which the name becomes. */
const nameRoom = 52;
/** Of {@link stableHash}. */
export const nameHashLength = 10;

/**
 * The replica set of the object's template and selector. Its name follows from these and the object, so that no two processes make two (F7), unless
 * one of the others has it that somebody edited, or the annotation `canary-valid`, which stays when the replica set that a person validated is gone:
 * the template is tried again when it comes back. That of the active one, which is gone, has its name again, by which the status knows it. The label with the object's name is the last word: a label of the object's own cannot
 * replace it.
 */
export function renderReplicaSet(
  object: Stored<ExtendedDaemonSet>,
  others: readonly Stored<ExtendedDaemonSetReplicaSet>[] = [],
): ExtendedDaemonSetReplicaSet {
  const { name, namespace = '', labels: own, annotations: found = {} } = object.metadata;
  const { selector, template } = object.spec;
  const hash = templateHash(template);
  const inherited = Object.entries(found).filter(([key]) => !notInherited.has(key));
  return {
    apiVersion: apiVersionOf(extendedDaemonSetReplicaSets),
    kind: extendedDaemonSetReplicaSets.kind,
    metadata: {
      name: freeName(object, hash, others),
      namespace,
      labels: { ...own, [labels.name]: asLabelValue(name) },
      annotations: { ...Object.fromEntries(inherited), [annotations.templateHash]: hash },
      ownerReferences: [ownerReference({ resource: extendedDaemonSets, object })],
    },
    spec: {
      ...(selector === undefined ? {} : { selector }),
      template: templateWithoutName(template),
      templateGeneration: hash,
    },
  };
}

/** How the names of the replica sets of an object begin. */
export function nameBegin(object: string): string {
  return object.slice(0, nameRoom).replace(/[.-]+$/, '');
}

/** Of so many names that a template may have it is known whether it is that of the active replica set. */
const namesTried = 4;

/** Whether the replica set of the object's template and selector has this name where it is made. */
export function mayBeNamed(object: Stored<ExtendedDaemonSet>, name: string): boolean {
  const nameOf = namesOf(object, templateHash(object.spec.template));
  return Array.from({ length: namesTried }, (_, attempt) => nameOf(attempt)).includes(name);
}

function namesOf(
  { metadata: { name, uid }, spec: { selector } }: Stored<ExtendedDaemonSet>,
  hash: string,
): (attempt: number) => string {
  const meaning = selectorMeaning(selector);
  const of = [uid, hash, ...(meaning === '' ? [] : [meaning])];
  return (attempt) => `${nameBegin(name)}-${stableHash(attempt === 0 ? of : [...of, attempt])}`;
}

function freeName(
  object: Stored<ExtendedDaemonSet>,
  hash: string,
  others: readonly Stored<ExtendedDaemonSetReplicaSet>[],
): string {
  const {
    metadata: { annotations: found = {} },
    spec: { template, selector },
    status,
  } = object;
  const meaning = selectorMeaning(selector);
  const isSame = ({ spec }: ExtendedDaemonSetReplicaSet): boolean =>
    sameTemplate(spec.template, template) && selectorMeaning(spec.selector) === meaning;
  // The name of one that is being deleted is taken until its last pod is gone: one on a node that is away may take for ever.
  const taken = others
    .filter((each) => !isSame(each) || isTerminating(each))
    .map((each) => each.metadata.name);
  const nameOf = namesOf(object, hash);
  const active = status?.activeReplicaSet ?? '';
  if (mayBeNamed(object, active) && !taken.includes(active)) return active;
  const avoided = new Set([...taken, found[annotations.canaryValid]]);
  for (let attempt = 0; ; attempt += 1) {
    const free = nameOf(attempt);
    if (!avoided.has(free)) return free;
  }
}
